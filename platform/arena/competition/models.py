"""Tournaments, their stages and rounds, and who entered."""

from __future__ import annotations

import secrets

from django.db import models
from django.db.models import F, Q

from arena.accounts.models import User
from arena.common.ids import public_id_field
from arena.roster.models import BotVersion, Player


def new_secret() -> bytes:
    """The 32 random bytes every deal of an event follows from."""
    return secrets.token_bytes(32)


class Tournament(models.Model):
    """An event: rules, stages, clock and deadlines, and where it stands."""

    class State(models.TextChoices):
        """Forward only; paused and running alternate; cancelled from anywhere before final."""

        DRAFT = "draft"
        REGISTRATION = "registration"
        LOCKED = "locked"
        RUNNING = "running"
        PAUSED = "paused"
        PROVISIONAL = "provisional", "played; being audited"
        FINAL = "final"
        ARCHIVED = "archived"
        CANCELLED = "cancelled"

    class Visibility(models.TextChoices):
        """Who may see it at all."""

        PUBLIC = "public"
        PRIVATE = "private"

    public_id = public_id_field()
    organiser = models.ForeignKey(User, on_delete=models.PROTECT, related_name="tournaments")
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True, max_length=4000)
    visibility = models.CharField(max_length=10, choices=Visibility.choices, default=Visibility.PUBLIC)
    state = models.CharField(max_length=12, choices=State.choices, default=State.DRAFT)
    state_reason = models.CharField(max_length=300, blank=True)
    """Why it is cancelled, paused or back to running."""

    game = models.CharField(max_length=20)
    preset = models.CharField(max_length=40)
    ruleset = models.JSONField()
    """Every option, frozen at creation."""
    rules_version = models.PositiveSmallIntegerField()
    board_kind = models.CharField(max_length=4, choices=[("deal", "deal boards"), ("game", "game boards")])
    boards_per_round = models.PositiveSmallIntegerField()
    clock = models.JSONField()
    """Fields of ``referee.contract.Clock``."""
    fault_policy = models.CharField(max_length=10, default="substitute")
    tie_breaks = models.JSONField(default=list)
    """Names in order; the lot decides last whether named or not."""
    scoring = models.CharField(max_length=12, default="match_points")
    entries_per_player = models.PositiveSmallIntegerField(default=1)
    min_entries = models.PositiveSmallIntegerField(default=2)
    max_entries = models.PositiveSmallIntegerField(default=64)
    quarantine_hours = models.PositiveSmallIntegerField(default=24)
    """How long the organiser has to send a quarantined table back before its fixture is void."""

    closes_at = models.DateTimeField(null=True, blank=True)
    """End of registration; null = when the organiser locks it."""
    starts_at = models.DateTimeField(null=True, blank=True)
    """Earliest start once locked; null = when the organiser starts it."""
    state_at = models.DateTimeField(auto_now_add=True)
    """When it came into its present state."""
    created_at = models.DateTimeField(auto_now_add=True)

    secret = models.BinaryField(max_length=32, default=new_secret, editable=False)
    """Never shown before ``revealed_at``: every deal follows from it."""
    commitment = models.CharField(max_length=64, blank=True, editable=False)
    """SHA-256 of the secret in hex, published at registration."""
    revealed_at = models.DateTimeField(null=True, editable=False)
    revision = models.PositiveIntegerField(default=0, editable=False)
    """Goes up whenever something a spectator may see has changed."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=Q(boards_per_round__gte=1), name="tournament_has_boards"),
            models.CheckConstraint(condition=Q(min_entries__gte=2), name="tournament_has_opponents"),
            models.CheckConstraint(
                condition=Q(max_entries__gte=F("min_entries")), name="tournament_entry_range"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Stage(models.Model):
    """One part of a tournament played in one format."""

    class State(models.TextChoices):
        """planned -> running -> done."""

        PLANNED = "planned"
        RUNNING = "running"
        DONE = "done"

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField()
    """From 1."""
    format = models.CharField(max_length=30)
    options = models.JSONField(default=dict)
    field_digest = models.CharField(max_length=64, blank=True)
    """Digest of the bundles entered, fixed when entry closes."""
    state = models.CharField(max_length=8, choices=State.choices, default=State.PLANNED)

    class Meta:
        ordering = ["tournament", "number"]
        constraints = [models.UniqueConstraint(fields=["tournament", "number"], name="stage_number_once")]

    def __str__(self) -> str:
        return f"{self.tournament} stage {self.number}"


class Round(models.Model):
    """Fixtures that play the same boards."""

    class State(models.TextChoices):
        """planned -> open -> closed."""

        PLANNED = "planned"
        OPEN = "open"
        CLOSED = "closed"

    public_id = public_id_field()
    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    """From 1 within the stage."""
    state = models.CharField(max_length=8, choices=State.choices, default=State.PLANNED)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["stage", "number"]
        constraints = [models.UniqueConstraint(fields=["stage", "number"], name="round_number_once")]

    def __str__(self) -> str:
        return f"{self.stage} round {self.number}"


class Entry(models.Model):
    """One version (or a pair of versions) registered for one tournament."""

    class Status(models.TextChoices):
        """What became of it."""

        ENTERED = "entered"
        WITHDRAWN = "withdrawn"

    public_id = public_id_field()
    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="entries")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="entries")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="entries")
    partner_version = models.ForeignKey(
        BotVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="partner_entries"
    )
    """Plays the higher seat of the pair; null = ``version`` plays both."""
    seed = models.PositiveSmallIntegerField(null=True, blank=True)
    """The organiser's order; entries without one follow by lot."""
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.ENTERED)
    is_organisers_own = models.BooleanField(default=False)
    """Its player is the organiser; shown wherever the entry is."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(
                fields=["tournament", "version"],
                condition=Q(status="entered", partner_version__isnull=True),
                name="version_entered_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.tournament}"

    def versions(self) -> list[BotVersion]:
        """The versions by seat of a pair: one that plays all its seats, or two."""
        return [self.version] if self.partner_version is None else [self.version, self.partner_version]

    @property
    def bot_name(self) -> str:
        """The bot's name, or those of a pair."""
        return " + ".join(version.bot.name for version in self.versions())
