"""A table state by state."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from arena.api.base.parts import Part
from arena.api.base.shapes import build_shape
from arena.matches.replays import board_replay


class ReplayActionOut(TypedDict):
    """One answer."""

    seat: int
    action: str
    by: Annotated[str, ("bot", "referee")]
    verdict: Annotated[str | None, "Why the referee had to answer."]


class StepOut(TypedDict):
    """One state of a board, and the answers that led there."""

    step: Annotated[int, "From 0, the state before anybody was asked."]
    acts: list[ReplayActionOut]
    to_act: list[int]
    observations: Annotated[dict[str, dict[str, Any]], "What was to be seen, by seat: docs/bot-protocol.md."]


class ReplayOut(Part):
    """One board of a table, state by state."""

    table: str
    board: int
    boards: Annotated[list[int], "Those of the table."]
    kind: str
    game: str
    preset: str
    seats: list[int]
    steps: list[StepOut]
    stones: Annotated[dict[str, int], "Won or paid, by seat."]


def replay_out(table: str, record: bytes, board: int | None, seat: int | None) -> ReplayOut:
    """One board of a record, the first unless one is named, as ``seat`` or every seat saw it.

    Raises:
        NotFound, Conflict: as ``board_replay``.
    """
    return build_shape(ReplayOut, board_replay(record, board, seat), next_first=None, table=table)
