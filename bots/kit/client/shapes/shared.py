"""Shapes of the API: what several addresses speak of. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from bots.kit.client.shapes.basic import (
    BoardKind,
    BoardPlan,
    BotVisibility,
    EnteredVersion,
    EntryPolicy,
    FaultClock,
    FaultLinks,
    FieldError,
    Reason,
    Seat,
    Stage,
    StageCost,
    TableBrief,
    TableState,
    TournamentKind,
    TournamentState,
    VersionState,
)


class Fault(TypedDict):
    """One fault, whole."""

    verdict: str
    reason: str
    """What was wrong and what to change."""
    board: int
    decision: int
    """The seat's decisions at this table so far, this one included; 0 while starting."""
    phase: str
    request: str | None
    """The exact line; null while starting."""
    answer: str | None
    """The exact line, cut at 4096 characters; null if there was none."""
    log_tail: str
    """Last lines of standard error; a mark stands for what lies before them."""
    clock: FaultClock
    fingerprint: str
    action: str | None
    """What was played instead."""


class FaultGroup(TypedDict):
    """Faults of one version that look alike: same verdict, phase and last log line but for its numbers."""

    fingerprint: str
    version: str
    version_number: int
    verdict: str
    phase: str
    count: int
    first_seen_at: str
    last_seen_at: str
    table: NotRequired[str]
    """Where the sample happened; empty for the check's trial table."""
    tournament: NotRequired[str]
    """Of that table; empty for the check's trial table."""
    seat: int
    """The bot's seat in the sample."""
    sample: Fault
    """The latest of them."""
    reproduce: str
    """The command, once the file is downloaded."""
    links: FaultLinks


class Fixture(TypedDict):
    """A fixture. While its boards are sealed an ended one is ``done``."""

    id: str
    tournament: str
    stage: int
    round: int
    number: int
    state: str
    reason: str
    done_at: str | None
    board_set: str
    is_sealed: bool
    """Whether results stay closed to the asker for now."""
    same_owner: bool
    """Two of its entries have an owner in common."""
    sides: list[Side]
    tables: list[TableBrief]


class Plan(TypedDict):
    """A whole tournament, at most; byes not counted, passes included."""

    entries: int
    """How many the figures are for."""
    stages: list[StageCost]
    rounds: int | None
    fixtures: int
    tables: int
    boards: int
    decisions: int
    cpu_s_most: float
    cpu_s_expected: float | None
    """Null: no table of this preset has been measured yet."""
    capacity: int | None
    """Tables that can be played at a time just now; null: no worker is alive."""
    hours_most: float | None
    """If nothing else is played."""
    hours_expected: float | None
    budget_cpu_s: int | None
    notes: list[str]
    """What to think of before opening it."""


class Problem(TypedDict):
    """An error (RFC 9457). ``code`` is stable; further members depend on it, such as allowed_now."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: NotRequired[list[FieldError]]


class Side(TypedDict):
    """One entry of a fixture; a single one has a bye, or sits the round out."""

    entry: str
    player: str
    bot: str
    """The bot's name; of a pair of versions both, joined by " + "."""
    versions: list[EnteredVersion]
    """One for all seats of its side, or one for each."""
    position: int
    """From 0, in the order of the pairing."""
    side: int
    """From 0. The position, unless several entries make up a side, as in a movement."""


class TableRow(TypedDict):
    """A table in a list. The seats' conduct is null while sealed."""

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


class Tournament(TypedDict):
    """A tournament. ``verbs`` are what the asker may do with it now, ``editable`` the fields to change."""

    id: str
    kind: TournamentKind
    name: str
    description: str
    organiser: str
    series: str | None
    """The recurring cup it is an edition of."""
    edition: int | None
    visibility: BotVisibility
    state: TournamentState
    state_reason: str
    state_at: str
    created_at: str
    game: str
    preset: str
    ruleset: dict[str, Any]
    rules_version: int
    seats: int
    """Seats at a table."""
    sides: list[list[int]]
    """Seats of each side: pairs, or single seats in a free-for-all. A fixture has an entry for each side
    (in a movement one for each seat), and a table for each rotation of them."""
    board_kind: BoardKind
    boards_per_round: int
    board_plan: BoardPlan
    most_passes: int
    budget_cpu_s: int | None
    cpu_s_spent: float | None
    """CPU-seconds used so far; for the organiser, for all once it is over."""
    clock: dict[str, int]
    fault_policy: str
    tie_breaks: list[str]
    scoring: str
    entry_policy: EntryPolicy
    entries_per_player: int
    min_entries: int
    max_entries: int
    quarantine_hours: int
    closes_at: str | None
    starts_at: str | None
    commitment: str
    revealed_at: str | None
    stages: list[Stage]
    entries: int
    """How many are entered, or were at the lock."""
    verbs: list[str]
    """What the asker may do with it now."""
    editable: list[str]
    """What the asker may change of it now."""


class Version(TypedDict):
    """A version. Entry point, notes, reasons, suspended_reason and waiting_reason are null for everybody
    but the owner and staff."""

    id: str
    bot: str
    bot_name: str
    owner: str
    number: int
    state: VersionState
    bundle_sha256: str
    bundle_bytes: int
    runtime: str
    runtime_digest: str
    created_at: str
    entry_point: str | None
    notes: str | None
    reasons: list[Reason] | None
    suspended_at: str | None
    suspended_reason: str | None
    reinstated_at: str | None
    waiting_reason: str | None
    """Why the check cannot begin, such as 'runtime_unavailable: ...' while no live worker has the runtime;
    empty if it waits for nothing but its turn."""
    check_url: str
