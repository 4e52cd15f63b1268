"""Shapes of the API: what several addresses speak of, of plain values. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

BoardKind: TypeAlias = Literal["deal", "game"]
BoardPlan: TypeAlias = Literal["fixed", "until_separated"]
BotVisibility: TypeAlias = Literal["public", "private"]
EntryPolicy: TypeAlias = Literal["open", "invited"]
StageState: TypeAlias = Literal["planned", "running", "done"]
TableState: TypeAlias = Literal["waiting", "leased", "finished", "quarantined", "void"]
TournamentKind: TypeAlias = Literal["event", "challenge"]
TournamentState: TypeAlias = Literal[
    "draft",
    "registration",
    "locked",
    "running",
    "paused",
    "provisional",
    "final",
    "archived",
    "cancelled",
]
VersionState: TypeAlias = Literal["uploaded", "checking", "ready", "rejected", "suspended", "retired"]


class ClockIn(TypedDict):
    """Times a bot gets, in ms; what is left out keeps its default."""

    start_wall_ms: NotRequired[int]
    increment_cpu_ms: NotRequired[int]
    bank_cpu_ms_per_deal_board: NotRequired[int]
    bank_cpu_ms_per_game_board: NotRequired[int]
    decision_cpu_cap_ms: NotRequired[int]


class EnteredVersion(TypedDict):
    """A version as entered."""

    id: str
    bot: str
    """The bot's name."""
    number: int
    bundle_sha256: str


class FaultClock(TypedDict):
    """What the faulted decision was allowed and what it took, in ms; the bank as it stood before."""

    bank_ms: float
    limit_cpu_ms: float
    used_cpu_ms: float
    limit_wall_ms: float
    used_wall_ms: float


class FaultLinks(TypedDict):
    """Where to read on; null where there is no such thing."""

    fault: str
    file: str
    """For rensho reproduce."""
    page: str
    check: str | None
    """If it happened in the check's trial."""
    table: str | None
    record: str | None
    board: str | None
    log: str | None


class FieldError(TypedDict):
    """One wrong field."""

    field: str
    """Dotted path; empty for the whole body."""
    code: str
    detail: str


class Reason(TypedDict):
    """One reason for a rejection."""

    code: str
    message: str


class ReasonIn(TypedDict):
    """Why, in words that all may read."""

    reason: NotRequired[str]


class Seat(TypedDict):
    """A seat; how its bot behaved is null while sealed."""

    seat: int
    entry: str
    player: str
    bot: str
    version: str
    verdict: str | None
    forfeited: bool | None
    decisions: int | None
    cpu_ms: int | None
    wall_ms: int | None
    peak_bytes: int | None


class Stage(TypedDict):
    """A stage."""

    number: int
    format: str
    options: dict[str, Any]
    qualify: int | None
    boards_per_round: int
    rounds: int | None
    """How many (of one pass) with the entries there are; null with too few, or if it depends on results."""
    field_digest: str
    state: StageState
    note: str


class StageCost(TypedDict):
    """One stage, at most."""

    number: int
    format: str
    entries: int
    """How many play it."""
    rounds: int | None
    """Of one pass; null: by results."""
    passes: int
    """How often the schedule is played at most."""
    fixtures: int
    tables: int
    boards: int
    """A board counts at every table that plays it."""
    decisions: int
    """Of all seats."""
    cpu_s_most: float
    """If every bot uses all its clock."""
    cpu_s_expected: float | None
    """By what was measured of the preset."""


class StageIn(TypedDict):
    """One stage: its format, this format's options, who goes on to it, and its boards."""

    format: str
    """GET /games/{game}/presets/{preset} lists them."""
    options: NotRequired[dict[str, bool | int | str | None]]
    qualify: NotRequired[int | None]
    """How many of the stage before play in it; null: all who are still in."""
    boards_per_round: NotRequired[int | None]
    """Null: the tournament's."""


class TableBrief(TypedDict):
    """A table's progress: all that shows while the boards are sealed."""

    id: str
    rotation: int
    first_board: int
    board_count: int
    state: TableState
    boards_done: int
