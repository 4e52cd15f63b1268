"""What the API takes and answers, one class a schema of docs/openapi.yaml; a server may send more.

Drawn up from that file by tests/bots/kit/client/shapes_writer.py, which is why it may be long; edit it there.
Times are texts in ISO 8601, UTC; exact fractions are texts ``n`` or ``n/d``. What only some servers send is
``NotRequired``. Names that end in ``In`` are what a request takes.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

BotVisibility: TypeAlias = Literal["public", "private"]
CheckState: TypeAlias = Literal["waiting", "running", "done", "failed"]
EntryStatus: TypeAlias = Literal["entered", "withdrawn"]
KindEnum: TypeAlias = Literal["suspended", "reinstated", "still_suspended"]
RoundState: TypeAlias = Literal["planned", "open", "closed"]
StageState: TypeAlias = Literal["planned", "running", "done"]
TableState: TypeAlias = Literal["waiting", "leased", "finished", "quarantined", "void"]
TournamentInBoardKindEnum: TypeAlias = Literal["deal", "game"]
TournamentOutBoardKindEnum: TypeAlias = Literal["deal", "game"]
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


class Audit(TypedDict):
    """One deed."""

    at: str
    actor: str | None
    verb: str
    kind: str
    object: str
    before: dict[str, Any]
    after: dict[str, Any]


class Board(TypedDict):
    """A board and how it went everywhere."""

    board_set: str
    number: int
    kind: str
    seed: str | None
    """Null while the set is open."""
    results: list[Played]


class Bot(TypedDict):
    """A bot."""

    id: str
    name: str
    game: str
    owner: str
    visibility: BotVisibility
    active_version: str | None
    created_at: str


class BotChangeIn(TypedDict):
    """What of a bot can be changed."""

    name: NotRequired[str]
    visibility: NotRequired[BotVisibility]


class BotIn(TypedDict):
    """A bot to make."""

    name: str
    game: str
    visibility: NotRequired[BotVisibility]


class Check(TypedDict):
    """The last attempt to check a version. ``reinstates``: asked for to end a suspension."""

    version: str
    attempt: int
    state: CheckState
    steps: list[CheckStep]
    reasons: list[Reason]
    report: dict[str, Any] | None
    """The trial table's report."""
    reason: str
    waiting_reason: str
    """Why the check cannot begin, such as 'runtime_unavailable: ...' while no live worker has the runtime;
    empty if it waits for nothing but its turn."""
    reinstates: bool
    created_at: str
    started_at: str | None
    finished_at: str | None


class CheckStep(TypedDict):
    """One thing a check tried."""

    name: str
    ok: bool
    detail: str


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
    number: int
    bundle_sha256: str


class Entry(TypedDict):
    """An entry."""

    id: str
    player: str
    version: EnteredVersion
    partner_version: EnteredVersion | None
    seed: int | None
    status: EntryStatus
    is_organisers_own: bool
    created_at: str


class EntryIn(TypedDict):
    """A ready version to enter, or two that play as a pair, the first named in the lower seat."""

    version: str
    partner_version: NotRequired[str | None]
    seed: NotRequired[int | None]
    """Set by the organiser only."""


class Fairness(TypedDict):
    """What lets anybody check that the deals were fixed before play."""

    tournament: str
    commitment: str
    """SHA-256 of the secret; empty before registration."""
    secret: str | None
    """Hex; null until final or cancelled."""
    revealed_at: str | None
    field_digests: list[FieldDigest]
    board_sets: list[Seeds]


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


class FaultClock(TypedDict):
    """What the faulted decision was allowed and what it took, in ms; the bank as it stood before."""

    bank_ms: float
    limit_cpu_ms: float
    used_cpu_ms: float
    limit_wall_ms: float
    used_wall_ms: float


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


class FaultGroupDetail(TypedDict):
    """A group of faults, and how long the bot took for its last decisions up to the sample."""

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
    clock_trace: list[Moment]


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


class FieldDigest(TypedDict):
    """The digest of a stage's field."""

    stage: int
    field_digest: str
    """Empty until entry closes."""


class FieldError(TypedDict):
    """One wrong field."""

    field: str
    """Dotted path; empty for the whole body."""
    code: str
    detail: str


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
    sides: list[Side]
    tables: list[TableBrief]


class FixtureDetail(TypedDict):
    """A fixture with its board scores; they are null while sealed."""

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
    sides: list[Side]
    tables: list[TableBrief]
    scores: list[Score] | None


class Game(TypedDict):
    """A game on offer."""

    key: str
    rules_version: int
    presets: list[str]


class Limits(TypedDict):
    """The limits of this installation; names say units."""

    clock_defaults: dict[str, int]
    clock_bounds: dict[str, list[int]]
    process: dict[str, float]
    bundle: dict[str, int]
    throttles: dict[str, str]
    """Requests by account."""
    bots_per_player: int
    page_size_max: int


class Me(TypedDict):
    """Who is asking."""

    id: str
    username: str
    handle: str | None
    """Public name; null until the first bot."""
    is_organiser: bool
    is_staff: bool
    scopes: list[str]
    """What this request's token may do."""


class Moment(TypedDict):
    """What one decision took."""

    board: int
    decision: int
    cpu_ms: float
    wall_ms: float
    verdict: str
    """Of a faulted one; else empty."""


class Notice(TypedDict):
    """Something the account is told."""

    id: str
    kind: KindEnum
    text: str
    url_path: str
    url: str
    """The page to read on; empty if there is none."""
    created_at: str
    read_at: str | None


class Played(TypedDict):
    """One seat's result on a board, with the table it was played at."""

    table: str
    fixture: str
    rotation: int
    seat: int
    stones: int
    verdict: str


class Preset(TypedDict):
    """A preset: its table, its options, what a bot sees."""

    game: str
    preset: str
    rules_version: int
    seats: int
    sides: list[list[int]]
    """Seats of each side: pairs, or single seats in a free-for-all."""
    tables_per_fixture: int
    """Rotations: at each an entry sits on another side, so that all hold the same cards once."""
    formats: list[str]
    """What a stage can be played in; the first unless told otherwise."""
    starting_stones: int
    """Of a seat, or of a pair; 0 where points are counted."""
    options: dict[str, Any]
    """Every option with its value; null where there is none."""
    decisions_bound: dict[str, int | None]
    """Most decisions of a seat on a board, by kind."""
    observation: dict[str, str]
    """JSON type by field, such as: integer or null."""


class Problem(TypedDict):
    """An error (RFC 9457). ``code`` is stable; further members depend on it, such as allowed_now."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: NotRequired[list[FieldError]]


class Reason(TypedDict):
    """One reason for a rejection."""

    code: str
    message: str


class ReasonIn(TypedDict):
    """Why, in words that all may read."""

    reason: NotRequired[str]


class Result(TypedDict):
    """What one seat won on one board as played."""

    board: int
    seat: int
    stones: int
    verdict: str


class Round(TypedDict):
    """A round; its boards are sealed until it is closed."""

    id: str
    stage: int
    number: int
    state: RoundState
    board_set: str
    boards: int
    opened_at: str | None
    closed_at: str | None


class Score(TypedDict):
    """A board score: the mean of an entry's results over the rotation, in stones, forfeits applied."""

    board: int
    entry: str
    value: str
    """An exact fraction: n or n/d."""


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


class Seeds(TypedDict):
    """The seeds of one closed board set."""

    stage: int
    round: int
    board_set: str
    seeds: dict[str, str] | None
    """Null while sealed."""


class Side(TypedDict):
    """One side of a fixture; a single one has a bye, or sits the round out."""

    entry: str
    player: str
    bot: str
    """The bot's name; of a pair of versions both, joined by " + "."""
    versions: list[EnteredVersion]
    """One for all seats of its side, or one for each."""
    position: int
    """From 0, in the order of the pairing."""


class Stage(TypedDict):
    """A stage."""

    number: int
    format: str
    options: dict[str, Any]
    rounds: int | None
    """How many with the entries there are; null with too few, or if it depends on results."""
    field_digest: str
    state: StageState


class StageIn(TypedDict):
    """One stage: its format and this format's options."""

    format: str
    options: NotRequired[dict[str, Any]]


class StageStandings(TypedDict):
    """The standings of one stage after its closed rounds."""

    stage: int
    state: str
    rows: list[Standing]


class Standing(TypedDict):
    """One line of the standings."""

    entry: str
    player: str
    bot: str
    """The bot's name; of a pair of versions both, joined by " + "."""
    versions: list[EnteredVersion]
    """One for all seats of its side, or one for each."""
    rank: int
    version: str
    """The first of ``versions``."""
    values: dict[str, Any]
    """Everything that can order the table; fractions as n/d text."""
    decided_by: str
    """The first value that told it from the row above."""


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
    board_set: str
    is_sealed: bool
    """Whether results stay closed to the asker for now."""
    attempt: int
    reason: str | None
    """Why it waits ('runtime_unavailable: ...'), for all; why the last attempt failed, for organiser and
    staff."""
    started_at: str | None
    finished_at: str | None
    record_sha256: str | None
    sandbox_level: str
    engine_version: str
    seats: list[Seat]
    results: list[Result] | None


class TableBrief(TypedDict):
    """A table's progress: all that shows while the boards are sealed."""

    id: str
    rotation: int
    first_board: int
    board_count: int
    state: TableState
    boards_done: int


class Token(TypedDict):
    """A token without its text."""

    id: str
    name: str
    scopes: list[str]
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None


class TokenIn(TypedDict):
    """A token to make."""

    name: str
    scopes: list[str]
    """read, bots, organise, tokens."""
    expires_at: NotRequired[str | None]


class TokenMade(TypedDict):
    """A new token with its text, shown this once."""

    id: str
    name: str
    scopes: list[str]
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None
    token: str
    """Keep it: it cannot be shown again."""


class Tournament(TypedDict):
    """A tournament. ``verbs`` are what the asker may do with it now."""

    id: str
    name: str
    description: str
    organiser: str
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
    """Seats of each side: pairs, or single seats in a free-for-all. A fixture has an entry for each side,
    and a table for each rotation of them."""
    board_kind: TournamentOutBoardKindEnum
    boards_per_round: int
    clock: dict[str, int]
    fault_policy: str
    tie_breaks: list[str]
    scoring: str
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
    """How many are entered."""
    verbs: list[str]
    """What the asker may do with it now."""


class TournamentIn(TypedDict):
    """A tournament to make; everything but name and preset has a default."""

    name: str
    description: NotRequired[str]
    visibility: NotRequired[BotVisibility]
    closes_at: NotRequired[str | None]
    """End of registration."""
    starts_at: NotRequired[str | None]
    """Earliest start once locked."""
    quarantine_hours: NotRequired[int]
    preset: str
    ruleset: NotRequired[dict[str, Any]]
    """Options that differ from the preset's."""
    board_kind: NotRequired[TournamentInBoardKindEnum]
    boards_per_round: NotRequired[int]
    stages: NotRequired[list[StageIn]]
    """Left out: one stage of the first format that fits the preset."""
    clock: NotRequired[ClockIn]
    fault_policy: NotRequired[str]
    """substitute or strict."""
    tie_breaks: NotRequired[list[str]]
    scoring: NotRequired[str]
    """match_points or board_score."""
    entries_per_player: NotRequired[int]
    min_entries: NotRequired[int]
    """Left out: as many as fill a table."""
    max_entries: NotRequired[int]


class TournamentTextsIn(TypedDict):
    """What of a draft can still be changed."""

    name: NotRequired[str]
    description: NotRequired[str]
    visibility: NotRequired[BotVisibility]
    closes_at: NotRequired[str | None]
    """End of registration."""
    starts_at: NotRequired[str | None]
    """Earliest start once locked."""
    quarantine_hours: NotRequired[int]


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


class VersionIn(TypedDict):
    """An upload."""

    bundle: bytes
    """A .zip, .tar.gz or single .py file with the bot."""
    notes: NotRequired[str]
