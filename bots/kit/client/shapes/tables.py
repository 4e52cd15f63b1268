"""Shapes of the API: addresses under tables. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from bots.kit.client.shapes.basic import Seat, TableState

ByEnum: TypeAlias = Literal["bot", "referee"]


class Act(TypedDict):
    """One answer."""

    seat: int
    action: str
    by: ByEnum
    verdict: str | None
    """Why the referee had to answer."""


class BecauseIn(TypedDict):
    """Why; it must be said."""

    reason: str
    """For all to read."""


class Replay(TypedDict):
    """One board of a table, state by state."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to be asked for as first; null: none."""
    table: str
    board: int
    boards: list[int]
    """Those of the table."""
    kind: str
    game: str
    preset: str
    seats: list[int]
    steps: list[Step]
    stones: dict[str, int]
    """Won or paid, by seat."""


class Result(TypedDict):
    """What one seat won on one board as played."""

    board: int
    seat: int
    stones: int
    verdict: str


class Step(TypedDict):
    """One state of a board, and the answers that led there."""

    step: int
    """From 0, the state before anybody was asked."""
    acts: list[Act]
    to_act: list[int]
    observations: dict[str, dict[str, Any]]
    """What was to be seen, by seat: docs/bot-protocol.md."""


class Table(TypedDict):
    """A table. ``results``, the record's hash and the seats' conduct are null while sealed."""

    id: str
    rotation: int
    first_board: int
    board_count: int
    state: TableState
    boards_done: int
    fixture: str
    tournament: str
    stage: int
    round: int
    board_set: str
    is_sealed: bool
    """Whether results stay closed to the asker for now."""
    attempt: int
    reruns: int
    reason: str | None
    """Why it waits ('runtime_unavailable: ...'), for all; why the last attempt failed, for organiser and
    staff."""
    started_at: str | None
    finished_at: str | None
    seats: list[Seat]
    record_sha256: str | None
    sandbox_level: str
    engine_version: str
    results: list[Result] | None
