"""Models: webhooks, deliveries, and the cursor of the fan-out."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from arena.accounts.models import User
from arena.common.ids import public_id_field
from arena.common.models import StateReasonMixin
from arena.competition.models import Tournament
from arena.features.webhooks.signing import new_secret


class Webhook(StateReasonMixin):
    """A URL to which the site sends events for an account."""

    class State(models.TextChoices):
        """active <-> paused by its owner; disabled by the system, reactivated by its owner."""

        ACTIVE = "active"
        PAUSED = "paused", "paused by its owner"
        DISABLED = "disabled", "disabled after failures"

    class Format(models.TextChoices):
        RENSHO = "rensho", "the event as JSON"
        DISCORD = "discord", "a message of Discord"

    class Language(models.TextChoices):
        ENGLISH = "en", "English"
        JAPANESE = "ja", "Japanese"

    public_id = public_id_field()
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="webhooks")
    name = models.CharField(max_length=80, blank=True)
    url = models.CharField(max_length=500)
    format = models.CharField(
        max_length=10, choices=Format.choices, default=Format.RENSHO, db_default=Format.RENSHO
    )
    """Form of the body. Waiting deliveries keep theirs."""
    language = models.CharField(
        max_length=2, choices=Language.choices, default=Language.ENGLISH, db_default=Language.ENGLISH
    )
    """Language of sentences in messages; events as JSON have none."""
    kinds = models.JSONField(default=list)
    """Kinds of events; a trailing ``.*`` selects a family; empty selects all."""
    tournament = models.ForeignKey(
        Tournament, null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks"
    )
    """Only events of this tournament; null: all events that the owner may see."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    secret = models.BinaryField(max_length=32, default=new_secret, editable=False)
    """Signs every delivery. Returned only once, at creation."""
    old_secret = models.BinaryField(max_length=32, null=True, editable=False)
    """The previous secret, which signs too until ``old_secret_until``."""
    old_secret_until = models.DateTimeField(null=True, editable=False)
    after_event = models.PositiveBigIntegerField(default=0, editable=False)
    """Events up to this id are older than the webhook or its last activation."""
    failures = models.PositiveIntegerField(default=0, editable=False)
    """Consecutive failed attempts."""
    failing_since = models.DateTimeField(null=True, editable=False)
    backoff_until = models.DateTimeField(null=True, editable=False)
    """No attempt before this; set after each failure."""
    missed = models.PositiveIntegerField(default=0, editable=False)
    """Events not queued because too many deliveries waited."""
    created_at = models.DateTimeField(auto_now_add=True)
    delivered_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(url=""), name="webhook_url_check"),
            models.CheckConstraint(
                condition=Q(format__in=("rensho", "discord")), name="webhook_format_check"
            ),
            models.CheckConstraint(condition=Q(language__in=("en", "ja")), name="webhook_language_check"),
            models.CheckConstraint(
                condition=Q(old_secret__isnull=True, old_secret_until__isnull=True)
                | Q(old_secret__isnull=False, old_secret_until__isnull=False),
                name="webhook_old_secret_check",
            ),
        ]

    def __str__(self) -> str:
        return self.name or f"webhook {self.public_id}"


class Delivery(models.Model):
    class State(models.TextChoices):
        """waiting -> delivered or failed; waiting again on the owner's request."""

        WAITING = "waiting"
        DELIVERED = "delivered"
        FAILED = "failed"

    public_id = public_id_field()
    webhook = models.ForeignKey(
        Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )  # two indexes below start with it
    event = models.PositiveBigIntegerField(null=True)
    """Id of the ``accounts.Event``, which may be pruned earlier; null for a test ping."""
    kind = models.CharField(max_length=40)
    payload = models.TextField()
    """JSON body; every attempt sends the same bytes."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    """Attempts since the delivery was queued or last requested by the owner."""
    next_at = models.DateTimeField(null=True)
    """No attempt before this; null after the end."""
    expires_at = models.DateTimeField()
    """Deadline; a delivery that waits longer fails."""
    lease_until = models.DateTimeField(null=True)
    """Expiry of the lease of the sending process."""
    last_status = models.PositiveSmallIntegerField(null=True)
    """HTTP status of the last attempt; null without an answer."""
    last_error = models.CharField(max_length=300, blank=True)
    """Error of the last attempt as ``code: text``; never contains parts of the answer."""
    duration_ms = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    attempted_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event"], name="delivery_event_unique"),
            models.CheckConstraint(
                condition=Q(state="waiting", next_at__isnull=False, ended_at__isnull=True)
                | (~Q(state="waiting") & Q(next_at__isnull=True, ended_at__isnull=False)),
                name="delivery_state_check",
            ),
        ]
        indexes = [
            models.Index(fields=["next_at"], condition=Q(state="waiting"), name="delivery_due_idx"),
            models.Index(fields=["webhook", "-id"], name="delivery_webhook_idx"),
            models.Index(fields=["ended_at"], name="delivery_ended_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.webhook}"

    @property
    def message_id(self) -> str:
        """The ``webhook-id`` of all attempts."""
        return f"msg_{self.public_id}"


class Cursor(models.Model):
    """Progress of the fan-out along the event log; a single row."""

    name = models.CharField(max_length=20, primary_key=True)
    event = models.PositiveBigIntegerField(default=0)
    """Id of the last processed event."""

    def __str__(self) -> str:
        return f"{self.name} at {self.event}"
