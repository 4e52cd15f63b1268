"""Addresses that want to hear of events, and what is or was sent there."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from arena.accounts.models import User
from arena.common.ids import public_id_field
from arena.common.models import StateNoted
from arena.competition.models import Tournament
from arena.features.webhooks.signing import new_secret


class Webhook(StateNoted):
    """Where one account wants events sent."""

    class State(models.TextChoices):
        """active <-> paused by its owner; disabled by the system, active again by its owner."""

        ACTIVE = "active"
        PAUSED = "paused", "paused by its owner"
        DISABLED = "disabled", "disabled after failures"

    public_id = public_id_field()
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="webhooks")
    name = models.CharField(max_length=80, blank=True)
    url = models.CharField(max_length=500)
    kinds = models.JSONField(default=list)
    """Kinds of events wanted, a trailing ``.*`` for a family of them; empty: all."""
    tournament = models.ForeignKey(
        Tournament, null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks"
    )
    """Only events of this one; null: of all its owner may see."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    secret = models.BinaryField(max_length=32, default=new_secret, editable=False)
    """Signs every delivery. Shown once, when it is made."""
    old_secret = models.BinaryField(max_length=32, null=True, editable=False)
    """The one before; signs too until ``old_secret_until``."""
    old_secret_until = models.DateTimeField(null=True, editable=False)
    after_event = models.PositiveBigIntegerField(default=0, editable=False)
    """Events up to this id came before it was made, or while it was not active."""
    failures = models.PositiveIntegerField(default=0, editable=False)
    """Failed attempts in a row."""
    failing_since = models.DateTimeField(null=True, editable=False)
    """The first of them."""
    rests_until = models.DateTimeField(null=True, editable=False)
    """Nothing is sent before; set after each failure."""
    missed = models.PositiveIntegerField(default=0, editable=False)
    """Events not queued because too many deliveries waited."""
    created_at = models.DateTimeField(auto_now_add=True)
    delivered_at = models.DateTimeField(null=True, editable=False)
    """When a delivery last succeeded."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(url=""), name="webhook_has_an_address"),
            models.CheckConstraint(
                condition=Q(old_secret__isnull=True, old_secret_until__isnull=True)
                | Q(old_secret__isnull=False, old_secret_until__isnull=False),
                name="webhook_old_secret_ends",
            ),
        ]

    def __str__(self) -> str:
        return self.name or f"webhook {self.public_id}"


class Delivery(models.Model):
    """The delivery of one event to one webhook."""

    class State(models.TextChoices):
        """waiting -> delivered or failed; waiting again when its owner asks for it."""

        WAITING = "waiting"
        DELIVERED = "delivered"
        FAILED = "failed"

    public_id = public_id_field()
    webhook = models.ForeignKey(
        Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )  # its two indexes below begin with it
    event = models.PositiveBigIntegerField(null=True)
    """Id of the ``accounts.Event``, which is pruned before the delivery; null for a test ping."""
    kind = models.CharField(max_length=40)
    payload = models.TextField()
    """The body as it is sent, JSON; every attempt sends the same bytes."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    """Begun since it was queued, or since its owner last asked for it."""
    next_at = models.DateTimeField(null=True)
    """Not sent before; null once it is over."""
    expires_at = models.DateTimeField()
    """Waiting longer, it has failed."""
    lease_until = models.DateTimeField(null=True)
    """Leased to a process that sends it, until then."""
    last_status = models.PositiveSmallIntegerField(null=True)
    """HTTP status of the last attempt; null if there was no answer."""
    last_error = models.CharField(max_length=300, blank=True)
    """Why the last attempt failed, as ``code: words``; never a part of the answer."""
    duration_ms = models.PositiveIntegerField(null=True)
    """What the last attempt took."""
    created_at = models.DateTimeField(auto_now_add=True)
    attempted_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event"], name="event_delivered_once"),
            models.CheckConstraint(
                condition=Q(state="waiting", next_at__isnull=False, ended_at__isnull=True)
                | (~Q(state="waiting") & Q(next_at__isnull=True, ended_at__isnull=False)),
                name="delivery_waits_or_ended",
            ),
        ]
        indexes = [
            models.Index(fields=["next_at"], condition=Q(state="waiting"), name="delivery_due"),
            models.Index(fields=["webhook", "-id"], name="delivery_of_webhook"),
            models.Index(fields=["ended_at"], name="delivery_ended"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.webhook}"

    @property
    def message_id(self) -> str:
        """The ``webhook-id`` of all its attempts."""
        return f"msg_{self.public_id}"


class Cursor(models.Model):
    """How far the log of events has been turned into deliveries; one row."""

    name = models.CharField(max_length=20, primary_key=True)
    event = models.PositiveBigIntegerField(default=0)
    """Id of the last event looked at."""

    def __str__(self) -> str:
        return f"{self.name} at {self.event}"
