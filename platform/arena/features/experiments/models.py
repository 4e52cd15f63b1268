"""Experiments, whom their versions meet, and the batches of boards that were played for them."""

from __future__ import annotations

from fractions import Fraction

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from arena.accounts.models import User
from arena.common.ids import public_id_field
from arena.common.models import Noted, StateNoted
from arena.competition.models import Tournament
from arena.roster.models import BotVersion


class Experiment(StateNoted):
    """One question, asked once: is the candidate better than the baseline?"""

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
        """Why it ended."""

        DECIDED = "decided", "the evidence reached a bound"
        CAP = "cap", "as many boards as it may take"
        BUDGET = "budget", "as much CPU as it may cost"
        OWNER = "owner", "its owner or staff stopped it"
        VERSION = "version", "one of its versions cannot be played any more"
        CANCELLED = "cancelled", "somebody cancelled a batch"
        FAULTS = "faults", "faults of the platform spoilt one batch after the other"
        DEADLINE = "deadline", "it did not end in time"

    OURS = (End.FAULTS,)
    """Ends that are our fault: such an experiment uses up no quota."""

    public_id = public_id_field()
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="experiments")
    candidate = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="experiments")
    baseline = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="experiments_as_baseline")
    is_field = models.BooleanField(default=False)
    """Both versions meet the same opponents on the same boards; else they meet each other."""

    game = models.CharField(max_length=20)
    preset = models.CharField(max_length=40)
    ruleset = models.JSONField()
    """Every option, frozen at creation."""
    seats = models.PositiveSmallIntegerField()
    """At a table."""
    sides = models.PositiveSmallIntegerField()
    """Of a table."""
    board_kind = models.CharField(max_length=4, choices=[("deal", "deal boards"), ("game", "game boards")])
    clock = models.JSONField()
    """Fields of ``referee.contract.Clock``."""

    difference = models.FloatField()
    """Stones a board worth finding."""
    alpha = models.FloatField()
    """How often a candidate that is no better may be accepted."""
    beta = models.FloatField()
    """How often one that is better by the difference may be rejected."""
    cap = models.PositiveIntegerField()
    """Boards after which it ends as inconclusive."""
    boards_per_batch = models.PositiveSmallIntegerField()
    budget_cpu_s = models.PositiveIntegerField()
    """CPU-seconds all its bots together may use: no batch begins once they have."""

    state = models.CharField(max_length=12, choices=State.choices, default=State.QUEUED)
    end_code = models.CharField(max_length=10, choices=End.choices, blank=True)
    """Why it ended; empty as long as it has not."""
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    """When its first batch was made."""
    finished_at = models.DateTimeField(null=True, blank=True)
    cpu_ms_spent = models.PositiveBigIntegerField(default=0)
    """Of all bots in all its batches, void ones included."""

    revision = models.PositiveIntegerField(default=0)
    """Goes up whenever something its owner may see has changed."""
    boards = models.PositiveIntegerField(default=0)
    """Boards that counted."""
    mean = models.FloatField(null=True)
    """Stones a board, of these boards; null without any."""
    evidence = models.FloatField(default=0.0)
    """Between log(beta) and log(1/alpha): ``league.sequential``."""
    expected_remaining = models.PositiveIntegerField(null=True)
    """Boards still to come if it goes on like this; 0 once it has ended, null before the first."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(candidate=F("baseline")), name="experiment_of_two_versions"),
            models.CheckConstraint(condition=Q(difference__gt=0), name="experiment_has_difference"),
            models.CheckConstraint(
                condition=Q(alpha__gt=0, alpha__lt=0.5, beta__gt=0, beta__lt=0.5),
                name="experiment_has_error_rates",
            ),
            models.CheckConstraint(condition=Q(boards_per_batch__gte=1), name="experiment_has_batches"),
            models.CheckConstraint(
                condition=Q(state__in=("queued", "running"), end_code="", finished_at__isnull=True)
                | ~Q(state__in=("queued", "running")) & ~Q(end_code="") & Q(finished_at__isnull=False),
                name="experiment_end_has_code",
            ),
        ]
        indexes = [
            models.Index(fields=["owner", "-id"], name="experiments_of_owner"),
            models.Index(fields=["id"], condition=Q(state__in=("queued", "running")), name="experiment_live"),
        ]

    def __str__(self) -> str:
        return f"{self.candidate} against {self.baseline}"

    @property
    def is_live(self) -> bool:
        """Whether it is still going to be played."""
        return self.state in self.LIVE

    @property
    def page(self) -> str:
        """Path of its page on this site."""
        return f"/experiments/{self.public_id}"


class Opponent(models.Model):
    """Somebody both versions meet: of the field, or house greedy on the other sides of a table."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="opponents")
    number = models.PositiveSmallIntegerField()
    """From 1."""
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["experiment", "number"]
        constraints = [
            models.UniqueConstraint(fields=["experiment", "number"], name="opponent_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.experiment}"


class Batch(Noted):
    """A board set played for an experiment: a small tournament, and the scores it gave the test."""

    class State(models.TextChoices):
        """playing -> counted or void."""

        PLAYING = "playing"
        COUNTED = "counted"
        VOID = "void", "counts for nothing; another one takes its place"

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="batches")
    number = models.PositiveSmallIntegerField()
    """From 1, void ones included."""
    tournament = models.OneToOneField(Tournament, on_delete=models.PROTECT, related_name="experiment_batch")
    boards = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.PLAYING)
    scores = models.JSONField(default=list)
    """What the test gets of each board, in order, as ``n/d`` texts; empty until it is counted."""
    counted = models.PositiveSmallIntegerField(default=0)
    """Boards that counted: all of them, or those up to the one that decided."""

    class Meta:
        ordering = ["experiment", "number"]
        verbose_name_plural = "batches"
        constraints = [
            models.UniqueConstraint(fields=["experiment", "number"], name="batch_number_once"),
            models.UniqueConstraint(
                fields=["experiment"], condition=Q(state="playing"), name="batch_one_at_a_time"
            ),
            models.CheckConstraint(condition=Q(counted__lte=F("boards")), name="batch_counts_its_boards"),
        ]

    def __str__(self) -> str:
        return f"batch {self.number} of {self.experiment}"

    @property
    def fractions(self) -> list[Fraction]:
        """The scores as numbers."""
        return [Fraction(text) for text in self.scores]
