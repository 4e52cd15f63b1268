"""Models: daily deals, attempts at them, and places in the weekly table."""

from __future__ import annotations

import datetime

from django.db import models
from django.db.models import Q

from arena.accounts.models import User
from arena.common.ids import new_public_id
from arena.competition.models import SigningKey
from arena.features.play.models import CasualTable


class DailyDeal(models.Model):
    """The deal of one day in UTC, committed to by a signed statement before anyone plays it."""

    day = models.DateField(unique=True)
    game = models.CharField(max_length=20)
    preset = models.CharField(max_length=40)
    ruleset = models.JSONField()
    seat = models.PositiveSmallIntegerField(default=1)
    """Seat of the person."""
    seats = models.JSONField()
    """Bots: ``[{"seat", "strength", "version", "bundle"}, ...]``; ``bundle`` is its SHA-256."""
    board = models.PositiveSmallIntegerField()
    """Number of the board, which determines dealer and leader."""
    secret = models.BinaryField(max_length=32, editable=False)
    """Determines the cards; confidential until ``closed_at``."""
    commitment = models.CharField(max_length=64)
    seed_id = models.CharField(max_length=16, default=new_public_id)
    """Id used to derive the seed."""
    body = models.TextField()
    """Statement in canonical form."""
    digest = models.CharField(max_length=64)
    key = models.ForeignKey(SigningKey, on_delete=models.PROTECT, related_name="daily_deals")
    signature = models.CharField(max_length=128)
    posted_at = models.DateTimeField()
    field = models.JSONField(null=True, blank=True)
    """Results of bots in the person's seat, ``[{"label", "stones"}, ...]``; null until they have played."""
    closed_at = models.DateTimeField(null=True, blank=True)
    """When attempts ended and the secret was revealed; null before."""

    class Meta:
        ordering = ["-day"]
        verbose_name = "daily deal"

    def __str__(self) -> str:
        return f"daily deal of {self.day.isoformat()}"

    @property
    def begins_at(self) -> datetime.datetime:
        return datetime.datetime.combine(self.day, datetime.time(), datetime.UTC)

    @property
    def ends_at(self) -> datetime.datetime:
        return self.begins_at + datetime.timedelta(days=1)

    @property
    def is_late(self) -> bool:
        """Whether the commitment was published after the day had begun."""
        return self.posted_at >= self.begins_at

    @property
    def is_closed(self) -> bool:
        return self.closed_at is not None

    @property
    def page(self) -> str:
        return f"/daily/{self.day.isoformat()}"


class DailyAttempt(models.Model):
    """The one attempt of an account or a guest's browser at a daily deal."""

    class State(models.TextChoices):
        """playing -> finished or forfeited."""

        PLAYING = "playing"
        FINISHED = "finished"
        FORFEITED = "forfeited", "left to a house bot, or not finished in time"

    deal = models.ForeignKey(DailyDeal, on_delete=models.PROTECT, related_name="attempts")
    owner = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="daily_attempts"
    )
    person = models.CharField(max_length=64, blank=True)
    """Digest of the account or of the guest's key; empty once forgotten."""
    table = models.OneToOneField(
        CasualTable, null=True, blank=True, on_delete=models.SET_NULL, related_name="daily_attempt"
    )
    """Null once the table was deleted."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.PLAYING)
    restarts = models.PositiveSmallIntegerField(default=0)
    """How often it began again after a platform fault."""
    stones = models.IntegerField(null=True, blank=True)
    """Set if finished."""
    points = models.PositiveSmallIntegerField(null=True, blank=True)
    """0 to 100, for finished attempts of accounts; null until the day has closed."""
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        verbose_name = "daily attempt"
        constraints = [
            models.UniqueConstraint(
                fields=["deal", "person"], condition=~Q(person=""), name="daily_attempt_unique"
            ),
            models.CheckConstraint(
                condition=Q(state="finished", stones__isnull=False)
                | (~Q(state="finished") & Q(stones__isnull=True, points__isnull=True)),
                name="daily_attempt_stones_check",
            ),
        ]
        indexes = [models.Index(fields=["deal", "state", "stones"], name="daily_attempt_result_idx")]

    def __str__(self) -> str:
        return f"attempt {self.pk} at the {self.deal}"


class WeekPlace(models.Model):
    """Points of an account in an ISO week; computed again whenever a day of the week closes."""

    week = models.DateField()
    """Monday of the week."""
    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="daily_weeks")
    points = models.PositiveSmallIntegerField()
    days = models.PositiveSmallIntegerField()
    """Days that the account finished, including those that do not count."""

    class Meta:
        ordering = ["-week", "-points", "owner"]
        verbose_name = "place in the weekly table"
        constraints = [models.UniqueConstraint(fields=["week", "owner"], name="week_place_unique")]
        indexes = [models.Index(fields=["week", "-points"], name="week_place_points_idx")]

    def __str__(self) -> str:
        return f"{self.points} points in the week of {self.week.isoformat()}"
