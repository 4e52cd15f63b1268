"""Models: board sets, fixtures, tables, seats, rulings, faults, and workers."""

from __future__ import annotations

from django.db import models
from django.db.models import Q, Value

from arena.accounts.models import User
from arena.common.causes import WORKER_CAUSES, Cause, WaitingFor, coded_reason
from arena.common.ids import public_id_field
from arena.common.models import ReasonMixin
from arena.competition.models import Entry, Round, Tournament
from arena.matches.board_results import BoardResult, parse_board, parse_results
from arena.roster.models import BotVersion, CheckRun


class BoardSet(models.Model):
    class State(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"

    public_id = public_id_field()
    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="board_set")
    kind = models.CharField(max_length=4, choices=[("deal", "deal boards"), ("game", "game boards")])
    boards = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=6, choices=State.choices, default=State.OPEN)
    closed_at = models.DateTimeField(null=True)
    closed_seq = models.PositiveBigIntegerField(null=True, unique=True)
    """Position in the closing order of all board sets, from 1. Ratings are computed in this order."""
    event_seq = models.PositiveBigIntegerField(null=True, unique=True, editable=False)
    """``closed_seq`` of a set of a tournament; null in ladders, challenges, experiments and trial runs, which
    lists would otherwise have to skip.
    """

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["id"], condition=Q(state="open"), name="board_set_open_idx")]

    def __str__(self) -> str:
        return f"boards of {self.round}"

    @property
    def is_sealed(self) -> bool:
        """Whether records, logs, results and scores are visible to staff only."""
        return self.state != self.State.CLOSED


class Fixture(ReasonMixin):
    class State(models.TextChoices):
        """planned -> open -> settled, forfeited or void."""

        PLANNED = "planned"
        OPEN = "open"
        SETTLED = "settled"
        FORFEITED = "forfeited", "an entry forfeited a table"
        VOID = "void", "does not count"

    DONE = (State.SETTLED, State.FORFEITED, State.VOID)

    public_id = public_id_field()
    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="fixtures", db_index=False
    )
    """Tournament of its round, repeated here so that lists need no sorting."""
    board_set = models.ForeignKey(BoardSet, on_delete=models.CASCADE, related_name="fixtures", db_index=False)
    number = models.PositiveSmallIntegerField()
    entries = models.ManyToManyField(Entry, through="FixtureEntry", related_name="fixtures")
    state = models.CharField(max_length=10, choices=State.choices, default=State.PLANNED)
    same_owner = models.BooleanField(default=False)
    """Two of its entries have a common owner; shown wherever the fixture is listed."""
    scores_stale = models.BooleanField(default=False)
    """Its result changed after its boards were closed, so its scores have to be rebuilt."""
    done_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["board_set", "number"]
        constraints = [models.UniqueConstraint(fields=["board_set", "number"], name="fixture_number_unique")]
        indexes = [
            models.Index(fields=["tournament", "id"], name="fixture_tournament_idx"),
            models.Index(fields=["tournament", "state", "id"], name="fixture_state_idx"),
            models.Index(fields=["state"], name="fixture_by_state_idx"),
            models.Index(fields=["board_set"], condition=Q(state="open"), name="fixture_open_idx"),
            models.Index(
                fields=["tournament"], condition=Q(scores_stale=True), name="fixture_scores_stale_idx"
            ),
        ]

    def __str__(self) -> str:
        return f"fixture {self.number} of {self.board_set.round}"


class FixtureEntry(models.Model):
    fixture = models.ForeignKey(Fixture, on_delete=models.CASCADE, related_name="sides", db_index=False)
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="sides", db_index=False)
    position = models.PositiveSmallIntegerField()
    """From 0, over all entries in the order of the pairing."""
    side = models.PositiveSmallIntegerField()
    """From 0; positions 0-3 have sides 0, 0, 1, 1 if two entries form a side."""

    class Meta:
        ordering = ["fixture", "position"]
        verbose_name_plural = "fixture entries"
        constraints = [
            models.UniqueConstraint(fields=["fixture", "position"], name="fixture_position_unique"),
            # In this order it is the index for an entry's fixtures as well.
            models.UniqueConstraint(fields=["entry", "fixture"], name="entry_fixture_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} at {self.position}"


class Adjudication(ReasonMixin):
    """A ruling on a fixture, append-only; the last is in force (``league.scoring.adjudicated_scores``)."""

    class Kind(models.TextChoices):
        FORFEIT = "forfeit", "the named entries forfeit every table"
        DRAW = "draw", "every board counts 0"
        VOID = "void", "does not count"
        LIFT = "lift", "as played"

    public_id = public_id_field()
    tournament = models.ForeignKey(
        Tournament, null=True, on_delete=models.CASCADE, related_name="adjudications", db_index=False
    )
    """Tournament of its fixture, repeated here so that they are counted without reading all fixtures."""
    fixture = models.ForeignKey(Fixture, on_delete=models.CASCADE, related_name="adjudications")
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=8, choices=Kind.choices)
    entries = models.JSONField(default=list)
    """Public ids of the entries that forfeit, sorted; empty for the other kinds."""
    rounds_opened = models.PositiveSmallIntegerField()
    """Opened rounds of the stage when it was made: it affects the pairings of later rounds only."""
    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="adjudications")
    """Null for the system."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["fixture", "number"]
        constraints = [
            models.UniqueConstraint(fields=["fixture", "number"], name="adjudication_number_unique"),
            models.CheckConstraint(condition=~Q(note={}), name="adjudication_note_check"),
        ]
        indexes = [
            models.Index(fields=["tournament", "fixture", "number"], name="adjudication_tournament_idx")
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.fixture}"


class RuntimeSet(models.Model):
    """Runtimes that the bots of a table need together; one row for each set that occurs."""

    names = models.JSONField(unique=True)

    def __str__(self) -> str:
        return ", ".join(self.names)


class Table(ReasonMixin):
    """A seating of a fixture that plays some of its boards: the unit of work."""

    class State(models.TextChoices):
        """waiting -> leased -> finished; back to waiting after a platform fault; or quarantined, or void."""

        WAITING = "waiting"
        LEASED = "leased"
        FINISHED = "finished"
        QUARANTINED = "quarantined", "stopped after repeated platform faults"
        VOID = "void"

    public_id = public_id_field()
    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="tables", db_index=False
    )
    """Tournament of its fixture, repeated here so that the next table is found quickly."""
    fixture = models.ForeignKey(Fixture, on_delete=models.CASCADE, related_name="tables", db_index=False)
    rotation = models.PositiveSmallIntegerField()
    first_board = models.PositiveSmallIntegerField()
    board_count = models.PositiveSmallIntegerField()
    runtimes = models.ForeignKey(RuntimeSet, on_delete=models.PROTECT, related_name="tables", db_index=False)
    state = models.CharField(max_length=12, choices=State.choices, default=State.WAITING)
    state_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True)
    """Time of the last message about it to the workers."""
    attempt = models.PositiveSmallIntegerField(default=0)
    """Attempts begun in the current run, without those ended by a fault of the machine."""
    reruns = models.PositiveSmallIntegerField(default=0)
    """Number of replays from the start ordered by the organiser."""
    fence = models.CharField(max_length=32, blank=True)
    """Token of the current attempt; reports with another token are rejected."""
    lease_until = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    progress_at = models.DateTimeField(null=True)
    boards_done = models.PositiveSmallIntegerField(default=0)
    decisions = models.PositiveIntegerField(default=0)
    wall_limit_s = models.FloatField()
    machine_delay_s = models.FloatField(default=0.0)
    """Wall time lost to a busy machine in the current attempt."""
    worker = models.CharField(max_length=80, blank=True)
    kernel = models.CharField(max_length=36, blank=True)
    """Boot id of the worker's machine, which its containers share; empty if not known."""
    waiting_for = models.CharField(max_length=20, choices=WaitingFor.choices, blank=True)
    """What a waiting table needs besides its turn, explained by ``note``; else empty."""
    cause = models.CharField(max_length=16, choices=Cause.choices, blank=True)
    """Cause that ended the last attempt; empty if it did not fail."""
    failures = models.PositiveSmallIntegerField(default=0)
    """Failed attempts of the current run, for any cause; the wait grows with each."""
    failed_at = models.DateTimeField(null=True, blank=True)
    failing_since = models.DateTimeField(null=True, blank=True)
    """Time of the first failure, from which the waiting limit counts."""
    retry_at = models.DateTimeField(null=True, blank=True)
    """Earliest time of the next claim; null = at once."""
    record_sha256 = models.CharField(max_length=64, blank=True)
    timings_sha256 = models.CharField(max_length=64, blank=True)
    view_sha256 = models.CharField(max_length=64, blank=True)
    """Hash of the record's view (docs/views.md); empty if it is not built. It can be built at any time."""
    sandbox_level = models.CharField(max_length=8, blank=True)
    engine_version = models.CharField(max_length=20, blank=True)
    revision = models.CharField(max_length=60, blank=True)
    """Code revision that played it (``common.revisions``)."""
    runtime_artifacts = models.JSONField(default=dict)
    """Artefact hash by name of each runtime used that has an artefact."""
    compact_results = models.TextField(blank=True)
    """Results as ``matches.board_results`` formats them; empty until the table is finished."""
    killed_bundles = models.JSONField(default=list)
    """Hashes of bundles whose bots were killed from outside during attempts of the current run."""
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["fixture", "rotation", "first_board"]
        constraints = [
            models.UniqueConstraint(
                fields=["fixture", "rotation", "first_board"], name="table_fixture_unique"
            ),
            models.CheckConstraint(
                condition=~Q(state="finished") | ~Q(record_sha256=""), name="table_record_check"
            ),
            models.CheckConstraint(condition=~Q(state="leased") | ~Q(fence=""), name="table_fence_check"),
        ]
        indexes = [
            models.Index(fields=["tournament", "id"], name="table_tournament_idx"),
            # The order in which a tournament's tables are played (``matches.dispatch``).
            models.Index(
                fields=["tournament", "first_board", "rotation", "id", "runtimes"],
                condition=Q(state="waiting"),
                name="table_queue_idx",
            ),
            models.Index(
                fields=["published_at"], condition=Q(state="waiting"), name="table_published_at_idx"
            ),
            # For counts. Other queries of one state use a partial index of few rows.
            models.Index(fields=["state"], name="table_state_idx"),
            models.Index(fields=["tournament"], condition=Q(state="leased"), name="table_leased_idx"),
            models.Index(
                fields=["tournament"], condition=Q(state="quarantined"), name="table_quarantined_idx"
            ),
            models.Index(
                fields=["view_sha256"],
                condition=Q(state="finished", view_sha256=""),
                name="table_no_view_idx",
            ),
            models.Index(fields=["failed_at"], condition=~Q(cause=""), name="table_failed_at_idx"),
            models.Index(
                fields=["tournament"],
                condition=Q(state="waiting", waiting_for="boards_in_play"),
                name="table_waiting_boards_idx",
            ),
        ]

    def __str__(self) -> str:
        return f"table {self.rotation + 1}.{self.first_board} of {self.fixture}"

    @property
    def coded_reason(self) -> str:
        """``reason``, preceded by ``waiting_for``."""
        return coded_reason(self.waiting_for, self.reason)

    @property
    def results(self) -> list[BoardResult]:
        """Results as played, by board and seat; empty until the table is finished."""
        return parse_results(self.compact_results, self.first_board)

    def results_on(self, board: int) -> list[BoardResult]:
        """Results on one board by seat."""
        return parse_board(self.compact_results, self.first_board, board)


class LostLease(models.Model):
    """A revoked lease whose worker may still play. Deleted once the worker stopped, or at ``until``."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="lost_leases")
    fence = models.CharField(max_length=32, unique=True)
    worker = models.CharField(max_length=80)
    kernel = models.CharField(max_length=36)
    until = models.DateTimeField()
    """Latest time at which the table can still be in play."""

    def __str__(self) -> str:
        return f"{self.table} at {self.worker}"


class PendingReport(models.Model):
    """An accepted report that the totals of its tournament do not include yet.

    A report locks its fixture only. ``matches.totals`` adds many at once, under the lock of the tournament.
    """

    # Without a constraint: checking it would wait for the lock of the tournament.
    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    cpu_ms = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"report of {self.tournament_id}"


class TableSeat(models.Model):
    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seats", db_index=False)
    seat = models.PositiveSmallIntegerField()
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="seats")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="seats", db_index=False)
    verdict = models.CharField(max_length=20, blank=True)
    """Empty until the table is finished."""
    forfeited = models.BooleanField(default=False)
    decisions = models.PositiveIntegerField(default=0)
    cpu_ms = models.PositiveIntegerField(default=0)
    wall_ms = models.PositiveIntegerField(default=0)
    peak_bytes = models.PositiveBigIntegerField(default=0)
    faults = models.JSONField(default=list)
    """``referee.contract.Fault`` as JSON; for the owner and staff."""
    log_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["table", "seat"]
        constraints = [models.UniqueConstraint(fields=["table", "seat"], name="table_seat_unique")]
        indexes = [
            models.Index(fields=["version", "table"], name="table_seat_version_idx"),
            models.Index(fields=["version"], condition=Q(forfeited=True), name="table_seat_forfeited_idx"),
            models.Index(fields=["entry"], condition=Q(forfeited=True), name="table_seat_forfeit_entry_idx"),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} of {self.table}"


class FaultGroup(models.Model):
    """Similar faults of a version; built from seats and checks by ``matches.faults``."""

    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="fault_groups")
    fingerprint = models.CharField(max_length=32)
    verdict = models.CharField(max_length=20)
    phase = models.CharField(max_length=20)
    count = models.PositiveIntegerField()
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    sample = models.JSONField()
    """The latest fault: ``referee.contract.Fault`` as JSON."""
    table = models.ForeignKey(
        Table, null=True, blank=True, on_delete=models.CASCADE, related_name="fault_groups"
    )
    check_run = models.ForeignKey(
        CheckRun, null=True, blank=True, on_delete=models.CASCADE, related_name="fault_groups"
    )
    seat = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["version", "-count", "fingerprint"]
        verbose_name = "fault group"
        constraints = [
            models.UniqueConstraint(fields=["version", "fingerprint"], name="fault_group_fingerprint_unique"),
            models.CheckConstraint(condition=Q(count__gte=1), name="fault_group_count_check"),
            models.CheckConstraint(
                condition=Q(table__isnull=True, check_run__isnull=False)
                | Q(table__isnull=False, check_run__isnull=True),
                name="fault_source_check",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.count} x {self.verdict} of {self.version}"


class RecordRepair(models.Model):
    """A finished table to be replayed because its record is lost. Deleted once the record is stored."""

    class State(models.TextChoices):
        WAITING = "waiting"
        PLAYING = "playing"
        FAILED = "failed"

    class Failure(models.TextChoices):
        """Reasons why the record cannot be restored."""

        OTHER_RECORD = "other_record", "the replay produced a different record"
        BLOB_LOST = "blob_lost", "a bundle or artefact of the table is also lost"
        PLATFORM = "platform", "the platform failed at every attempt"

    table = models.OneToOneField(Table, on_delete=models.CASCADE, related_name="record_repair")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    asked_at = models.DateTimeField(auto_now_add=True)
    requeued_at = models.DateTimeField(null=True)
    """Time of the last message about it to the workers."""
    until = models.DateTimeField(null=True)
    """Deadline while it is played; a worker that has not reported by then is lost."""
    attempts = models.PositiveSmallIntegerField(default=0)
    failure = models.CharField(max_length=12, choices=Failure.choices, blank=True)
    detail = models.CharField(max_length=300, blank=True)
    """Error of the last attempt, for the operator."""

    def __str__(self) -> str:
        return f"{self.state} repair of {self.table}"


class Worker(models.Model):
    """A process that plays tables, as of its last heartbeat."""

    name = models.CharField(max_length=80, unique=True)
    kernel = models.CharField(max_length=36, blank=True)
    heartbeat_at = models.DateTimeField()
    sandbox_level = models.CharField(max_length=8)
    runtimes = models.JSONField(default=dict)
    """Digest by runtime name."""
    versions = models.JSONField(default=dict, db_default=Value({}, models.JSONField()))
    """By runtime name: versions of its programs and libraries by name."""
    capacity = models.PositiveSmallIntegerField(default=1)
    revision = models.CharField(max_length=60, blank=True)
    cause = models.CharField(max_length=16, choices=WORKER_CAUSES, blank=True)
    """Why it takes no tables although it has runtimes; empty while it works."""
    detail = models.TextField(blank=True)
    """Problem and remedy, if it cannot play."""

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class RuntimeArtifact(models.Model):
    """An artefact of a runtime. All workers use the newest row of its name; rows never change."""

    runtime = models.CharField(max_length=20)
    sha256 = models.CharField(max_length=64)
    sources_sha256 = models.CharField(max_length=64)
    """Hash of the sources; equal for two builds of one release."""
    published_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        verbose_name = "artefact of a runtime"
        verbose_name_plural = "artefacts of runtimes"

    def __str__(self) -> str:
        return f"{self.runtime} {self.sha256[:12]}"


class TickState(models.Model):
    """State kept between ticks. A single row."""

    ticked_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    queue_id = models.CharField(max_length=120, blank=True)
    """Identifies the broker's current contents: the mark written into it, and the run of its server."""
    ended_counts = models.JSONField(default=dict)
    """Rows in final states: number by kind and state (``matches.row_counts``)."""
    ended_counted_at = models.DateTimeField(null=True)
    ended_count_s = models.FloatField(default=0.0)
    """Seconds that the count took."""

    class Meta:
        verbose_name_plural = "tick state"

    def __str__(self) -> str:
        return f"tick at {self.ticked_at}"
