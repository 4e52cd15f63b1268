"""Responses: the states of a board."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from arena.api.base.parts import Part
from arena.api.base.shapes import build_shape
from arena.matches.replays import board_replay


class ReplayActionOut(TypedDict):
    """The action of one seat."""

    seat: int
    action: str
    by: Annotated[str, ("bot", "referee")]
    verdict: Annotated[str | None, "Why the referee chose the action."]


class StepOut(TypedDict):
    """A state of a board, and the actions that led to it."""

    step: Annotated[int, "From 0, the state before the first decision."]
    acts: list[ReplayActionOut]
    to_act: list[int]
    observations: Annotated[dict[str, dict[str, Any]], "Observations by seat: docs/bot-protocol.md."]


class ReplayOut(Part):
    """All states of one board of a table."""

    table: str
    board: int
    boards: Annotated[list[int], "Numbers of all boards of the table."]
    kind: str
    game: str
    preset: str
    seats: list[int]
    steps: list[StepOut]
    stones: Annotated[dict[str, int], "Stones won or lost, by seat."]


def replay_out(table: str, record: bytes, board: int | None, seat: int | None) -> ReplayOut:
    """Return one board of a record, by default the first, as seen by ``seat`` or by every seat.

    Raises:
        NotFound, Conflict: as ``board_replay``.
    """
    return build_shape(ReplayOut, board_replay(record, board, seat), next_first=None, table=table)
