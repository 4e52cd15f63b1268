"""Models: analyses of tables and casual tables, figures by seat, costly plays, solved positions, problems."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from arena.accounts.models import User
from arena.common.hash_field import HashField
from arena.common.ids import public_id_field
from arena.competition.models import Tournament
from arena.features.play.models import CasualTable
from arena.features.remote.models import RemoteTable
from arena.matches.models import BoardSet, Table
from arena.roster.models import BotVersion


class TableAnalysis(models.Model):
    """Notes on one record by one version of the solver; once ready, they never change."""

    class State(models.TextChoices):
        """waiting -> leased -> ready; back to waiting after a failure; failed after the third."""

        WAITING = "waiting"
        LEASED = "leased", "being analysed"
        READY = "ready"
        FAILED = "failed", "failed three times"

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="analyses", db_index=False)
    record_sha256 = HashField()
    """Record of the table when this row was made. A rerun changes the table's record: the row is stale."""
    solver = models.CharField(max_length=40)
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    state_at = models.DateTimeField(default=timezone.now)
    closed_seq = models.PositiveBigIntegerField()
    """``BoardSet.closed_seq`` of the table: later sets are analysed first."""
    lease = models.CharField(max_length=80, blank=True)
    """Name of the process that analyses the table, and the number of the attempt there."""
    leased_until = models.DateTimeField(null=True, blank=True)
    retry_at = models.DateTimeField(null=True, blank=True)
    """Earliest time of the next attempt; null: at once."""
    failures = models.PositiveSmallIntegerField(default=0)
    failure = models.CharField(max_length=300, blank=True)
    """Reason for the last failure; empty without one."""
    cpu_ms = models.PositiveBigIntegerField(default=0)
    """CPU time of all attempts."""
    worked_at = models.DateTimeField(null=True, blank=True)
    """Last time at which CPU time was added."""
    notes_sha256 = models.CharField(max_length=64, blank=True)
    """Hash of the notes (``rensho-notes/2``, docs/views.md); empty until ready."""

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "table analyses"
        constraints = [
            models.UniqueConstraint(
                fields=["table", "record_sha256", "solver"], name="table_analysis_record_unique"
            ),
            models.CheckConstraint(
                condition=~Q(state="ready") | ~Q(notes_sha256=""), name="table_analysis_notes_check"
            ),
            models.CheckConstraint(
                condition=~Q(state="leased") | ~Q(lease="") & Q(leased_until__isnull=False),
                name="table_analysis_lease_check",
            ),
        ]
        indexes = [
            models.Index(
                fields=["-closed_seq", "id"], condition=Q(state="waiting"), name="table_analysis_queue_idx"
            ),
            models.Index(
                fields=["leased_until"], condition=Q(state="leased"), name="table_analysis_leased_idx"
            ),
            models.Index(fields=["state_at"], condition=Q(state="failed"), name="table_analysis_failed_idx"),
            models.Index(fields=["worked_at"], name="table_analysis_worked_at_idx"),
            models.Index(fields=["notes_sha256"], name="table_analysis_notes_idx"),
        ]

    def __str__(self) -> str:
        return f"analysis of table {self.table.public_id}"


class SeatAnalysis(models.Model):
    """Figures of one seat of an analysed table. Only of the table's latest analysis."""

    analysis = models.ForeignKey(TableAnalysis, on_delete=models.CASCADE, related_name="seats")
    seat = models.PositiveSmallIntegerField()
    version = models.ForeignKey(BotVersion, on_delete=models.CASCADE, related_name="+", db_index=False)
    decisions = models.PositiveIntegerField()
    """Plays whose legal cards differ in double-dummy value."""
    costly = models.PositiveIntegerField()
    """Those of them with a cost."""
    stones = models.PositiveIntegerField()
    """Sum of their double-dummy costs."""
    boards = models.JSONField(default=list)
    """The same by board: ``[[board, decisions, costly, stones], ...]``."""

    class Meta:
        ordering = ["analysis", "seat"]
        verbose_name_plural = "seat analyses"
        constraints = [models.UniqueConstraint(fields=["analysis", "seat"], name="seat_analysis_seat_unique")]
        indexes = [models.Index(fields=["version", "analysis"], name="seat_analysis_version_idx")]

    def __str__(self) -> str:
        return f"seat {self.seat}, {self.analysis}"


class CostlyPlay(models.Model):
    """A play or declaration that cost stones: the costliest of a table, by its latest analysis."""

    class Kind(models.TextChoices):
        COSTLY = "costly", "double-dummy cost without an average"
        MISTAKE = "mistake", "costs stones on average too"
        UNLUCKY = "unlucky", "costs nothing on average"
        AVERAGE = "average", "average loss without a double-dummy cost"
        DECLARATION = "declaration"

    analysis = models.ForeignKey(TableAnalysis, on_delete=models.CASCADE, related_name="costly_plays")
    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="+", db_index=False)
    version = models.ForeignKey(BotVersion, on_delete=models.CASCADE, related_name="+", db_index=False)
    seat = models.PositiveSmallIntegerField()
    board = models.PositiveSmallIntegerField()
    deal = models.PositiveSmallIntegerField()
    position = models.CharField(max_length=24)
    """Position after it, as in the address of the table's page, such as ``b3t7p2`` (docs/views.md)."""
    action = models.CharField(max_length=40)
    kind = models.CharField(max_length=11, choices=Kind.choices)
    cost = models.FloatField()
    """Stones: double-dummy cost; average loss in Kakkuri and for ``average``."""

    class Meta:
        ordering = ["-cost", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["analysis", "position", "seat"], name="costly_play_position_unique"
            ),
            models.CheckConstraint(condition=Q(cost__gt=0), name="costly_play_cost_check"),
        ]
        indexes = [
            models.Index(fields=["tournament", "-cost", "id"], name="costly_play_tournament_idx"),
            models.Index(fields=["version", "-cost", "id"], name="costly_play_version_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.position}, seat {self.seat}, {self.analysis}"


class CasualAnalysis(models.Model):
    """Notes on one casual or remote table, which its page requests; once ready, they never change."""

    class State(models.TextChoices):
        """waiting -> leased -> ready; back to waiting after a failure; failed after the third."""

        WAITING = "waiting"
        LEASED = "leased", "being analysed"
        READY = "ready"
        FAILED = "failed", "failed three times"

    table = models.OneToOneField(
        CasualTable, null=True, blank=True, on_delete=models.CASCADE, related_name="analysis"
    )
    """Null for a remote table."""
    remote_table = models.OneToOneField(
        RemoteTable, null=True, blank=True, on_delete=models.CASCADE, related_name="analysis"
    )
    """Null for a casual table."""
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    requested_at = models.DateTimeField(default=timezone.now)
    state_at = models.DateTimeField(default=timezone.now)
    leased_until = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveSmallIntegerField(default=0)
    failure = models.CharField(max_length=300, blank=True)
    """Reason for the last failure; empty without one."""
    cpu_ms = models.PositiveBigIntegerField(default=0)
    """CPU time of all attempts."""
    notes = models.JSONField(null=True, blank=True)
    """``rensho-notes/2``, once ready. Stored here, since guests' tables are deleted after a month."""

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "casual analyses"
        constraints = [
            models.CheckConstraint(
                condition=~Q(state="ready") | Q(notes__isnull=False), name="casual_analysis_notes_check"
            ),
            models.CheckConstraint(
                condition=~Q(state="leased") | Q(leased_until__isnull=False),
                name="casual_analysis_lease_check",
            ),
            models.CheckConstraint(
                condition=Q(table__isnull=False, remote_table__isnull=True)
                | Q(table__isnull=True, remote_table__isnull=False),
                name="casual_analysis_table_check",
            ),
        ]
        indexes = [
            models.Index(
                fields=["id"], condition=Q(state__in=("waiting", "leased")), name="casual_analysis_queue_idx"
            ),
            models.Index(fields=["state_at"], condition=Q(state="failed"), name="casual_analysis_failed_idx"),
        ]

    def __str__(self) -> str:
        return f"analysis of {self.live_table}"

    @property
    def live_table(self) -> CasualTable | RemoteTable:
        table = self.table or self.remote_table
        assert table is not None, "casual_analysis_table_check"
        return table


class SolvedPosition(models.Model):
    """A position to solve for a visitor, later the answer. Equal positions share a row."""

    class State(models.TextChoices):
        """waiting -> leased -> done or too_long."""

        WAITING = "waiting"
        LEASED = "leased", "being solved"
        DONE = "done"
        TOO_LONG = "too_long", "not solved within the limit of nodes"

    key = models.CharField(max_length=64, unique=True)
    """SHA-256 of position, solver and limit."""
    position = models.JSONField()
    """Fields of ``engine.kernel.Position``; of a line, ``{"line": ...}`` with these fields; of a hint,
    ``{"hint": ...}`` with the fields of ``analysis.hints.HintQuestion``.
    """
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    requested_at = models.DateTimeField(default=timezone.now)
    requested_by = models.CharField(max_length=64, blank=True)
    """Digest of the account or address whose quota is used, for an hour; later empty."""
    leased_until = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveSmallIntegerField(default=0)
    values = models.JSONField(default=dict)
    """Once done, legal cards by value in stones to the first playing side: ``{"3": ["KH", "QH"], ...}``; of
    a line, best play as ``{"line": ["KH", ...]}``; of a hint, ``analysis.estimates.Estimate``, empty if there
    is none.
    """
    cpu_ms = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(
                fields=["requested_at"], condition=Q(state__in=("waiting", "leased")), name="solved_queue_idx"
            ),
            models.Index(fields=["requested_at"], name="solved_requested_at_idx"),
            models.Index(fields=["requested_by", "requested_at"], name="solved_requested_by_idx"),
        ]

    def __str__(self) -> str:
        return f"position {self.key[:12]}"


class Problem(models.Model):
    """A position in which exactly one card is best, or a candidate for one. The proof never changes."""

    class State(models.TextChoices):
        """waiting -> leased -> ready or rejected."""

        WAITING = "waiting"
        LEASED = "leased", "being checked"
        READY = "ready"
        REJECTED = "rejected", "no problem on average, or failed three times"

    public_id = public_id_field()
    analysis = models.ForeignKey(TableAnalysis, on_delete=models.CASCADE, related_name="problems")
    """The analysis that proposed it. A rerun of its table deletes both."""
    board_set = models.ForeignKey(BoardSet, on_delete=models.CASCADE, related_name="+", db_index=False)
    board = models.PositiveSmallIntegerField()
    deal = models.PositiveSmallIntegerField()
    step = models.PositiveSmallIntegerField()
    """Index of the play in ``steps`` of the deal's view."""
    position = models.CharField(max_length=24)
    """Position before the play, as in the address of the table's page (docs/views.md)."""
    key = models.CharField(max_length=64)
    """SHA-256 of the position text. Tables of a board that reached the same position share a problem."""
    preset = models.CharField(max_length=40)
    seat = models.PositiveSmallIntegerField()
    trick = models.PositiveSmallIntegerField()
    best = models.CharField(max_length=4)
    margin = models.PositiveSmallIntegerField()
    """Stones that the second-best card costs with all hands open."""
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    leased_until = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveSmallIntegerField(default=0)
    reason = models.CharField(max_length=300, blank=True)
    """Reason for the rejection or the last failure."""
    cpu_ms = models.PositiveIntegerField(default=0)
    worked_at = models.DateTimeField(null=True, blank=True)
    """Last time at which CPU time was added."""
    ready_at = models.DateTimeField(null=True, blank=True)
    proof = models.JSONField(default=dict, blank=True)
    """``rensho-problem/1``, once ready; else empty."""
    observation = models.JSONField(default=dict, blank=True)
    """The seat's observation, once ready; else empty."""
    bots = models.PositiveIntegerField(default=0)
    """Decisions of bots at this position."""
    bots_found = models.PositiveIntegerField(default=0)
    visitors = models.PositiveIntegerField(default=0)
    visitors_found = models.PositiveIntegerField(default=0)
    ease = models.FloatField(default=0.5)
    """Share of bots and visitors that found the card, with one success and one failure added."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["board_set", "board", "key"], name="problem_position_unique"),
            models.CheckConstraint(
                condition=~Q(state="ready") | Q(ready_at__isnull=False),
                name="problem_ready_check",
            ),
            models.CheckConstraint(
                condition=~Q(state="leased") | Q(leased_until__isnull=False), name="problem_lease_check"
            ),
        ]
        indexes = [
            models.Index(fields=["ease", "-id"], condition=Q(state="ready"), name="problem_ease_idx"),
            models.Index(
                fields=["preset", "ease", "-id"], condition=Q(state="ready"), name="problem_preset_idx"
            ),
            models.Index(
                fields=["id"], condition=Q(state__in=("waiting", "leased")), name="problem_queue_idx"
            ),
            models.Index(fields=["worked_at"], name="problem_worked_at_idx"),
        ]

    def __str__(self) -> str:
        return f"problem {self.public_id}"


class ProblemDecision(models.Model):
    """A bot's play at the position of a problem."""

    problem = models.ForeignKey(Problem, on_delete=models.CASCADE, related_name="decisions")
    analysis = models.ForeignKey(TableAnalysis, on_delete=models.CASCADE, related_name="+")
    version = models.ForeignKey(BotVersion, on_delete=models.CASCADE, related_name="+")
    card = models.CharField(max_length=4)
    is_best = models.BooleanField()
    position = models.CharField(max_length=24)
    """Position after the play, as in the address of the table's page."""

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["problem", "analysis"], name="problem_decision_analysis_unique")
        ]

    def __str__(self) -> str:
        return f"{self.card}, {self.problem}"


class ProblemAttempt(models.Model):
    """A visitor's answer to a problem: one per account or browser."""

    problem = models.ForeignKey(Problem, on_delete=models.CASCADE, related_name="attempts", db_index=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    guest = models.CharField(max_length=64, blank=True)
    """Digest of the key in a guest's browser for 30 days, later empty."""
    card = models.CharField(max_length=4, blank=True)
    """Empty if the visitor asked for the answer, which does not count."""
    is_best = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["problem", "user"],
                condition=Q(user__isnull=False),
                name="problem_attempt_user_unique",
            ),
            models.UniqueConstraint(
                fields=["problem", "guest"], condition=~Q(guest=""), name="problem_attempt_guest_unique"
            ),
        ]
        indexes = [
            models.Index(fields=["created_at"], condition=~Q(guest=""), name="problem_attempt_guest_idx")
        ]

    def __str__(self) -> str:
        return f"{self.card or 'no card'}, {self.problem}"
