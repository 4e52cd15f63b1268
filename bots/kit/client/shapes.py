"""What the API takes and answers, one class a schema of docs/openapi.yaml; a server may send more.

Generated from that file by shapes_writer.py beside it, in one piece however long: run that instead of
editing here. Times are texts in ISO 8601, UTC; exact fractions are texts ``n`` or ``n/d``. What only some
servers send is ``NotRequired``. Names that end in ``In`` are what a request takes.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

AdjudicationKind: TypeAlias = Literal["forfeit", "draw", "void", "lift"]
BatchState: TypeAlias = Literal["playing", "counted", "void"]
BoardKind: TypeAlias = Literal["deal", "game"]
BoardPlan: TypeAlias = Literal["fixed", "until_separated"]
BotVisibility: TypeAlias = Literal["public", "private"]
ByEnum: TypeAlias = Literal["bot", "referee"]
ChallengeInBoardKindEnum: TypeAlias = Literal["deal", "game"]
CheckState: TypeAlias = Literal["waiting", "running", "done", "failed"]
CommitmentState: TypeAlias = Literal["posted", "taken", "revealed"]
DeliveryState: TypeAlias = Literal["waiting", "delivered", "failed"]
DisplayKind: TypeAlias = Literal["table", "groups", "bracket", "heats", "movement"]
EntryPolicy: TypeAlias = Literal["open", "invited"]
EntryStatus: TypeAlias = Literal["pending", "entered", "withdrawn", "left"]
EveryEnum: TypeAlias = Literal["daily", "weekly", "monthly"]
ExperimentEnd: TypeAlias = Literal[
    "decided",
    "cap",
    "budget",
    "owner",
    "version",
    "cancelled",
    "faults",
    "deadline",
]
ExperimentState: TypeAlias = Literal["queued", "running", "accepted", "rejected", "inconclusive", "stopped"]
FaultPolicy: TypeAlias = Literal["substitute", "strict"]
FindingKind: TypeAlias = Literal["duel", "dump", "gang", "against", "receives", "often", "ruled"]
FindingSubject: TypeAlias = Literal["results", "forfeits", "waits", "rulings"]
LadderRoundKind: TypeAlias = Literal["floor", "overlap", "uniform"]
LadderRoundState: TypeAlias = Literal["open", "counted", "dropped"]
LadderSeasonState: TypeAlias = Literal["running", "ending", "archived"]
LadderState: TypeAlias = Literal["active", "off"]
LeftReason: TypeAlias = Literal["superseded", "idle", "suspended", "retired", "taken_off", "account_closed"]
LinkEnum: TypeAlias = Literal["same", "pair", "bundle"]
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
RatingCause: TypeAlias = Literal["closed", "rescored"]
RatingListKind: TypeAlias = Literal["events", "ladder"]
RatingPartner: TypeAlias = Literal["self", "strangers"]
RoundState: TypeAlias = Literal["planned", "open", "closed"]
Scoring: TypeAlias = Literal["match_points", "board_score"]
SeriesState: TypeAlias = Literal["active", "paused", "ended"]
StageState: TypeAlias = Literal["planned", "running", "done"]
StatementOutKindEnum: TypeAlias = Literal["registered", "locked", "final", "cancelled"]
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
WebhookChoice: TypeAlias = Literal["active", "paused"]
WebhookState: TypeAlias = Literal["active", "paused", "disabled"]
WeekdayEnum: TypeAlias = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class Act(TypedDict):
    """One answer."""

    seat: int
    action: str
    by: ByEnum
    verdict: str | None
    """Why the referee had to answer."""


class Adjudication(TypedDict):
    """A ruling on what counts of a fixture; the last one holds."""

    id: str
    number: int
    kind: AdjudicationKind
    entries: list[str]
    """Those that forfeit."""
    reason: str
    by: str | None
    """Null: the system, as when an entry leaves."""
    at: str


class AdjudicationIn(TypedDict):
    """What is to count of a fixture."""

    kind: AdjudicationKind
    """forfeit: by the entries named; draw: every board 0; void: for nobody; lift: as played. * `forfeit` -
    as if some entries had forfeited every table * `draw` - every board counts 0 * `void` - counts for
    nobody * `lift` - as played after all."""
    entries: NotRequired[list[str]]
    """Ids of the entries that forfeit; for forfeit alone."""
    reason: str
    """For all to read."""


class Audit(TypedDict):
    """One action."""

    at: str
    actor: str | None
    verb: str
    kind: str
    object: str
    before: dict[str, Any]
    after: dict[str, Any]


class Batch(TypedDict):
    """Boards that are played before the test is asked again."""

    number: int
    tournament: str
    """Everything about its tables is found at this tournament."""
    boards: int
    state: BatchState
    counted: int
    reason: str


class BatchProgress(TypedDict):
    """How far the batch under way is."""

    batch: int
    tables_done: int
    tables: int


class BecauseIn(TypedDict):
    """Why; it must be said."""

    reason: str
    """For all to read."""


class Board(TypedDict):
    """A board and how it went everywhere: how others did with the same cards."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to be asked for as first; null: none."""
    board_set: str
    number: int
    kind: str
    seed: str | None
    """Null while the set is open."""
    scores: list[BoardScore]
    """Best first."""
    results: list[Played]
    """As played, seat by seat."""


class EntryName(TypedDict):
    """Who an entry is, wherever one is named; what ``entry_named`` gives."""

    entry: str
    player: str
    bot: str
    """The bot's name; of a pair of versions both, joined by " + "."""
    versions: list[EnteredVersion]
    """One for all seats of its side, or one for each."""


class BoardScore(EntryName):
    """What an entry made of a board: its board score, and its place among all who played it."""

    fixture: str
    value: str
    """An exact fraction: n or n/d."""
    place: int
    """From 1; equal scores share a place."""


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


class Cell(TypedDict):
    """How one entry did against another, from the side of the row; closed rounds only."""

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


class ChallengeIn(TypedDict):
    """A challenge to make: one version a side, in the order of the sides."""

    versions: list[str]
    """Ready versions: one's own, or those of public bots. Each plays all seats of its side."""
    preset: str
    boards: NotRequired[int]
    board_kind: NotRequired[ChallengeInBoardKindEnum]
    ruleset: NotRequired[dict[str, bool | int | str | None]]
    """Options that differ from the preset's."""
    clock: NotRequired[ClockIn]
    name: NotRequired[str]


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
    """Milliseconds on the wall. Default: 3000."""
    increment_cpu_ms: NotRequired[int]
    """Milliseconds of CPU. Default: 20."""
    bank_cpu_ms_per_deal_board: NotRequired[int]
    """Milliseconds of CPU. Default: 500."""
    bank_cpu_ms_per_game_board: NotRequired[int]
    """Milliseconds of CPU. Default: 5000."""
    decision_cpu_cap_ms: NotRequired[int]
    """Milliseconds of CPU. Default: 2000."""


class Column(TypedDict):
    """What stands in one column."""

    title: str
    slots: list[Slot]


class Commitment(TypedDict):
    """A secret bound under a number before anybody knew what would take it."""

    number: int
    state: CommitmentState
    digest: str
    posted_at: str
    key: str
    """Of the site, that signed it."""
    signature: str
    taken_at: str | None
    posted_ahead: bool | None
    """false: the queue was empty, and it was posted for what took it; null while it is free."""
    tournament: str | None
    """What took it, if you may see that."""
    revealed_at: str | None
    secret: str | None
    """Hex; null until it is revealed."""
    reason: str


class CrossRow(EntryName):
    """One entry against all it met."""

    against: list[Cell]


class Crosstable(TypedDict):
    """Everybody against everybody in one stage, in the order of the standings."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to be asked for as first; null: none."""
    stage: int
    rows: list[CrossRow]


class Delivery(TypedDict):
    """One event on its way to one webhook, or arrived, or failed."""

    id: str
    webhook_id: str
    """The header webhook-id of all its attempts."""
    event: int | None
    """Null for a test ping."""
    kind: str
    state: DeliveryState
    attempts: int
    next_at: str | None
    """No attempt before; null once it is over."""
    expires_at: str
    """Waiting longer, it has failed."""
    last_status: int | None
    """HTTP status of the last attempt; null: no answer."""
    last_error: str
    """Why the last attempt failed: code and words."""
    duration_ms: int | None
    """What the last attempt took."""
    created_at: str
    attempted_at: str | None
    delivered_at: str | None
    payload: str
    """The body as it is sent: JSON."""


class Display(TypedDict):
    """How a stage looks on paper; entries by id, with their names beside it."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to be asked for as first; null: none."""
    stage: int
    format: str
    kind: DisplayKind
    sections: list[Section]
    names: dict[str, EntryName]
    """Who they are, by id of the entry."""


class EnteredVersion(TypedDict):
    """A version as entered."""

    id: str
    bot: str
    """The bot's name."""
    number: int
    bundle_sha256: str


class EntrantAct(TypedDict):
    """An act of an organiser or staff member with an entry."""

    verb: VerbEnum
    count: int
    """How often."""
    at: str
    """The last time."""


class Entry(TypedDict):
    """An entry. ``verbs`` are what the asker may do with it now."""

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
    """What the organiser sets of an entry until the lock."""

    seed: NotRequired[int | None]
    """The place in the order. Without one: by lot, after all that have one."""


class EntryIn(TypedDict):
    """A ready version to enter, or two that play as a pair, the first named in the lower seat. The second
    one may be somebody else's: the entry is then ``pending`` until that owner confirms."""

    version: str
    partner_version: NotRequired[str | None]
    accepts_partners: NotRequired[bool]
    """Where partners are mixed: you agree that it partners everybody in turn."""
    seed: NotRequired[int | None]
    """Set by the organiser only."""


class EntryPairIn(TypedDict):
    """Two entries whose fixtures are to be void."""

    entries: list[str]
    reason: str
    """For all to read."""


class Event(TypedDict):
    """Something that happened. The same object is the body of webhooks and the data of the stream."""

    id: int
    """Grows; what Last-Event-ID resumes from."""
    type: str
    """Such as round.closed."""
    timestamp: str
    """When it happened."""
    tournament: str | None
    """The tournament it belongs to, if any."""
    thing: Thing
    data: dict[str, Any]
    """Depends on the type; never anything sealed."""


class Evidence(TypedDict):
    """The evidence after a board."""

    number: int
    """Of the board among all that counted, from 1."""
    batch: int
    """The batch it was played in, by number."""
    board: int
    """Its number in that batch's board set."""
    score: str
    """What the test got of it, in stones: n or n/d."""
    evidence: float
    """The logarithm of the odds so far: it ends the experiment at lower or at upper."""


class Experiment(TypedDict):
    """An experiment: what was asked, and where it stands."""

    id: str
    owner: str
    candidate: EnteredVersion
    baseline: EnteredVersion
    is_field: bool
    game: str
    preset: str
    ruleset: Any
    seats: int
    sides: int
    board_kind: BoardKind
    clock: Any
    difference: float
    alpha: float
    beta: float
    cap: int
    boards_per_batch: int
    budget_cpu_s: int
    cpu_s_spent: float
    """Of all bots, void batches included."""
    state: ExperimentState
    state_reason: str
    end_code: ExperimentEnd | NullEnum
    boards: int
    evidence: float
    """The logarithm of the odds so far: it ends the experiment at lower or at upper."""
    lower: float
    """Evidence that rejects."""
    upper: float
    """Evidence that accepts."""
    expected_remaining: int | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    verbs: list[str]
    """What can be done with it now."""


class ExperimentFull(Experiment):
    """An experiment with its batches and the evidence after each board."""

    opponents: list[EnteredVersion]
    """The field; or house greedy, who takes the other sides of a table of more than two."""
    gain: Gain | None
    """Null before the first batch is closed."""
    progress: BatchProgress | None
    """Null unless a batch is played."""
    batches: list[Batch]
    path: list[Evidence]
    """Of all boards that counted, in order."""


class ExperimentIn(TypedDict):
    """An experiment to make."""

    candidate: str
    """A ready version of one's own: the new one."""
    baseline: str
    """A ready version of one's own, or of a public bot: the old one."""
    preset: str
    ruleset: NotRequired[dict[str, bool | int | str | None]]
    """Options that differ from the preset's."""
    board_kind: NotRequired[BoardKind]
    clock: NotRequired[ClockIn]
    field: NotRequired[list[str]]
    """Both versions meet all you choose, on the same boards. Without a choice they meet each other."""
    difference: NotRequired[float]
    """The smallest gain you care for, in stones a board. Half of it takes four times the boards. Default:
    0.2."""
    alpha: NotRequired[float]
    """How often a version that is no better may be called better; 0.05 is 5 %. Default: 0.05."""
    beta: NotRequired[float]
    """How often one that gains so much may be missed. Default: 0.05."""
    cap: NotRequired[int]
    """Without a verdict by then it ends. Default: 2000."""
    boards_per_batch: NotRequired[int]
    """Played before the test is asked again. Default: 40."""
    budget_cpu_s: NotRequired[int]
    """CPU-seconds that all bots of it may use: no batch begins once they have."""


class Fairness(TypedDict):
    """What lets anybody check that the deals were fixed before play."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to be asked for as first; null: none."""
    tournament: str
    commitment: str
    """SHA-256 of the secret; empty before registration."""
    commitment_number: int | None
    """In the queue of commitments; null of an event, which takes none."""
    secret: str | None
    """Hex; null until final or cancelled."""
    revealed_at: str | None
    statements: list[Statement]
    """In the order in which they were made."""
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


class FaultGroupDetail(FaultGroup):
    """A group of faults, and how long the bot took for its last decisions up to the sample."""

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
    entries: list[str]
    """Who plays the stage, once that is fixed: their bundles are in the statement `locked`."""


class FieldError(TypedDict):
    """One wrong field."""

    field: str
    """Dotted path; empty for the whole body."""
    code: str
    detail: str


class FinalLine(TypedDict):
    """A line of a final table: a line of the list of ratings as it was when the season was archived."""

    version: str
    """Its id."""
    partner: RatingPartner
    estimate: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    fixtures: int
    boards: int
    degrees: int
    reasons: list[Missing]


class Finding(TypedDict):
    """What stands out."""

    number: int
    subject: FindingSubject
    kind: FindingKind
    entry: Flagged | None
    """Who gained, or did it; null: several."""
    other: Flagged | None
    """The other; null: nobody in particular."""
    is_with_strangers: bool
    residual: float | None
    error: float | None
    seen: int | None
    meetings: int
    expected: float | None
    boards: int
    p: float | None
    q: float | None
    odd_boards: list[OddBoard]
    """To look at, the largest first."""
    ruler: str | None
    """Of rulings: username of the account that ruled; null otherwise."""
    link: LinkEnum
    fixtures: list[str]
    """Of rulings: ids of the fixtures ruled on."""


class Fixture(TypedDict):
    """A fixture. While its boards are sealed an ended one is ``done``, and when it ended is null."""

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


class FixtureDetail(Fixture):
    """A fixture with board scores and rulings; scores are null while sealed."""

    scores: list[Score] | None
    adjudications: list[Adjudication]


class Flagged(TypedDict):
    """Somebody in a report: a version in that of a list, an entry in that of an event."""

    id: str
    """Of the version or of the entry."""
    player: str
    bot: str
    """Name and version; of a pair both."""


class Format(TypedDict):
    """A format a stage can be played in."""

    key: str
    title: str
    needs_results: bool
    """A round is drawn only once those before it are done."""
    mixes_partners: bool
    """Every entry holds one seat; its owner must have said accepts_partners."""
    repeats: bool
    """It can be played until_separated."""
    options: list[Option]


class Gain(TypedDict):
    """What the boards say of the gain, in stones a board."""

    mean: float
    """Of the boards. After an early stop it flatters the side that won: see corrected."""
    anytime_low: float | None
    """95 %, at whatever moment one looks and whyever one stopped."""
    anytime_high: float | None
    corrected: float | None
    """The mean corrected for having stopped early; null unless it was decided."""
    widened_low: float | None
    """95 %, about the mean, widened for having stopped; null while it goes on."""
    widened_high: float | None


class Game(TypedDict):
    """A game on offer."""

    key: str
    rules_version: int
    presets: list[str]


class Invitation(TypedDict):
    """An invitation."""

    player: str
    created_at: str


class InvitationIn(TypedDict):
    """A player to invite."""

    player: str
    """The player's handle."""


class Ladder(TypedDict):
    """Where versions play the rules of a preset for as long as they stay."""

    id: str
    name: str
    """Preset, and seats where there is a choice of them, such as ``kakkuri.league:5``."""
    game: str
    preset: str
    board_kind: BoardKind
    seats: int
    boards: int
    cpu_s_per_day: int
    state: LadderState
    placed: int
    """Versions on it now."""
    season: LadderSeason | None
    """The one that runs; null before the first round."""
    created_at: str


class LadderRound(TypedDict):
    """A round of a ladder, the tournament it is, and the reasons of its fixtures."""

    id: str
    ladder: str
    season: str
    number: int
    kind: LadderRoundKind
    state: LadderRoundState
    reason: str
    tournament: str
    drawn_at: str
    ended_at: str | None
    contenders: list[str]
    """Ids of the versions that were on the ladder."""
    contenders_digest: str
    left_over: list[str]
    """Those without a fixture: first in the next."""
    pairings: list[Pairing]


class LadderSeason(TypedDict):
    """A stretch of time whose rounds are rated together."""

    id: str
    ladder: str
    name: str
    begins_at: str
    ends_at: str
    state: LadderSeasonState
    rounds: int
    """That count."""
    list: str | None
    """Its list of ratings, for /ratings?list=; null before its first round counts."""
    archived_at: str | None


class LadderSeasonWhole(LadderSeason):
    """A season with its final table."""

    final: list[FinalLine]
    """Empty until it is archived."""


class Limits(TypedDict):
    """The limits of this installation; names say units."""

    clock_defaults: dict[str, int]
    clock_bounds: dict[str, list[int]]
    process: dict[str, float]
    bundle: dict[str, int]
    throttles: dict[str, str]
    """Requests by account; anonymous: by address."""
    bots_per_player: int
    challenges_per_day: int
    """Of an account, within 24 hours."""
    challenge_worker_s_per_day: int
    """Seconds that an account's challenges may hold workers within 24 hours."""
    experiments_per_day: int
    """Of an account, within 24 hours."""
    experiment_cpu_s: int
    """CPU-seconds an experiment may use at most."""
    experiment_cpu_s_per_day: int
    """CPU-seconds an account's experiments may use within 24 hours."""
    page_size_max: int


class Me(TypedDict):
    """Who is asking."""

    id: str
    username: str
    handle: str | None
    """Public name; null until the first bot."""
    is_organiser: bool
    is_staff: bool
    scopes: list[TokenScope]
    """What this request's token may do."""


class Meeting(TypedDict):
    """One edition to come."""

    tournament: NotRequired[str | None]
    """Id of the edition if it is open for entry; null if it is not made yet."""
    opens_at: str
    """Registration opens."""
    starts_at: str
    """Registration ends and play begins."""


class Missing(TypedDict):
    """What is missing before a version can be compared."""

    code: str
    """fixtures, boards, degrees, few_fixtures_of_all, not_connected, not_estimable or alone."""
    have: float
    need: float


class Moment(TypedDict):
    """What one decision took."""

    board: int
    decision: int
    cpu_ms: float
    wall_ms: float
    verdict: str
    """Of a faulted one; else empty."""


class Notes(TypedDict):
    """A solver's notes on a table: ``rensho-notes/1``."""

    format: str
    record_sha256: str
    solver: str
    """Name and version of the method."""
    boards: dict[str, dict[str, Any]]
    """By board, then by step: docs/views.md."""


class Notice(TypedDict):
    """Something the account is told."""

    id: str
    kind: NoticeKind
    text: str
    url_path: str
    url: str
    """The page to read on; empty if there is none."""
    created_at: str
    read_at: str | None


class OddBoard(TypedDict):
    """A board to look at."""

    board_set: str
    fixture: str
    board: int
    stones: float | None
    """Beyond what strengths say; null of forfeits and waits."""


class Option(TypedDict):
    """One option of a format."""

    name: str
    kind: str
    """integer or boolean."""
    default: int | bool | None
    """Null: chosen by the size of the field."""
    meaning: str


class PairReason(TypedDict):
    """What a meeting of two would tell, as it was expected when the round was drawn."""

    version: str
    other: str
    difference: float
    """Of their strengths, in stones a board."""
    error: float
    """The standard error of that."""
    gain: float
    """Chance of the wrong order, times the error, by what it costs."""


class PairRuling(TypedDict):
    """A ruling on a pair: their fixtures are void in an event, or left out of a list, until it is lifted."""

    id: str
    pair: list[Flagged]
    fixtures: int
    """How many it covers."""
    reason: str
    by: str
    at: str
    lifted_at: str | None
    lifted_by: NotRequired[str | None]
    lift_reason: str


class Pairing(TypedDict):
    """Who meets at a fixture, and why."""

    versions: list[str]
    """Ids, in the order of sides."""
    kind: LadderRoundKind
    pairs: list[PairReason]


class Placement(TypedDict):
    """A version on a ladder, from the day it was put there until it left."""

    id: str
    ladder: str
    player: str
    version: EnteredVersion
    since: str
    left_at: str | None
    left_reason: LeftReason | NullEnum


class PlacementIn(TypedDict):
    """A version of one's own to put on a ladder."""

    version: str
    season: NotRequired[str]
    """The season meant, such as 2026-Q4; refused if another one runs. Without: whichever runs."""


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


class Played(TypedDict):
    """One seat's result on a board, with the table it was played at and who sat there."""

    table: str
    fixture: str
    rotation: int
    seat: int
    entry: str
    bot: str
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
    """An error (RFC 9457). ``code`` is stable; further members depend on it, such as allowed_now. ``type``
    is the address of its explanation on this site."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: NotRequired[list[FieldError]]


class ProblemReport(TypedDict):
    """A problem that an entrant reported; open until it is answered."""

    id: str
    entry: str
    reporter: str
    text: str
    created_at: str
    answer: str
    closed_at: str | None
    closed_by: str | None


class ProblemReportIn(TypedDict):
    """A problem to report, and the entry it concerns."""

    entry: str
    """One's own."""
    text: str


class Rating(TypedDict):
    """A version in a list: its strength in stones a board against the average, or why there is none yet."""

    preset: str
    season: str
    player: str
    version: EnteredVersion
    list: str
    partner: RatingPartner
    estimate: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    fixtures: int
    boards: int
    degrees: int
    reasons: list[Missing]
    """Empty where there is an estimate."""


class RatingChange(TypedDict):
    """What a line came to say after a board set was closed, or its scores were changed."""

    at: str
    cause: RatingCause
    preset: str
    season: str
    board_set: str | None
    tournament: str | None
    list: str
    partner: RatingPartner
    estimate: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    fixtures: int
    boards: int
    degrees: int
    reasons: list[Missing]
    """Why there is no estimate any more."""


class RatingList(TypedDict):
    """Versions that are compared with each other: all who played the same rules in a season."""

    id: str
    kind: RatingListKind
    game: str
    preset: str
    board_kind: BoardKind
    seats: int
    season: str
    ladder_season: str
    sets: int
    fixtures: int
    boards: int
    rated: int
    unrated: int
    misfit: float
    revision: int
    made_at: str | None
    digest: str


class Reason(TypedDict):
    """One reason for a rejection."""

    code: str
    message: str


class ReasonIn(TypedDict):
    """Why, in words that all may read."""

    reason: NotRequired[str]


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


class ReportAnswerIn(TypedDict):
    """The answer that closes a report."""

    answer: str


class ReportRow(TypedDict):
    """A report on a list of ratings or on an event: what it follows from, and how much stands out."""

    list: str | None
    tournament: str | None
    name: str
    """Of the list or the event."""
    revision: int
    made_at: str | None
    sets: int
    fixtures: int
    pairs: int
    tables: int
    tables_missing: int
    flagged: int


class ReportDetail(ReportRow):
    """A report with all that stands out, and the rulings on pairs of the same list or event."""

    findings: list[Finding]
    rulings: list[PairRuling]
    """The latest first."""


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


class Season(TypedDict):
    """The table of a season of a cup: it follows from the places, and these from final standings."""

    series: str
    season: str
    """Empty before any event is over."""
    seasons: list[str]
    """All there are, newest first."""
    rules: SeasonRules
    events: list[SeasonEvent]
    rows: list[SeasonRow]


class SeasonEvent(TypedDict):
    """An event that is over: a tournament."""

    id: str
    name: str
    edition: int
    starts_at: str
    placed: list[SeasonPlace]


class SeasonPlace(TypedDict):
    """Who got points in an event."""

    entry: str
    player: str
    bot: str
    """The bot's name; of a pair both, joined by " + "."""
    place: int
    """Of those who share it the best."""
    shared_by: int
    """How many share it; 1: nobody else."""
    points: str
    """An exact fraction: n or n/d."""


class SeasonResult(TypedDict):
    """What somebody got in one event."""

    event: str
    place: int
    points: str
    """An exact fraction: n or n/d."""
    counts: bool


class SeasonRow(TypedDict):
    """A line of the table."""

    rank: int
    """Equal for equals."""
    player: str
    bot: str
    """The bot's name; of a pair both, joined by " + "."""
    points: str
    """An exact fraction: n or n/d."""
    results: list[SeasonResult]


class SeasonRules(TypedDict):
    """How places become points, and which events count."""

    points: list[int]
    """Of the first place, the second and so on."""
    one_dropped_of: int
    """The worst of every so many events does not count; 0: all count."""
    counting: int
    """So many events count for each now."""


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


class Section(TypedDict):
    """One part of it, such as a group or the bracket of the losers."""

    title: str
    columns: list[Column]


class Seeds(TypedDict):
    """The seeds of one closed board set."""

    stage: int
    round: int
    board_set: str
    seeds: dict[str, str] | None
    """Null while sealed."""


class Series(TypedDict):
    """A recurring cup."""

    id: str
    name: str
    organiser: str
    every: EveryEnum
    weekday: WeekdayEnum | NullEnum
    month_day: int | None
    timezone: str
    at: str
    """By the clocks of timezone, such as 20:00."""
    open_hours: int
    until: str | None
    state: SeriesState
    state_reason: str
    """Why it is in its state; may be empty."""
    next_at: str | None
    """When the next edition starts, the one open for entry first; null once ended."""
    last_edition: int
    template: dict[str, Any]
    """Fields of a tournament."""
    ahead: list[Meeting]
    """The next editions: those open for entry, then the planned ones if it is active."""
    verbs: list[str]
    """What the asker may do with it now."""
    created_at: str


class SeriesChangesIn(TypedDict):
    """What of a series can be changed; editions made already stay as they are."""

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
    """A series to make."""

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
    """What a series would be, if it were made."""

    series: Series
    plan: Plan
    """Of one edition, with as many entries as may be."""


class Side(EntryName):
    """One entry of a fixture; a single one has a bye, or sits the round out."""

    position: int
    """From 0, in the order of the pairing."""
    side: int
    """From 0. The position, unless several entries make up a side, as in a movement."""


class Slot(TypedDict):
    """One place of a bracket, a group or a round."""

    round: int | None
    fixture: int | None
    """Its number within the round."""
    entries: list[str | None]
    winner: str | None
    """From closed rounds only."""
    note: str


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
    """Why it ended; may be empty."""


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


class StageStandings(TypedDict):
    """The standings of one stage after its closed rounds."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to be asked for as first; null: none."""
    stage: int
    state: str
    rows: list[Standing]


class Standing(EntryName):
    """One line of the standings."""

    rank: int
    version: str
    """The first of ``versions``."""
    status: str
    """entered, or left: it plays no more."""
    values: dict[str, Any]
    """Everything that can order the table; fractions as n/d text. In groups also ``group`` and ``place``."""
    decided_by: str
    """The first value that told it from the row above."""


class Statement(TypedDict):
    """What the event has bound itself to, signed."""

    kind: StatementOutKindEnum
    at: str
    digest: str
    """SHA-256 of the body in its canonical form."""
    key: str
    """Id of the key that signed it, as in /.well-known/rensho-key."""
    signature: str
    """Ed25519, 128 hex digits."""
    body: str
    """Where the body is, in its canonical form."""


class Step(TypedDict):
    """One state of a board, and the answers that led there."""

    step: int
    """From 0, the state before anybody was asked."""
    acts: list[Act]
    to_act: list[int]
    observations: dict[str, dict[str, Any]]
    """What was to be seen, by seat: docs/bot-protocol.md."""


class SubscribedBot(TypedDict):
    """A bot that is entered each time."""

    id: str
    name: str


class Subscription(TypedDict):
    """A bot whose active version is entered in every edition."""

    player: str
    bot: SubscribedBot
    partner_bot: SubscribedBot | None
    """Null without one, and of a private one for all but owner, organiser and staff."""
    created_at: str


class SubscriptionIn(TypedDict):
    """A bot of one's own to enter in every edition."""

    bot: str
    partner_bot: NotRequired[str | None]
    """Another of one's own, for a pair of two."""
    accepts_partners: NotRequired[bool]
    """Must be true where everybody partners everybody in turn."""


class TableBrief(TypedDict):
    """A table's progress: all that shows while the boards are sealed."""

    id: str
    rotation: int
    first_board: int
    board_count: int
    state: TableState
    boards_done: int


class TableRow(TableBrief):
    """A table in a list. The seats' conduct is null while sealed, and so is when it began and ended."""

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
    """A table. ``results``, the record's hash, the seats' conduct and the times are null while sealed."""

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
    """What every edition is like: a tournament without its name and times."""

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


class Thing(TypedDict):
    """What an event is about."""

    kind: str
    """tournament, round, fixture, entry, table, botversion, series."""
    id: str


class Token(TypedDict):
    """A token without its text."""

    id: str
    name: str
    scopes: list[TokenScope]
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None


class TokenIn(TypedDict):
    """A token to make."""

    name: str
    scopes: list[TokenScope]
    expires_at: NotRequired[str | None]


class TokenMade(Token):
    """A new token with its text, shown this once."""

    token: str
    """Keep it: it cannot be shown again."""


class Tournament(TypedDict):
    """A tournament. ``verbs`` are what the asker may do with it now, ``editable`` the fields to change."""

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
    name: str
    preset: str
    ruleset: dict[str, Any]
    board_kind: BoardKind
    boards_per_round: int
    board_plan: BoardPlan
    most_passes: int
    budget_cpu_s: int | None
    stages: list[Stage]
    clock: dict[str, int]
    description: str
    visibility: TournamentVisibility
    fault_policy: FaultPolicy
    tie_breaks: list[TieBreak]
    scoring: Scoring
    entry_policy: EntryPolicy
    entries_per_player: int
    min_entries: int
    max_entries: int
    quarantine_hours: int
    review_hours: int
    closes_at: str | None
    starts_at: str | None
    co_organisers: list[str]
    """Usernames of the further organisers."""
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


class TournamentChangeIn(TournamentFieldsIn):
    """Fields to change; ``editable`` of the tournament names those that its state allows."""

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
    """A tournament to make; everything but name and preset has a default."""

    name: str
    """As spectators read it."""
    closes_at: NotRequired[str | None]
    """Empty: the organiser locks the field."""
    starts_at: NotRequired[str | None]
    """Earliest start once locked. Empty: the organiser starts it."""


class Version(TypedDict):
    """A version. Entry point, notes, reasons, suspended_reason and waiting_reason are null for everybody
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


class VersionIn(TypedDict):
    """An upload."""

    bundle: bytes
    """A .zip or single .py file with the bot."""
    notes: NotRequired[str]


class VersionPairIn(TypedDict):
    """Two versions whose fixtures a list is to leave out."""

    versions: list[str]
    reason: str
    """For all to read."""


class View(TypedDict):
    """A table as something to look at: ``rensho-view/1``."""

    format: str
    record_sha256: str
    """Of the record it was made from."""
    game: str
    preset: str
    options: dict[str, Any]
    """The options that differ from the preset's."""
    seats: int
    """How many."""
    sides: list[list[int]]
    """Who plays with whom."""
    numbers: list[int]
    """All boards of the table, of which boards may hold one."""
    boards: list[ViewBoard]
    forfeited: list[int]
    """Seats whose conduct forfeited the table."""


class ViewBoard(TypedDict):
    """A board of a table, deal by deal."""

    board: int
    kind: str
    result: dict[str, int]
    """Won or lost, by seat."""
    deals: list[dict[str, Any]]
    """Hands, plays and results: docs/views.md."""


class Webhook(TypedDict):
    """A webhook without its secret."""

    id: str
    name: str
    url: str
    kinds: list[str]
    """Kinds of events, such as round.closed, or families such as round.*; none are all."""
    tournament: NotRequired[str | None]
    state: WebhookState
    state_reason: str
    failures: int
    """Failed attempts in a row."""
    failing_since: str | None
    rests_until: str | None
    """After failures nothing is sent before this."""
    missed: int
    """Events not queued because too many deliveries waited."""
    old_secret_until: str | None
    """Until then the secret before the present one signs, too."""
    created_at: str
    delivered_at: str | None


class WebhookChangesIn(TypedDict):
    """What of a webhook can be changed."""

    url: NotRequired[str]
    """https, a public host."""
    kinds: NotRequired[list[str]]
    """Kinds of events, such as round.closed, or families such as round.*; none are all."""
    tournament: NotRequired[str | None]
    """Only its events; null: all you may see."""
    name: NotRequired[str]
    state: NotRequired[WebhookChoice]


class WebhookIn(TypedDict):
    """A webhook to make."""

    url: str
    """https, a public host."""
    kinds: NotRequired[list[str]]
    """Kinds of events, such as round.closed, or families such as round.*; none are all."""
    tournament: NotRequired[str | None]
    """Only its events; null: all you may see."""
    name: NotRequired[str]


class WebhookMade(Webhook):
    """A webhook with its new secret, shown this once."""

    secret: str
    """Keep it: it cannot be shown again."""


class WithdrawIn(TypedDict):
    """Why, and whether only as long as the entry can come back."""

    reason: NotRequired[str]
    may_leave: NotRequired[bool]
    """false: refuse with `field_fixed` after the lock, when withdrawing means leaving for good."""
