"""What the kit sends and reads, one class a schema of docs/openapi.yaml; a server may send more.

Generated from that file by shapes_writer.py beside it, in one piece however long: run that instead of
editing here. Times are texts in ISO 8601, UTC; exact fractions are texts ``n`` or ``n/d``. What only some
servers send is ``NotRequired``. Names that end in ``In`` are what a request takes.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

BoardKind: TypeAlias = Literal["deal", "game"]
BoardPlan: TypeAlias = Literal["fixed", "until_separated"]
BotVisibility: TypeAlias = Literal["public", "private"]
CheckState: TypeAlias = Literal["waiting", "running", "done", "failed"]
EntryPolicy: TypeAlias = Literal["open", "invited"]
EntryStatus: TypeAlias = Literal["pending", "entered", "withdrawn", "left"]
EveryEnum: TypeAlias = Literal["daily", "weekly", "monthly"]
FaultPolicy: TypeAlias = Literal["substitute", "strict"]
NoticeKind: TypeAlias = Literal[
    "suspended",
    "reinstated",
    "still_suspended",
    "ready",
    "rejected",
    "partner_asked",
    "partner_answered",
    "invited",
    "entry_ended",
    "entry_stands",
    "event",
    "webhook",
    "series",
    "experiment",
]
NullEnum: TypeAlias = None
RoundState: TypeAlias = Literal["planned", "open", "closed"]
Scoring: TypeAlias = Literal["match_points", "board_score"]
SeriesState: TypeAlias = Literal["active", "paused", "ended"]
StageState: TypeAlias = Literal["planned", "running", "done"]
TableState: TypeAlias = Literal["waiting", "leased", "finished", "quarantined", "void"]
TieBreak: TypeAlias = Literal[
    "head_to_head",
    "buchholz",
    "sonneborn_berger",
    "board_score_difference",
    "wins",
    "lot",
]
TokenScope: TypeAlias = Literal["read", "bots", "organise", "tokens"]
TournamentKind: TypeAlias = Literal["event", "challenge", "ladder", "experiment"]
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
TournamentVisibility: TypeAlias = Literal["public", "private"]
VerbEnum: TypeAlias = Literal["retry", "retry_tables", "close_early", "finalise", "cancel"]
VersionState: TypeAlias = Literal["uploaded", "checking", "ready", "rejected", "suspended", "retired"]
WeekdayEnum: TypeAlias = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class Bot(TypedDict):
    """``BotOut`` of the contract."""

    id: str
    name: str
    game: str
    owner: str
    visibility: BotVisibility
    active_version: str | None
    created_at: str


class BotIn(TypedDict):
    """A bot to create."""

    name: str
    game: str
    visibility: NotRequired[BotVisibility]


class Cell(TypedDict):
    """The result of the row's entry against an opponent, from closed rounds."""

    entry: str
    """The opponent."""
    mean: float
    """Average board score, in stones."""
    boards: int
    low: float | None
    """Lower bound of the 95 % interval; null with a single board."""
    high: float | None
    mark: str
    """** if the 99 % interval excludes 0, * if the 95 % interval does."""
    match_points: int


class Check(TypedDict):
    """The latest check of a version. ``reinstates``: it was requested to end a suspension."""

    version: str
    attempt: int
    state: CheckState
    steps: list[CheckStep]
    reasons: list[Reason]
    report: dict[str, Any] | None
    """Report of the trial table."""
    reason: str
    waiting_reason: str
    """Why the check cannot begin, such as 'runtime_unavailable: ...' while no live worker has the runtime;
    empty if it waits for nothing but its turn."""
    reinstates: bool
    created_at: str
    started_at: str | None
    finished_at: str | None


class CheckStep(TypedDict):
    """A step of a check."""

    name: str
    ok: bool
    detail: str


class ClockIn(TypedDict):
    """Time limits of a bot in ms. Missing fields have defaults."""

    start_wall_ms: NotRequired[int]
    """Milliseconds on the wall. Default: 3000."""
    increment_cpu_ms: NotRequired[int]
    """Milliseconds of CPU. Default: 20."""
    bank_cpu_ms_per_deal_board: NotRequired[int]
    """Milliseconds of CPU. Default: 500."""
    bank_cpu_ms_per_game_board: NotRequired[int]
    """Milliseconds of CPU. Default: 5000."""
    decision_cpu_cap_ms: NotRequired[int]
    """Milliseconds of CPU. Default: 2000."""


class CrossRow(TypedDict):
    """An entry with its results against all opponents."""

    entry: str
    player: str
    bot: str
    """The bot's name; for a pair both names, joined by " + "."""
    versions: list[EnteredVersion]
    """One for all seats of its side, or one per seat."""
    against: list[Cell]


class Crosstable(TypedDict):
    """Results of all pairs of entries of a stage, in the order of the standings."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to request with first; null: none."""
    stage: int
    rows: list[CrossRow]


class Edition(TypedDict):
    """A future edition of a series."""

    tournament: str | None
    """Id of the edition's tournament if it is open for entry; null if it does not exist yet."""
    opens_at: str
    """Registration opens."""
    starts_at: str
    """Registration closes and play begins."""


class EnteredVersion(TypedDict):
    """A version of an entry."""

    id: str
    bot: str
    """The bot's name."""
    number: int
    bundle_sha256: str


class EntrantAct(TypedDict):
    """An action of an organiser or staff member who has an entry."""

    verb: VerbEnum
    count: int
    """Number of times."""
    at: str
    """Time of the last one."""


class Entry(TypedDict):
    """An entry of a tournament."""

    id: str
    tournament: str
    player: str
    partner: str | None
    """Handle of the other player whose version plays the higher seat, if any."""
    version: EnteredVersion
    partner_version: EnteredVersion | None
    accepts_partners: bool
    seed: int | None
    status: EntryStatus
    status_reason: str
    status_at: str
    left_stage: int | None
    """Number of the stage in which it left."""
    left_round: int | None
    """Number of the last round it was paired in; 0: none."""
    is_organisers_own: bool
    created_at: str
    verbs: list[str]
    """Actions that you may take on it now."""


class EntryChangeIn(TypedDict):
    """What the organiser sets on an entry before the lock."""

    seed: NotRequired[int | None]
    """The place in the order. Without one: by lot, after all that have one."""


class EntryIn(TypedDict):
    """A ready version to enter, or two that play as a pair, the first in the lower seat. The second may
    belong to another player: the entry is then ``pending`` until that owner confirms."""

    version: str
    partner_version: NotRequired[str | None]
    accepts_partners: NotRequired[bool]
    """With changing partners: you agree that your version partners all others in turn."""
    seed: NotRequired[int | None]
    """Only the organiser may set it."""


class Fault(TypedDict):
    """One fault with all details."""

    verdict: str
    reason: str
    """What went wrong, and what to change."""
    board: int
    decision: int
    """Number of the seat's decision at this table, from 1; 0 while starting."""
    phase: str
    request: str | None
    """The exact line sent to the bot; null while starting."""
    answer: str | None
    """The exact line from the bot, cut at 4096 characters; null if there was none."""
    log_tail: str
    """Last lines of standard error. A mark replaces the lines before them."""
    clock: FaultClock
    fingerprint: str
    action: str | None
    """The action played instead."""


class FaultClock(TypedDict):
    """Time limits and usage of the faulty decision, in ms; ``bank_ms`` is the bank before it."""

    bank_ms: float
    limit_cpu_ms: float
    used_cpu_ms: float
    limit_wall_ms: float
    used_wall_ms: float


class FaultGroup(TypedDict):
    """Similar faults of one version: same verdict, phase and last log line, except for numbers in it."""

    fingerprint: str
    version: str
    version_number: int
    verdict: str
    phase: str
    count: int
    first_seen_at: str
    last_seen_at: str
    table: str
    """Table of the sample; empty for the trial table of the check."""
    tournament: str
    """Tournament of that table; empty for the trial table of the check."""
    seat: int
    """The bot's seat in the sample."""
    sample: Fault
    """The latest fault of the group."""
    reproduce: str
    """Command to reproduce it, after downloading the file."""
    links: FaultLinks


class FaultLinks(TypedDict):
    """URLs of related resources; null where there is none."""

    fault: str
    file: str
    """For rensho reproduce."""
    page: str
    check: str | None
    """If it happened in the trial of the check."""
    table: str | None
    record: str | None
    board: str | None
    log: str | None


class Fixture(TypedDict):
    """A fixture. While its boards are sealed, an ended fixture is ``done`` and ``done_at`` is null."""

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
    """Whether results are still hidden from you."""
    same_owner: bool
    """Whether two of its entries have the same owner."""
    sides: list[Side]
    tables: list[TableBrief]


class Format(TypedDict):
    """A format of stages."""

    key: str
    title: str
    needs_results: bool
    """Whether pairing a round needs the results of earlier rounds."""
    mixes_partners: bool
    """Whether partners change: an entry plays one seat; its owner must set accepts_partners."""
    repeats: bool
    """Whether it supports until_separated."""
    options: list[Option]


class Game(TypedDict):
    """A game of this installation."""

    key: str
    rules_version: int
    presets: list[str]


class Invitation(TypedDict):
    """An invitation of a player to a tournament."""

    player: str
    created_at: str


class InvitationIn(TypedDict):
    """A player to invite."""

    player: str
    """The player's handle."""


class Me(TypedDict):
    """The account behind the request."""

    id: str
    username: str
    handle: str | None
    """Public name; null until the first bot."""
    is_organiser: bool
    is_staff: bool
    scopes: list[TokenScope]
    """Scopes of this request's token."""


class Notice(TypedDict):
    """A message to your account."""

    id: str
    kind: NoticeKind
    note: dict[str, Any]
    """`code` of the text, with its values."""
    text: str
    url_path: str
    url: str
    """URL of the page with details; empty if there is none."""
    created_at: str
    read_at: str | None


class Option(TypedDict):
    """An option of a format."""

    name: str
    kind: str
    """Type: integer or boolean."""
    default: int | bool | None
    """Null: depends on the number of entries."""
    meaning: str


class Plan(TypedDict):
    """Maximum cost of a tournament, with all passes and without byes."""

    entries: int
    """Number of entries that the cost is computed for."""
    stages: list[StageCost]
    rounds: int | None
    fixtures: int
    tables: int
    boards: int
    decisions: int
    cpu_s_most: float
    cpu_s_expected: float | None
    """Null: no table of this preset has been measured."""
    capacity: int | None
    """Tables that can be played concurrently now; null: no worker is alive."""
    hours_most: float | None
    """If the workers play nothing else."""
    hours_expected: float | None
    budget_cpu_s: int | None
    notes: list[str]
    """Advice before opening registration."""


class Reason(TypedDict):
    """A reason for a rejection."""

    code: str
    message: str


class Result(TypedDict):
    """The result of one seat on one board, as played."""

    board: int
    seat: int
    stones: int
    verdict: str


class Round(TypedDict):
    """A round. Its boards are sealed until it is closed."""

    id: str
    stage: int
    number: int
    state: RoundState
    board_set: str
    boards: int
    opened_at: str | None
    closed_at: str | None


class Season(TypedDict):
    """The standings of a cup's season. They follow from the places in the final standings of its
    tournaments."""

    series: str
    season: str
    """Empty until a tournament has finished."""
    seasons: list[str]
    """All seasons, newest first."""
    rules: SeasonRules
    events: list[SeasonEvent]
    rows: list[SeasonRow]


class SeasonEvent(TypedDict):
    """A finished tournament of the season."""

    id: str
    name: str
    edition: int
    starts_at: str
    placed: list[SeasonPlace]


class SeasonPlace(TypedDict):
    """The place and points of an entry in a tournament."""

    player: str
    bot: str
    """The bot's name; for a pair both names, joined by " + "."""
    entry: str
    place: int
    """The best of the shared places."""
    shared_by: int
    """Number of competitors that share it; 1: not shared."""
    points: str
    """An exact fraction: n or n/d."""


class SeasonResult(TypedDict):
    """The result of a competitor in one tournament."""

    event: str
    place: int
    points: str
    """An exact fraction: n or n/d."""
    counts: bool


class SeasonRow(TypedDict):
    """A row of the season's standings."""

    player: str
    bot: str
    """The bot's name; for a pair both names, joined by " + "."""
    rank: int
    """Equal points have equal ranks."""
    points: str
    """An exact fraction: n or n/d."""
    results: list[SeasonResult]


class SeasonRules(TypedDict):
    """How places become points, and which tournaments count."""

    points: list[int]
    """Points of the first place, the second and so on."""
    one_dropped_of: int
    """The worst of every N tournaments does not count; 0: all count."""
    counting: int
    """Number of tournaments that count per competitor now."""


class Seat(TypedDict):
    """A seat. The conduct of its bot is null while sealed."""

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


class Series(TypedDict):
    """A series: a tournament that repeats."""

    id: str
    organiser: str
    template: dict[str, Any]
    """Fields of a tournament."""
    weekday: WeekdayEnum | NullEnum
    at: str
    """Local time in timezone, such as 20:00."""
    state: SeriesState
    state_reason: str
    """Why it is in its state; may be empty."""
    next_at: str | None
    """When the next edition starts, including one open for entry; null once ended."""
    last_edition: int
    ahead: list[Edition]
    """The next editions: those open for entry, then planned ones if the series is active."""
    verbs: list[str]
    """Actions that you may take on it now."""
    created_at: str
    name: str
    every: EveryEnum
    month_day: int | None
    timezone: str
    open_hours: int
    until: str | None


class SeriesChangesIn(TypedDict):
    """Fields of a series to change. Existing editions stay unchanged."""

    name: NotRequired[str]
    """Editions add their number."""
    template: NotRequired[TemplateIn]
    """A tournament without its name and times; replaced as a whole."""
    every: NotRequired[EveryEnum]
    weekday: NotRequired[WeekdayEnum | NullEnum]
    """Of weekly ones. * `monday` - monday * `tuesday` - tuesday * `wednesday` - wednesday * `thursday` -
    thursday * `friday` - friday * `saturday` - saturday * `sunday` - sunday."""
    month_day: NotRequired[int | None]
    """Of monthly ones, 1 to 31; the last day of a month that is shorter."""
    timezone: NotRequired[str]
    """IANA name, such as Europe/Berlin. Times stay the same when its clocks change."""
    at: NotRequired[str]
    """Hours and minutes by the clocks of the time zone, such as 20:00; registration ends then."""
    open_hours: NotRequired[int]
    """Registration opens so long before: at most 24 for daily ones, 168 for weekly and 672 for monthly
    ones."""
    until: NotRequired[str | None]
    """Empty: it goes on until it is ended."""


class SeriesIn(TypedDict):
    """A series to create."""

    name: str
    """Editions add their number."""
    template: TemplateIn
    """A tournament without its name and times; replaced as a whole."""
    every: EveryEnum
    weekday: NotRequired[WeekdayEnum | NullEnum]
    """Of weekly ones. * `monday` - monday * `tuesday` - tuesday * `wednesday` - wednesday * `thursday` -
    thursday * `friday` - friday * `saturday` - saturday * `sunday` - sunday."""
    month_day: NotRequired[int | None]
    """Of monthly ones, 1 to 31; the last day of a month that is shorter."""
    timezone: NotRequired[str]
    """IANA name, such as Europe/Berlin. Times stay the same when its clocks change."""
    at: str
    """Hours and minutes by the clocks of the time zone, such as 20:00; registration ends then."""
    open_hours: NotRequired[int]
    """Registration opens so long before: at most 24 for daily ones, 168 for weekly and 672 for monthly
    ones. Default: 12."""
    until: NotRequired[str | None]
    """Empty: it goes on until it is ended."""


class SeriesPlan(TypedDict):
    """The series that a request would create, and its cost."""

    series: Series
    plan: Plan
    """Cost of one edition with the maximum number of entries."""


class Side(TypedDict):
    """An entry of a fixture. A fixture with a single entry is a bye."""

    entry: str
    player: str
    bot: str
    """The bot's name; for a pair both names, joined by " + "."""
    versions: list[EnteredVersion]
    """One for all seats of its side, or one per seat."""
    position: int
    """From 0, in the order of the pairing."""
    side: int
    """From 0. Equals position, unless several entries form a side, as in a movement."""


class Stage(TypedDict):
    """A stage of a tournament."""

    number: int
    format: str
    options: dict[str, Any]
    qualify: int | None
    boards_per_round: int
    rounds: int | None
    """Rounds of one pass with the current entries; null if too few, or if it depends on results."""
    field_digest: str
    state: StageState
    note: str
    """Why it ended; may be empty."""


class StageCost(TypedDict):
    """Maximum cost of a stage."""

    number: int
    format: str
    entries: int
    """Number of entries."""
    rounds: int | None
    """Rounds of one pass; null: depends on results."""
    passes: int
    """Maximum repetitions of the schedule."""
    fixtures: int
    tables: int
    boards: int
    """A board counts once per table that plays it."""
    decisions: int
    """Decisions of all seats."""
    cpu_s_most: float
    """If every bot uses its whole clock."""
    cpu_s_expected: float | None
    """Estimated from measured tables of the preset."""


class StageIn(TypedDict):
    """A stage: format, options, number of qualifiers and boards."""

    format: str
    """GET /games/{game}/presets/{preset} lists them."""
    options: NotRequired[dict[str, bool | int | str | None]]
    qualify: NotRequired[int | None]
    """Number of qualifiers from the previous stage; null: all remaining entries."""
    boards_per_round: NotRequired[int | None]
    """Null: the tournament's value."""


class StageStandings(TypedDict):
    """The standings of a stage after its closed rounds."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to request with first; null: none."""
    stage: int
    state: str
    rows: list[Standing]


class Standing(TypedDict):
    """A row of the standings."""

    entry: str
    player: str
    bot: str
    """The bot's name; for a pair both names, joined by " + "."""
    versions: list[EnteredVersion]
    """One for all seats of its side, or one per seat."""
    rank: int
    version: str
    """The first of ``versions``."""
    status: str
    """entered, or left: it does not play any more."""
    values: dict[str, Any]
    """All values that can order the table; fractions as texts n/d. In groups also ``group``, ``place``."""
    decided_by: str
    """The first value that differs from the row above."""


class SubscribedBot(TypedDict):
    """A bot that is entered in every edition."""

    id: str
    name: str


class Subscription(TypedDict):
    """A subscription: the bot's active version is entered in every edition."""

    player: str
    bot: SubscribedBot
    partner_bot: SubscribedBot | None
    """Null without a partner; a private bot is visible to owner, organiser and staff only."""
    created_at: str


class SubscriptionIn(TypedDict):
    """A bot of yours to enter in every edition."""

    bot: str
    partner_bot: NotRequired[str | None]
    """Another bot of yours, to enter as a pair."""
    accepts_partners: NotRequired[bool]
    """Must be true for formats with changing partners."""


class TableBrief(TypedDict):
    """The progress of a table, which is visible while the boards are sealed."""

    id: str
    rotation: int
    first_board: int
    board_count: int
    state: TableState
    boards_done: int


class TableRow(TableBrief):
    """A table in a list. The seats' conduct, started_at and finished_at are null while sealed."""

    fixture: str
    tournament: str
    stage: int
    round: int
    board_set: str
    is_sealed: bool
    """Whether results are still hidden from you."""
    attempt: int
    reruns: int
    reason: str | None
    """Why it waits ('runtime_unavailable: ...', 'boards_in_play: ...'), for all; why the last attempt
    failed, for organiser and staff. Null if there is nothing to say to the reader."""
    started_at: str | None
    finished_at: str | None
    seats: list[Seat]


class Table(TableRow):
    """A table. ``results``, ``record_sha256``, the seats' conduct and the times are null while sealed."""

    record_sha256: str | None
    sandbox_level: str
    engine_version: str
    revision: str
    runtime_artifacts: dict[str, str]
    """SHA-256 of the artefact by name of the runtime, for runtimes with artefacts."""
    results: list[Result] | None


class TournamentFieldsIn(TypedDict):
    """What TemplateIn, TournamentIn and TournamentChangeIn have in common."""

    ruleset: NotRequired[dict[str, bool | int | str | None] | None]
    """Options that differ from the preset's."""
    board_kind: NotRequired[BoardKind]
    """A deal board is one deal, a game board a whole game. * `deal` - deal boards * `game` - game boards."""
    board_plan: NotRequired[BoardPlan]
    """until_separated repeats the schedule until neighbours separate or the budget ends. * `fixed` - the
    rounds of the format, once * `until_separated` - again and again until neighbours separate or the
    budget ends."""
    most_passes: NotRequired[int | None]
    """Only of until_separated: 2 to 100. Empty: 10."""
    budget_cpu_s: NotRequired[int | None]
    """CPU-seconds all bots together may use; then the event pauses. Empty: no limit."""
    stages: NotRequired[list[StageIn] | None]
    """Left out: one stage of the first format that fits the preset."""
    clock: NotRequired[ClockIn | None]
    """Times a bot gets, in ms; what is left out keeps its default."""
    description: NotRequired[str]
    """Can be changed until the event is archived."""
    visibility: NotRequired[TournamentVisibility]
    fault_policy: NotRequired[FaultPolicy]
    tie_breaks: NotRequired[list[TieBreak] | None]
    """In order; the lot decides last. head_to_head may be listed twice: the second one (value
    head_to_head_2) compares the entries that are still level then."""
    scoring: NotRequired[Scoring]
    entry_policy: NotRequired[EntryPolicy]
    min_entries: NotRequired[int | None]
    """With fewer at the end of registration it is cancelled. Empty: as many as fill a table."""
    max_entries: NotRequired[int | None]
    """Empty: as many as the stages take."""
    co_organisers: NotRequired[list[str]]
    """Usernames. They may do what the organiser may, except name organisers and cancel, and are shown on
    the event's page. If the organiser enters a bot, only they and staff can rule."""


class TemplateIn(TournamentFieldsIn):
    """The template of every edition: a tournament without name and times."""

    preset: str
    boards_per_round: NotRequired[int]
    """More boards: less luck, more time. Default: 16."""
    entries_per_player: NotRequired[int]
    """Default: 1."""
    quarantine_hours: NotRequired[int]
    """A fixture that the platform could not play for so long is void. Default: 24."""
    review_hours: NotRequired[int]
    """Hours that results stay provisional after the last round: entrants can report problems, organisers
    can rule. 0: no review. Default: 0."""


class Tournament(TypedDict):
    """A tournament."""

    id: str
    kind: TournamentKind
    organiser: str
    series: str | None
    """Id of the series that it is an edition of."""
    edition: int | None
    state: TournamentState
    state_reason: str
    """Why it is in its state; may be empty."""
    state_at: str
    created_at: str
    game: str
    rules_version: int
    seats: int
    """Seats at a table."""
    sides: list[list[int]]
    """Seats of each side: pairs, or single seats in a free-for-all. A fixture has an entry for each side
    (in a movement one for each seat), and a table for each rotation of them."""
    preset: str
    ruleset: dict[str, Any]
    clock: dict[str, int]
    tie_breaks: list[TieBreak]
    co_organisers: list[str]
    """Usernames of the further organisers."""
    stages: list[Stage]
    cpu_s_spent: float | None
    """CPU-seconds used so far; null for everyone but the organiser until it is over."""
    review_until: str | None
    """When its review ends or ended; null before or without a review."""
    commitment: str
    revealed_at: str | None
    entrant_acts: list[EntrantAct]
    """Actions of organisers or staff who have or had an entry, the latest last."""
    entries: int
    """Number of entries now, or at the lock."""
    verbs: list[str]
    """Actions that you may take on it now."""
    editable: list[str]
    """Fields that you may change now."""
    name: str
    board_kind: BoardKind
    boards_per_round: int
    board_plan: BoardPlan
    most_passes: int
    budget_cpu_s: int | None
    description: str
    visibility: TournamentVisibility
    fault_policy: FaultPolicy
    scoring: Scoring
    entry_policy: EntryPolicy
    entries_per_player: int
    min_entries: int
    max_entries: int
    quarantine_hours: int
    review_hours: int
    closes_at: str | None
    starts_at: str | None


class TournamentChangeIn(TournamentFieldsIn):
    """Fields to change. ``editable`` of the tournament lists those that its state allows."""

    name: NotRequired[str]
    """As spectators read it."""
    preset: NotRequired[str]
    boards_per_round: NotRequired[int]
    """More boards: less luck, more time."""
    entries_per_player: NotRequired[int]
    quarantine_hours: NotRequired[int]
    """A fixture that the platform could not play for so long is void."""
    review_hours: NotRequired[int]
    """Hours that results stay provisional after the last round: entrants can report problems, organisers
    can rule. 0: no review."""
    closes_at: NotRequired[str | None]
    """Empty: the organiser locks the field."""
    starts_at: NotRequired[str | None]
    """Earliest start once locked. Empty: the organiser starts it."""


class TournamentIn(TemplateIn):
    """A tournament to create. Everything except name and preset has a default."""

    name: str
    """As spectators read it."""
    closes_at: NotRequired[str | None]
    """Empty: the organiser locks the field."""
    starts_at: NotRequired[str | None]
    """Earliest start once locked. Empty: the organiser starts it."""


class Version(TypedDict):
    """A version. entry_point, notes, reasons, suspended_reason and waiting_reason are null for everyone
    but the owner and staff."""

    id: str
    bot: str
    bot_name: str
    active_version: str | None
    """The version with which the bot enters tournaments. A new version does not replace it automatically."""
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
