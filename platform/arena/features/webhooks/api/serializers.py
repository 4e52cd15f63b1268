"""Webhooks and their deliveries."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import Body, Choice, Items, PublicId, RowOut
from arena.features.webhooks.models import Delivery, Webhook

KINDS_HELP = "Kinds of events, such as round.closed, or families such as round.*; none are all."


class WebhookIn(Body):
    """A webhook to make."""

    url = serializers.CharField(max_length=500, help_text="https, a public host.")
    kinds = Items(
        child=serializers.CharField(max_length=40), required=False, max_length=50, help_text=KINDS_HELP
    )
    tournament = serializers.CharField(
        max_length=16, required=False, allow_null=True, help_text="Only its events; null: all you may see."
    )
    name = serializers.CharField(max_length=80, required=False, allow_blank=True)


class WebhookChanges(WebhookIn):
    """What of a webhook can be changed."""

    url = serializers.CharField(max_length=500, required=False, help_text="https, a public host.")
    state = Choice(["active", "paused"], required=False)


class WebhookOut(RowOut[Webhook]):
    """A webhook without its secret."""

    id = PublicId()
    tournament = serializers.CharField(source="tournament.public_id", allow_null=True, default=None)
    kinds = serializers.ListField(child=serializers.CharField(), read_only=True, help_text=KINDS_HELP)
    failures = serializers.IntegerField(read_only=True, help_text="Failed attempts in a row.")
    rests_until = serializers.DateTimeField(
        read_only=True, allow_null=True, help_text="After failures nothing is sent before this."
    )
    missed = serializers.IntegerField(
        read_only=True, help_text="Events not queued because too many deliveries waited."
    )
    old_secret_until = serializers.DateTimeField(
        read_only=True, allow_null=True, help_text="Until then the secret before the present one signs, too."
    )

    class Meta:
        model = Webhook
        fields = (
            "id",
            "name",
            "url",
            "kinds",
            "tournament",
            "state",
            "state_reason",
            "failures",
            "failing_since",
            "rests_until",
            "missed",
            "old_secret_until",
            "created_at",
            "delivered_at",
        )


class WebhookMade(WebhookOut):
    """A webhook with its new secret, shown this once."""

    secret = serializers.CharField(
        source="shown_secret", read_only=True, help_text="Keep it: it cannot be shown again."
    )

    class Meta:
        model = Webhook
        fields = (*WebhookOut.Meta.fields, "secret")


class DeliveryOut(RowOut[Delivery]):
    """One event on its way to one webhook, or arrived, or failed."""

    id = PublicId()
    webhook_id = serializers.CharField(
        source="message_id", read_only=True, help_text="The header webhook-id of all its attempts."
    )
    event = serializers.IntegerField(read_only=True, allow_null=True, help_text="Null for a test ping.")
    payload = serializers.CharField(read_only=True, help_text="The body as it is sent: JSON.")
    next_at = serializers.DateTimeField(
        read_only=True, allow_null=True, help_text="No attempt before; null once it is over."
    )
    expires_at = serializers.DateTimeField(read_only=True, help_text="Waiting longer, it has failed.")
    last_status = serializers.IntegerField(
        read_only=True, allow_null=True, help_text="HTTP status of the last attempt; null: no answer."
    )
    last_error = serializers.CharField(
        read_only=True, help_text="Why the last attempt failed: code and words."
    )
    duration_ms = serializers.IntegerField(
        read_only=True, allow_null=True, help_text="What the last attempt took."
    )

    class Meta:
        model = Delivery
        fields = (
            "id",
            "webhook_id",
            "event",
            "kind",
            "state",
            "attempts",
            "next_at",
            "expires_at",
            "last_status",
            "last_error",
            "duration_ms",
            "created_at",
            "attempted_at",
            "delivered_at",
            "payload",
        )
