"""Models: casual tables, at which a person plays with bots, and the services that run them."""

from __future__ import annotations

import hashlib

from django.db import models
from django.db.models import Q, Value
from django.utils import timezone

from arena.accounts.models import User
from arena.tables.live.models import LiveTable
from engine.game import BoardKind

PERSON_SHA256 = hashlib.sha256(b"rensho-person/1").hexdigest()
"""Placeholder in records for the bundle of a person's seat."""


class CasualTable(LiveTable):
    """An unrated table at which one person plays with bots; its row is authoritative."""

    class State(models.TextChoices):
        """seating -> playing <-> paused -> finished, abandoned or failed."""

        SEATING = "seating", "its bots are being started"
        PLAYING = "playing"
        PAUSED = "paused", "its person is away"
        FINISHED = "finished"
        ABANDONED = "abandoned", "its person left; a house bot finishes it"
        FAILED = "failed", "ended by a fault of the platform; the deal is void"

    class Strength(models.TextChoices):
        RANDOM = "random"
        GREEDY = "greedy"
        RULES = "rules"
        SEARCH = "search"
        PUBLIC = "public", "a version of somebody"

    class Deals(models.TextChoices):
        ONE = "1"
        FOUR = "4"
        GAME = "game"

    ACTIVE = (State.SEATING, State.PLAYING, State.PAUSED)
    KIND = "play"
    OPEN_SEAT_SHA256 = PERSON_SHA256

    owner = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="casual_tables"
    )
    guest = models.CharField(max_length=64, blank=True)
    """Digest of a guest's key; empty for accounts."""
    quota_key = models.CharField(max_length=64, blank=True, db_index=True)
    """Digest of the account or address whose quota the bots use."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.SEATING)
    seat = models.PositiveSmallIntegerField()
    versions = models.TextField(blank=True)
    """Public ids of versions that do not belong to the house, each between spaces."""
    deals = models.CharField(max_length=4, choices=Deals.choices, default=Deals.ONE)
    clock_s = models.PositiveSmallIntegerField(null=True, blank=True)
    """Seconds per action of the person; null: unlimited."""
    practice = models.BooleanField(default=False, db_default=False)
    """Whether the person may ask for hints and take back plays. Its result is not compared with others."""
    hints = models.PositiveIntegerField(default=0, db_default=0)
    """Number of hints."""
    hinted_at = models.PositiveIntegerField(null=True, blank=True)
    """Number of actions before the decision with the last hint; null without one."""
    taken_back = models.JSONField(default=list, db_default=Value([], models.JSONField()))
    """Number of actions before each decision that was taken back, ascending."""
    pending = models.JSONField(null=True, blank=True)
    """Action chosen by the person and not applied yet: ``[n, action]``; with a third item ``true``, the
    referee plays the person's rest of the deal.
    """
    deadline_at = models.DateTimeField(null=True, blank=True)
    """End of the person's current turn; null without a clock, and in other seats' turns."""
    clock_left_ms = models.PositiveIntegerField(null=True, blank=True)
    """Time left in the turn in which the person left."""
    field = models.JSONField(null=True, blank=True)
    """The same deals with bots in the person's seat: ``[{"label", "stones", "mine"}, ...]``; null
    until then.
    """
    share_token = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    """Secret part of the public link to a finished table; empty: not shared."""
    shared_at = models.DateTimeField(null=True, blank=True)
    last_action_at = models.DateTimeField(default=timezone.now, db_index=True)
    """Last action of the person."""
    is_sealed = models.BooleanField(default=False, db_default=False)
    """Others still play these cards: after the end its person sees all hands, but secret, record, link and
    the same cards again are refused. No house bot takes over after an absence.
    """

    class Meta:
        ordering = ["-id"]
        verbose_name = "casual table"
        constraints = [
            models.UniqueConstraint(
                fields=["owner"],
                condition=Q(state__in=("seating", "playing", "paused"), owner__isnull=False, is_sealed=False),
                name="casual_table_owner_unique",
            ),
            models.UniqueConstraint(
                fields=["guest"],
                condition=Q(state__in=("seating", "playing", "paused"), is_sealed=False) & ~Q(guest=""),
                name="casual_table_guest_unique",
            ),
            models.CheckConstraint(
                condition=Q(practice=False) | Q(is_sealed=False), name="casual_table_practice_check"
            ),
            models.UniqueConstraint(
                fields=["share_token"], condition=~Q(share_token=""), name="casual_table_token_unique"
            ),
        ]
        indexes = [models.Index(fields=["state", "claimed_until"], name="casual_table_state_idx")]

    def __str__(self) -> str:
        return f"casual table {self.public_id}"

    @property
    def board_kind(self) -> BoardKind:
        return board_kind_of(self.deals)

    @property
    def board_count(self) -> int:
        return 1 if self.deals == self.Deals.GAME else int(self.deals)

    @property
    def is_active(self) -> bool:
        return self.state in self.ACTIVE

    @property
    def is_over(self) -> bool:
        return self.state in (self.State.FINISHED, self.State.ABANDONED) and self.ended_at is not None

    @property
    def won(self) -> int:
        boards = (self.result or {}).get("boards", [])
        return sum(int(board["stones"][str(self.seat)]) for board in boards)

    @property
    def may_finish_early(self) -> bool:
        return True

    @property
    def page(self) -> str:
        return f"/play/{self.public_id}"


def board_kind_of(deals: str) -> BoardKind:
    return "game" if deals == CasualTable.Deals.GAME else "deal"


class PlayService(models.Model):
    """A process that runs casual tables, with its last heartbeat."""

    name = models.CharField(max_length=80, unique=True)
    seen_at = models.DateTimeField()
    capacity = models.PositiveSmallIntegerField()
    tables = models.PositiveSmallIntegerField(default=0)
    detail = models.TextField(blank=True)
    """Reason why the process cannot run tables, with the remedy; empty if it can."""

    class Meta:
        ordering = ["name"]
        verbose_name = "play service"

    def __str__(self) -> str:
        return self.name
