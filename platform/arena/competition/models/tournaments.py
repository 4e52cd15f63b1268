"""Tournaments, their stages and rounds."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from arena.accounts.models import User
from arena.common.causes import Cause
from arena.common.ids import public_id_field
from arena.common.models import StateReasonMixin
from arena.common.notes import note_text
from arena.competition.models.courses import Course
from arena.competition.models.series import Series


def new_secret() -> bytes:
    """Return 32 random bytes, from which all deals of an event are derived."""
    return secrets.token_bytes(32)


def faults_allowed() -> int:
    """Return the installation's ``faults_before_forfeit``; an event keeps its value at creation."""
    allowed: int = settings.BOT_LIMITS.faults_before_forfeit
    return allowed


class Tournament(StateReasonMixin):
    class State(models.TextChoices):
        """Forward only, except paused <-> running and provisional -> running. Cancelled before final."""

        DRAFT = "draft"
        OPEN = "open"
        LOCKED = "locked"
        RUNNING = "running"
        PAUSED = "paused"
        PROVISIONAL = "provisional", "played; being audited"
        FINAL = "final"
        ARCHIVED = "archived"
        CANCELLED = "cancelled"

    class Visibility(models.TextChoices):
        PUBLIC = "public", "everybody"
        PRIVATE = "private", "entrants, invited players and staff"

    class Kind(models.TextChoices):
        TOURNAMENT = "tournament"
        CHALLENGE = "challenge", "a private fixture between chosen versions"
        LADDER = "ladder", "a round of a ladder"
        EXPERIMENT = "experiment", "a batch of boards of an experiment"
        TRIAL = "trial", "a trial run of a tournament with house bots"

    class BoardPlan(models.TextChoices):
        FIXED = "fixed", "once"
        UNTIL_SEPARATED = "until_separated", "repeated until neighbours separate or the budget is used up"

    class EntryPolicy(models.TextChoices):
        OPEN = "open", "everybody who can see it"
        INVITED = "invited", "invited players"

    BACKGROUND = (Kind.LADDER, Kind.EXPERIMENT)
    """Kinds that the system runs with worker capacity that events and challenges do not use."""
    OWN_WORK = (Kind.CHALLENGE, Kind.EXPERIMENT, Kind.TRIAL)
    """Kinds whose tables count towards the worker share of the account that requested them."""

    public_id = public_id_field()
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.TOURNAMENT)
    series = models.ForeignKey(
        Series, null=True, blank=True, on_delete=models.PROTECT, related_name="editions"
    )
    course = models.ForeignKey(
        Course, null=True, blank=True, on_delete=models.PROTECT, related_name="tournaments"
    )
    """The course whose members see and may enter it; it is then private."""
    edition = models.PositiveIntegerField(null=True, blank=True)
    organiser = models.ForeignKey(User, on_delete=models.PROTECT, related_name="tournaments")
    co_organisers = models.ManyToManyField(User, blank=True, related_name="co_organised")
    """They have the organiser's permissions, except naming organisers and cancelling."""
    trial_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="trials"
    )
    """Tournament whose settings a trial run tries."""
    deleted_at = models.DateTimeField(null=True, editable=False)
    """When a trial run was deleted: only staff can still read it."""
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True, max_length=4000)
    visibility = models.CharField(max_length=10, choices=Visibility.choices, default=Visibility.PUBLIC)
    state = models.CharField(max_length=12, choices=State.choices, default=State.DRAFT)

    game = models.CharField(max_length=20)
    preset = models.CharField(max_length=40)
    ruleset = models.JSONField()
    rules_version = models.PositiveSmallIntegerField()
    board_kind = models.CharField(max_length=4, choices=[("deal", "deal boards"), ("game", "game boards")])
    boards_per_round = models.PositiveSmallIntegerField()
    """Default for stages without their own number."""
    board_plan = models.CharField(max_length=16, choices=BoardPlan.choices, default=BoardPlan.FIXED)
    max_passes = models.PositiveSmallIntegerField(default=1)
    """Maximum passes of a stage's schedule; more than one only with until_separated."""
    budget_cpu_s = models.PositiveIntegerField(null=True, blank=True)
    """CPU-seconds that all bots together may use; null = no limit."""
    cpu_ms_spent = models.PositiveBigIntegerField(default=0, editable=False)
    """CPU of all seats of finished tables, and of failed attempts where known."""
    clock = models.JSONField()
    fault_policy = models.CharField(max_length=10, default="substitute")
    faults_before_forfeit = models.PositiveIntegerField(default=faults_allowed, editable=False)
    """Faults that a seat may have at a table without forfeiting."""
    tie_breaks = models.JSONField(default=list)
    """Names in order; the lot is always last, named or not."""
    scoring = models.CharField(max_length=12, default="match_points")
    entry_policy = models.CharField(max_length=10, choices=EntryPolicy.choices, default=EntryPolicy.OPEN)
    entries_per_player = models.PositiveSmallIntegerField(default=1)
    house_bots = models.JSONField(default=list, blank=True)
    """Names of house bots that enter when entry opens."""
    min_entries = models.PositiveSmallIntegerField(default=2)
    max_entries = models.PositiveSmallIntegerField(default=64)
    quarantine_hours = models.PositiveSmallIntegerField(default=24)
    """Hours that organisers have to retry a quarantined table before its fixture becomes void."""
    review_hours = models.PositiveSmallIntegerField(default=0)
    """Hours that the event stays provisional after its last round, so that results can be ruled on."""

    closes_at = models.DateTimeField(null=True, blank=True)
    """End of entry; null = the organiser locks the field."""
    starts_at = models.DateTimeField(null=True, blank=True)
    """Earliest start once locked; null = the organiser starts it."""
    state_at = models.DateTimeField(auto_now_add=True)
    provisional_at = models.DateTimeField(null=True, editable=False)
    review_until = models.DateTimeField(null=True, editable=False)
    """End of its review; null without a review and before the first one."""
    review_rounds = models.PositiveIntegerField(default=0, editable=False)
    """Number of rounds drawn when it last became provisional."""
    audit_disagreements = models.PositiveIntegerField(null=True, editable=False)
    """Disagreements in the last audit since it became provisional; null = not audited since."""
    stalled_at = models.DateTimeField(null=True, blank=True, editable=False)
    """Time since which platform faults stop its play; null while it is not stalled."""
    stalled_cause = models.CharField(max_length=16, choices=Cause.choices, blank=True, editable=False)
    """Kind of that fault; empty while it is not stalled."""
    created_at = models.DateTimeField(auto_now_add=True)
    entrant_actions = models.JSONField(default=list, editable=False)
    """Permitted actions of organisers and staff with an entry: ``[{verb, count, at}]``, latest last."""

    secret = models.BinaryField(max_length=32, default=new_secret, editable=False)
    """All deals are derived from it; never shown before ``revealed_at``."""
    commitment = models.CharField(max_length=64, blank=True, editable=False)
    """SHA-256 of the secret in hex, published when entry opens."""
    revealed_at = models.DateTimeField(null=True, editable=False)
    revision = models.PositiveIntegerField(default=0, editable=False)
    """Increases whenever a change is visible to spectators."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=Q(boards_per_round__gte=1), name="tournament_boards_check"),
            models.CheckConstraint(condition=Q(min_entries__gte=2), name="tournament_min_entries_check"),
            models.CheckConstraint(
                condition=Q(max_entries__gte=F("min_entries")), name="tournament_max_entries_check"
            ),
            models.CheckConstraint(
                condition=Q(max_passes=1) | Q(max_passes__gte=2, board_plan="until_separated"),
                name="tournament_max_passes_check",
            ),
            models.CheckConstraint(
                condition=Q(series__isnull=True, edition__isnull=True)
                | Q(series__isnull=False, edition__gte=1),
                name="tournament_edition_check",
            ),
            models.UniqueConstraint(fields=["series", "edition"], name="tournament_edition_unique"),
            models.CheckConstraint(
                condition=Q(course__isnull=True) | Q(visibility="private"), name="tournament_course_check"
            ),
            models.CheckConstraint(condition=Q(review_hours__lte=72), name="tournament_review_hours_check"),
        ]
        indexes = [
            models.Index(fields=["-state_at", "-id"], name="tournament_state_at_idx"),
            models.Index(fields=["state"], name="tournament_state_idx"),
            models.Index(fields=["id"], condition=Q(stalled_at__isnull=False), name="tournament_stalled_idx"),
            models.Index(
                fields=["state_at"],
                condition=Q(kind="trial", deleted_at__isnull=True),
                name="tournament_trial_idx",
            ),
            models.Index(Lower("name"), F("id").desc(), name="tournament_name_idx"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def page(self) -> str:
        return f"/tournaments/{self.public_id}"


class Stage(models.Model):
    class State(models.TextChoices):
        PLANNED = "planned"
        RUNNING = "running"
        DONE = "done"

    class Ended(models.TextChoices):
        """Reasons for an end before the format or the passes are complete."""

        SEPARATED = "separated", "all neighbours in the standings are separated"
        PASSES = "max_passes", "the maximum of repetitions was played"
        BUDGET = "budget_spent", "another pass would exceed the budget"
        EMPTY = "field_empty", "no entry is left to play it"
        UNFIT = "field_unfit", "its format does not fit the number of entries"

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField()
    format = models.CharField(max_length=30)
    options = models.JSONField(default=dict)
    field_digest = models.CharField(max_length=64, blank=True)
    """Digest of the bundles of its entries, fixed with the field."""
    qualify = models.PositiveSmallIntegerField(null=True, blank=True)
    """Number of entries that advance from the previous stage; null = all that have not left."""
    boards_per_round = models.PositiveSmallIntegerField(null=True, blank=True)
    end_note = models.JSONField(default=dict, blank=True)
    """Why it ended, unless its format ended it."""
    closed_early = models.BooleanField(default=False)
    """Ended before its last round by its organiser or a cancellation; new scores do not reopen it."""
    state = models.CharField(max_length=8, choices=State.choices, default=State.PLANNED)

    class Meta:
        ordering = ["tournament", "number"]
        constraints = [models.UniqueConstraint(fields=["tournament", "number"], name="stage_number_unique")]

    def __str__(self) -> str:
        return f"{self.tournament} stage {self.number}"

    @property
    def end_code(self) -> str:
        """Code in ``Ended``; empty if the format or the organiser ended the stage, or if it has not ended."""
        code = self.end_note.get("code", "")
        return code if code in self.Ended.values else ""

    @property
    def note(self) -> str:
        return note_text(self.end_note)

    @property
    def boards(self) -> int:
        return self.boards_per_round or self.tournament.boards_per_round

    @property
    def is_skipped(self) -> bool:
        """Whether it ended before it was drawn, so that no entry played in it."""
        return self.closed_early and not self.field_digest


class Round(models.Model):
    """Fixtures that play the same boards."""

    class State(models.TextChoices):
        PLANNED = "planned"
        OPEN = "open"
        CLOSED = "closed"

    public_id = public_id_field()
    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.PLANNED)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["stage", "number"]
        constraints = [models.UniqueConstraint(fields=["stage", "number"], name="round_number_unique")]
        indexes = [models.Index(fields=["id"], condition=Q(state="open"), name="round_open_idx")]

    def __str__(self) -> str:
        return f"{self.stage} round {self.number}"
