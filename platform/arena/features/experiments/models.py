"""Models: experiments, their opponents, and their batches of boards."""

from __future__ import annotations

from fractions import Fraction

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from arena.accounts.models import User
from arena.common.ids import public_id_field
from arena.common.models import ReasonMixin, StateReasonMixin
from arena.competition.models import Tournament
from arena.roster.models import BotVersion


class Experiment(StateReasonMixin):
    """A sequential test of one question: is the candidate better than the baseline?"""

    class State(models.TextChoices):
        """queued -> running -> accepted, rejected, inconclusive or stopped; queued -> stopped."""

        QUEUED = "queued"
        RUNNING = "running"
        ACCEPTED = "accepted", "the candidate is better"
        REJECTED = "rejected", "it is not better by the difference asked for"
        INCONCLUSIVE = "inconclusive", "the cap of boards came first"
        STOPPED = "stopped"

    LIVE = (State.QUEUED, State.RUNNING)

    class End(models.TextChoices):
        """Reason for the end."""

        DECIDED = "decided", "the evidence reached a bound"
        CAP = "cap", "it reached its maximum of boards"
        BUDGET = "budget", "its CPU budget is used up"
        OWNER = "owner", "its owner or staff stopped it"
        VERSION = "version", "one of its versions can no longer play"
        CANCELLED = "cancelled", "one of its batches was cancelled"
        FAULTS = "faults", "several batches in a row failed because of platform faults"
        DEADLINE = "deadline", "it reached its deadline"

    PLATFORM_ENDS = (End.FAULTS,)
    """Ends caused by the platform; such experiments use no quota."""

    public_id = public_id_field()
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="experiments")
    candidate = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="experiments")
    baseline = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="experiments_as_baseline")
    is_field = models.BooleanField(default=False)
    """True: both versions meet the same opponents on the same boards. False: they meet each other."""

    game = models.CharField(max_length=20)
    preset = models.CharField(max_length=40)
    ruleset = models.JSONField()
    seats = models.PositiveSmallIntegerField()
    sides = models.PositiveSmallIntegerField()
    board_kind = models.CharField(max_length=4, choices=[("deal", "deal boards"), ("game", "game boards")])
    clock = models.JSONField()
    """Fields of ``referee.contract.Clock``."""

    difference = models.FloatField()
    """Smallest gain to detect, in stones per board."""
    alpha = models.FloatField()
    """Maximum probability of accepting a candidate that is not better."""
    beta = models.FloatField()
    """Maximum probability of rejecting a candidate that is better by ``difference``."""
    cap = models.PositiveIntegerField()
    """Maximum boards; at this number, the experiment ends as inconclusive."""
    boards_per_batch = models.PositiveSmallIntegerField()
    budget_cpu_s = models.PositiveIntegerField()
    """CPU-seconds of all its bots. After they are used, no further batch begins."""

    state = models.CharField(max_length=12, choices=State.choices, default=State.QUEUED)
    end_code = models.CharField(max_length=10, choices=End.choices, blank=True)
    """Empty while the experiment is live."""
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    cpu_ms_spent = models.PositiveBigIntegerField(default=0)
    """CPU time of all bots in all batches, including void ones."""

    revision = models.PositiveIntegerField(default=0)
    """Increases with each change that the owner can see."""
    boards = models.PositiveIntegerField(default=0)
    mean = models.FloatField(null=True)
    """Mean score of the counted boards, in stones per board; null without any."""
    evidence = models.FloatField(default=0.0)
    """Log-likelihood ratio between log(beta) and log(1/alpha): ``league.sequential``."""
    expected_remaining = models.PositiveIntegerField(null=True)
    """Expected number of further boards at the current rate; 0 after the end, null before the first board."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(candidate=F("baseline")), name="experiment_baseline_check"),
            models.CheckConstraint(condition=Q(difference__gt=0), name="experiment_difference_check"),
            models.CheckConstraint(
                condition=Q(alpha__gt=0, alpha__lt=0.5, beta__gt=0, beta__lt=0.5),
                name="experiment_error_rates_check",
            ),
            models.CheckConstraint(
                condition=Q(boards_per_batch__gte=1), name="experiment_batch_boards_check"
            ),
            models.CheckConstraint(
                condition=Q(state__in=("queued", "running"), end_code="", finished_at__isnull=True)
                | ~Q(state__in=("queued", "running")) & ~Q(end_code="") & Q(finished_at__isnull=False),
                name="experiment_end_code_check",
            ),
        ]
        indexes = [
            models.Index(fields=["owner", "-id"], name="experiment_owner_idx"),
            models.Index(
                fields=["id"], condition=Q(state__in=("queued", "running")), name="experiment_live_idx"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.candidate} against {self.baseline}"

    @property
    def is_live(self) -> bool:
        return self.state in self.LIVE

    @property
    def page(self) -> str:
        return f"/experiments/{self.public_id}"


class Opponent(models.Model):
    """A version that both versions meet: one of the field, or house greedy on the other sides of a table."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="opponents")
    number = models.PositiveSmallIntegerField()
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["experiment", "number"]
        constraints = [
            models.UniqueConstraint(fields=["experiment", "number"], name="opponent_number_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.experiment}"


class Batch(ReasonMixin):
    """A board set of an experiment, played as a small tournament, with its test scores."""

    class State(models.TextChoices):
        """playing -> counted or void."""

        PLAYING = "playing"
        COUNTED = "counted"
        VOID = "void", "counts for nothing; another one takes its place"

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="batches")
    number = models.PositiveSmallIntegerField()
    """From 1; void batches count."""
    tournament = models.OneToOneField(Tournament, on_delete=models.PROTECT, related_name="experiment_batch")
    boards = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.PLAYING)
    scores = models.JSONField(default=list)
    """Test score per board, in board order, as ``n/d`` texts; empty until the batch is counted."""
    counted = models.PositiveSmallIntegerField(default=0)
    """Boards that counted: all, or those up to the deciding one."""

    class Meta:
        ordering = ["experiment", "number"]
        verbose_name_plural = "batches"
        constraints = [
            models.UniqueConstraint(fields=["experiment", "number"], name="batch_number_unique"),
            models.UniqueConstraint(
                fields=["experiment"], condition=Q(state="playing"), name="batch_playing_unique"
            ),
            models.CheckConstraint(condition=Q(counted__lte=F("boards")), name="batch_counted_check"),
        ]

    def __str__(self) -> str:
        return f"batch {self.number} of {self.experiment}"

    @property
    def fractions(self) -> list[Fraction]:
        return [Fraction(text) for text in self.scores]
