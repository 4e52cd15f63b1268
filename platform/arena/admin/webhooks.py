"""Webhooks and their deliveries in the admin: one's own, all for staff; secrets are never shown."""

from __future__ import annotations

from django.contrib import admin

from arena.admin.actions import AdminAction
from arena.admin.read_only import ReadOnlyPage, link_column
from arena.webhooks.models import Cursor, Delivery, Webhook
from arena.webhooks.services import delivery_redeliver, webhook_ping


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyPage):
    """Where accounts want events sent."""

    owner_path = "user"
    hidden = ("secret", "old_secret")
    staff_columns = ("user",)
    list_display = ("__str__", "public_id", "user", "url", "state", "failures", "missed", "delivered_at")
    list_filter = ("state",)
    list_select_related = ("user",)
    search_fields = ("name", "public_id", "url")
    date_hierarchy = "created_at"
    related = (("Deliveries", "webhooks_delivery", "webhook__id__exact"),)
    admin_actions = (
        AdminAction(
            "ping",
            "Send a test",
            "A test message is sent to the address.",
            lambda webhook, actor, asked: webhook_ping(webhook, actor),
            lambda webhook, actor: webhook.state == Webhook.State.ACTIVE and webhook.user_id == actor.pk,
        ),
    )


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyPage):
    """What is or was sent, newest first."""

    owner_path = "webhook__user"
    list_display = (
        "created_at",
        "kind",
        "target",
        "state",
        "attempts",
        "last_status",
        "last_error",
        "duration_ms",
        "next_at",
    )
    list_filter = ("state", "kind")
    list_select_related = ("webhook",)
    action_related = ("webhook__user",)
    search_fields = ("public_id", "webhook__public_id")
    date_hierarchy = "created_at"
    linked_by = ("webhook__id__exact",)
    admin_actions = (
        AdminAction(
            "redeliver",
            "Send again",
            "The same bytes are sent once more, with all attempts anew.",
            lambda delivery, actor, asked: delivery_redeliver(delivery, actor),
            lambda delivery, actor: delivery.state != Delivery.State.WAITING,
        ),
    )

    target = link_column("webhook", "webhook")
    """Where to."""


@admin.register(Cursor)
class CursorAdmin(ReadOnlyPage):
    """How far the log of events has been turned into deliveries."""

    list_display = ("name", "event", "moved_at")
