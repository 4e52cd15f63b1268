"""Tables at which a person plays with bots, and the services that run them."""

from __future__ import annotations

import hashlib

from django.db import models
from django.db.models import Q
from django.utils import timezone

from arena.accounts.models import User
from arena.common.ids import public_id_field

PERSON_SHA256 = hashlib.sha256(b"rensho-person/1").hexdigest()
"""Stands in a record where a bot's bundle would: a person sat there."""


class CasualTable(models.Model):
    """A table at which one person plays with bots, unrated. The row is the whole truth about it: what each
    seat may see follows from the deals and the actions."""

    class State(models.TextChoices):
        """seating -> playing <-> paused -> over, left or broken."""

        SEATING = "seating", "its bots are being started"
        PLAYING = "playing"
        PAUSED = "paused", "its person is away"
        OVER = "over"
        LEFT = "left", "finished by a house bot"
        BROKEN = "broken", "ended by a fault of the platform; the deal is void"

    class Strength(models.TextChoices):
        """Who plays the seats of bots."""

        RANDOM = "random"
        GREEDY = "greedy"
        RULES = "rules"
        SEARCH = "search"
        PUBLIC = "public", "a version of somebody"

    class Deals(models.TextChoices):
        """What is played."""

        ONE = "1"
        FOUR = "4"
        GAME = "game"

    ACTIVE = (State.SEATING, State.PLAYING, State.PAUSED)

    public_id = public_id_field()
    owner = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="casual_tables"
    )
    guest = models.CharField(max_length=64, blank=True)
    """Digest of the key of a person without an account; empty for an account's."""
    payer = models.CharField(max_length=64, blank=True, db_index=True)
    """Digest of whose quota its bots use: an account's, or an address's."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.SEATING)
    game = models.CharField(max_length=20)
    preset = models.CharField(max_length=40)
    ruleset = models.JSONField()
    """Every option."""
    seat = models.PositiveSmallIntegerField()
    """The person's."""
    seats = models.JSONField()
    """For every seat, in order: ``{"seat", "label", "strength", "version"}``, the last two null for the
    person; ``version`` is a public id."""
    versions = models.TextField(blank=True)
    """Public ids of the versions that are not the house's, each between spaces."""
    deals = models.CharField(max_length=4, choices=Deals.choices, default=Deals.ONE)
    first_board = models.PositiveSmallIntegerField(default=1)
    clock_s = models.PositiveSmallIntegerField(null=True, blank=True)
    """Seconds the person has for a play; null: as many as it likes."""
    secret = models.BinaryField(max_length=32, editable=False)
    """From which all deals follow; nobody sees it before the end."""
    commitment = models.CharField(max_length=64)
    """SHA-256 of the secret."""
    deals_id = models.CharField(max_length=16)
    """Public id from which the seeds follow: its own, or that of the table whose cards are dealt again."""
    bundles = models.JSONField()
    """SHA-256 of the bundles from whose digest the seeds follow."""
    actions = models.JSONField(default=list)
    """Every action taken, in order: ``[[seat, action], ...]``."""
    length = models.PositiveIntegerField(default=0)
    """How many actions there are."""
    substituted = models.JSONField(default=list)
    """Actions the referee took in a seat's place: ``[[n, verdict], ...]``, n from 0."""
    pending = models.JSONField(null=True, blank=True)
    """What the person has chosen and the service has not yet applied: ``[n, action]``."""
    deadline_at = models.DateTimeField(null=True, blank=True)
    """When the person's present turn ends; null without a clock, or while it is not its turn."""
    clock_left_ms = models.PositiveIntegerField(null=True, blank=True)
    """What was left of the turn in which the person went away."""
    served_by = models.CharField(max_length=80, blank=True)
    """The claim of the service that runs it; empty while none does."""
    served_until = models.DateTimeField(null=True, blank=True)
    """When that claim expires; null: it may be claimed at once."""
    failures = models.PositiveSmallIntegerField(default=0)
    """How often running it failed since the person's last action."""
    cpu_ms = models.PositiveBigIntegerField(default=0)
    """CPU time its bots have used, those of the field included."""
    result = models.JSONField(null=True, blank=True)
    """At the end: ``{"boards": [{"number", "stones": {"1": 2, ...}}], "substituted": [n, ...]}``."""
    field = models.JSONField(null=True, blank=True)
    """The same deals with a bot in the person's seat: ``[{"label", "stones", "mine"}, ...]``; null until all
    of them are played."""
    record_sha256 = models.CharField(max_length=64, blank=True)
    view_sha256 = models.CharField(max_length=64, blank=True)
    broken_for = models.CharField(max_length=500, blank=True)
    """What failed, in words for the person; empty unless it is broken."""
    shared_as = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    """The secret in the address at which everybody may look at it once it is over; empty: nobody may."""
    shared_at = models.DateTimeField(null=True, blank=True)
    """When that address was made."""
    created_at = models.DateTimeField(default=timezone.now)
    acted_at = models.DateTimeField(default=timezone.now, db_index=True)
    """When the person did anything last."""
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = "casual table"
        constraints = [
            models.UniqueConstraint(
                fields=["owner"],
                condition=Q(state__in=("seating", "playing", "paused")) & Q(owner__isnull=False),
                name="casual_table_once_per_owner",
            ),
            models.UniqueConstraint(
                fields=["guest"],
                condition=Q(state__in=("seating", "playing", "paused")) & ~Q(guest=""),
                name="casual_table_once_per_guest",
            ),
            models.UniqueConstraint(
                fields=["shared_as"], condition=~Q(shared_as=""), name="casual_table_shared_as_once"
            ),
        ]
        indexes = [models.Index(fields=["state", "served_until"], name="casual_table_to_serve")]

    def __str__(self) -> str:
        return f"casual table {self.public_id}"

    @property
    def is_active(self) -> bool:
        """Whether it goes on, or may."""
        return self.state in self.ACTIVE

    @property
    def is_over(self) -> bool:
        """Whether it was played to its end and may be looked at with all hands."""
        return self.state in (self.State.OVER, self.State.LEFT) and self.ended_at is not None

    @property
    def won(self) -> int:
        """Stones that the person's seat won."""
        boards = (self.result or {}).get("boards", [])
        return sum(int(board["stones"][str(self.seat)]) for board in boards)

    @property
    def page(self) -> str:
        """Path of its page on this site."""
        return f"/play/{self.public_id}"


class PlayService(models.Model):
    """A process that runs casual tables, as of its last sign of life."""

    name = models.CharField(max_length=80, unique=True)
    seen_at = models.DateTimeField()
    capacity = models.PositiveSmallIntegerField()
    tables = models.PositiveSmallIntegerField(default=0)
    """How many it runs."""
    detail = models.TextField(blank=True)
    """What keeps it from running any, with the remedy; empty if nothing does."""

    class Meta:
        ordering = ["name"]
        verbose_name = "play service"

    def __str__(self) -> str:
        return self.name
