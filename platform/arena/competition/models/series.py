"""Recurring cups: template, schedule, and the bots that are entered in each edition."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from arena.accounts.models import User
from arena.common.ids import public_id_field
from arena.common.models import StateReasonMixin
from arena.roster.models import Bot


class Series(StateReasonMixin):
    """A tournament that is created again every day, week or month."""

    class State(models.TextChoices):
        """active and paused alternate; ended is final."""

        ACTIVE = "active"
        PAUSED = "paused"
        ENDED = "ended"

    class Frequency(models.TextChoices):
        DAILY = "daily", "every day"
        WEEKLY = "weekly", "every week"
        MONTHLY = "monthly", "every month"

    public_id = public_id_field()
    organiser = models.ForeignKey(User, on_delete=models.PROTECT, related_name="series")
    name = models.CharField(max_length=80)
    template = models.JSONField()
    """Fields of ``tournament_create`` without name and times."""
    frequency = models.CharField(max_length=8, choices=Frequency.choices)
    weekday = models.PositiveSmallIntegerField(null=True, blank=True)
    """0 = Monday; for weekly series only."""
    month_day = models.PositiveSmallIntegerField(null=True, blank=True)
    """For monthly series only; shorter months use their last day."""
    timezone = models.CharField(max_length=64, default="UTC")
    start_time = models.TimeField()
    """Local time in ``timezone`` at which an edition's entry ends and its play begins."""
    open_hours = models.PositiveSmallIntegerField(default=12)
    state = models.CharField(max_length=8, choices=State.choices, default=State.ACTIVE)
    state_at = models.DateTimeField(auto_now_add=True)
    next_at = models.DateTimeField(null=True, blank=True)
    """End of entry of the next edition, which is created ``open_hours`` before. Null once ended."""
    last_edition = models.PositiveIntegerField(default=0)
    """Number of the last edition created; 0 = none."""
    until = models.DateTimeField(null=True, blank=True)
    """No edition starts after this time."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "series"
        constraints = [
            models.CheckConstraint(
                condition=Q(frequency="daily", weekday__isnull=True, month_day__isnull=True)
                | Q(frequency="weekly", weekday__lte=6, month_day__isnull=True)
                | Q(frequency="monthly", weekday__isnull=True, month_day__gte=1, month_day__lte=31),
                name="series_day_check",
            ),
            models.CheckConstraint(condition=Q(open_hours__gte=1), name="series_open_hours_check"),
        ]
        indexes = [models.Index(fields=["next_at"], condition=Q(state="active"), name="series_next_at_idx")]

    def __str__(self) -> str:
        return self.name

    @property
    def page(self) -> str:
        return f"/cups/{self.public_id}"


class Subscription(models.Model):
    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="subscriptions")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="subscriptions")
    partner_bot = models.ForeignKey(
        Bot, null=True, blank=True, on_delete=models.PROTECT, related_name="partner_subscriptions"
    )
    """Plays the higher seat of the pair; null = ``bot`` plays both."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["series", "bot"], name="subscription_bot_unique")]

    def __str__(self) -> str:
        return f"{self.bot} in {self.series}"
