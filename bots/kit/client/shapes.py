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
    """Board score a board, in stones."""
    boards: int
    low: float | None
    """Lower end of the 95 % interval; null with a single board."""
    high: float | None
    mark: str
    """** if the interval of 99 % leaves out 0, * if that of 95 % does."""
    match_points: int


class Check(TypedDict):
    """The latest check of a version. ``reinstates``: it was requested to end a suspension."""

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
    """The bot's name; of a pair of versions both, joined by " + "."""
    versions: list[EnteredVersion]
    """One for all seats of its side, or one for each."""
    against: list[Cell]


class Crosstable(TypedDict):
    """Results of all pairs of entries of a stage, in the order of the standings."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to be asked for as first; null: none."""
    stage: int
    rows: list[CrossRow]


class Edition(TypedDict):
    """A future edition of a series."""

    tournament: str | None
    """Id of the edition if it is open for entry; null if it is not made yet."""
    opens_at: str
    """Registration opens."""
    starts_at: str
    """Registration ends and play begins."""


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
    """How often."""
    at: str
    """The last time."""


class Entry(TypedDict):
    """An entry of a tournament."""

    id: str
    tournament: str
    player: str
    partner: str | None
    """Handle of the player whose version plays the higher seat, if that is another one."""
    version: EnteredVersion
    partner_version: EnteredVersion | None
    accepts_partners: bool
    seed: int | None
    status: EntryStatus
    status_reason: str
    status_at: str
    left_stage: int | None
    """The stage in which it left."""
    left_round: int | None
    """The last round it was drawn into; 0: none."""
    is_organisers_own: bool
    created_at: str
    verbs: list[str]
    """What the asker may do with it now."""


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
    """Where partners are mixed: you agree that it partners everybody in turn."""
    seed: NotRequired[int | None]
    """Set by the organiser only."""


class Fault(TypedDict):
    """One fault with all details."""

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
    """Where the sample happened; empty for the check's trial table."""
    tournament: str
    """Of that table; empty for the check's trial table."""
    seat: int
    """The bot's seat in the sample."""
    sample: Fault
    """The latest of them."""
    reproduce: str
    """The command, once the file is downloaded."""
    links: FaultLinks


class FaultLinks(TypedDict):
    """URLs of related resources; null where there is none."""

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
    """Whether results stay closed to the asker for now."""
    same_owner: bool
    """Two of its entries have an owner in common."""
    sides: list[Side]
    tables: list[TableBrief]


class Format(TypedDict):
    """A format of stages."""

    key: str
    title: str
    needs_results: bool
    """A round is drawn only once those before it are done."""
    mixes_partners: bool
    """Every entry holds one seat; its owner must have said accepts_partners."""
    repeats: bool
    """It can be played until_separated."""
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
    """What this request's token may do."""


class Notice(TypedDict):
    """A message to your account."""

    id: str
    kind: NoticeKind
    note: dict[str, Any]
    """`code` of the text, with its values."""
    text: str
    url_path: str
    url: str
    """The page to read on; empty if there is none."""
    created_at: str
    read_at: str | None


class Option(TypedDict):
    """An option of a format."""

    name: str
    kind: str
    """integer or boolean."""
    default: int | bool | None
    """Null: chosen by the size of the field."""
    meaning: str


class Plan(TypedDict):
    """Maximum cost of a tournament, with all passes and without byes."""

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
    """Empty before any event is over."""
    seasons: list[str]
    """All there are, newest first."""
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
    """The bot's name; of a pair both, joined by " + "."""
    entry: str
    place: int
    """Of those who share it the best."""
    shared_by: int
    """How many share it; 1: nobody else."""
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
    """The bot's name; of a pair both, joined by " + "."""
    rank: int
    """Equal for equals."""
    points: str
    """An exact fraction: n or n/d."""
    results: list[SeasonResult]


class SeasonRules(TypedDict):
    """How places become points, and which tournaments count."""

    points: list[int]
    """Of the first place, the second and so on."""
    one_dropped_of: int
    """The worst of every so many events does not count; 0: all count."""
    counting: int
    """So many events count for each now."""


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
    """By the clocks of timezone, such as 20:00."""
    state: SeriesState
    state_reason: str
    """Why it is in its state; may be empty."""
    next_at: str | None
    """When the next edition starts, the one open for entry first; null once ended."""
    last_edition: int
    ahead: list[Edition]
    """The next editions: those open for entry, then the planned ones if it is active."""
    verbs: list[str]
    """What the asker may do with it now."""
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
    """Of one edition, with as many entries as may be."""


class Side(TypedDict):
    """An entry of a fixture. A fixture with a single entry is a bye."""

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


class Stage(TypedDict):
    """A stage of a tournament."""

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
    """Why it ended; may be empty."""


class StageCost(TypedDict):
    """Maximum cost of a stage."""

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
    """A stage: format, options, number of qualifiers and boards."""

    format: str
    """GET /games/{game}/presets/{preset} lists them."""
    options: NotRequired[dict[str, bool | int | str | None]]
    qualify: NotRequired[int | None]
    """How many of the stage before play in it; null: all who are still in."""
    boards_per_round: NotRequired[int | None]
    """Null: the tournament's."""


class StageStandings(TypedDict):
    """The standings of a stage after its closed rounds."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to be asked for as first; null: none."""
    stage: int
    state: str
    rows: list[Standing]


class Standing(TypedDict):
    """A row of the standings."""

    entry: str
    player: str
    bot: str
    """The bot's name; of a pair of versions both, joined by " + "."""
    versions: list[EnteredVersion]
    """One for all seats of its side, or one for each."""
    rank: int
    version: str
    """The first of ``versions``."""
    status: str
    """entered, or left: it plays no more."""
    values: dict[str, Any]
    """Everything that can order the table; fractions as n/d text. In groups also ``group`` and ``place``."""
    decided_by: str
    """The first value that told it from the row above."""


class SubscribedBot(TypedDict):
    """A bot that is entered in every edition."""

    id: str
    name: str


class Subscription(TypedDict):
    """A subscription: the bot's active version is entered in every edition."""

    player: str
    bot: SubscribedBot
    partner_bot: SubscribedBot | None
    """Null without one, and of a private one for all but owner, organiser and staff."""
    created_at: str


class SubscriptionIn(TypedDict):
    """A bot of yours to enter in every edition."""

    bot: str
    partner_bot: NotRequired[str | None]
    """Another of one's own, for a pair of two."""
    accepts_partners: NotRequired[bool]
    """Must be true where everybody partners everybody in turn."""


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
    """Whether results stay closed to the asker for now."""
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
    """SHA-256 of its artefact by the name of each runtime that was played on and takes one."""
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
    """The recurring cup it is an edition of."""
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
    """CPU-seconds used so far; for the organiser, for all once it is over."""
    review_until: str | None
    """When its review ends or ended; null without a review, and before the first."""
    commitment: str
    revealed_at: str | None
    entrant_acts: list[EntrantAct]
    """What organisers or staff who have or had an entry did, where they may, the latest last."""
    entries: int
    """How many are entered, or were at the lock."""
    verbs: list[str]
    """What the asker may do with it now."""
    editable: list[str]
    """What the asker may change of it now."""
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
    """The version that the bot enters with now, which a new one does not replace by itself."""
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
