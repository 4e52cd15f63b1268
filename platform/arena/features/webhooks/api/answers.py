"""Webhooks and their deliveries."""

from __future__ import annotations

import datetime
from typing import Annotated, TypedDict

from rest_framework.request import Request

from arena.api.base.shapes import answer_from
from arena.features.webhooks.api.serializers import KINDS_HELP
from arena.features.webhooks.models import Delivery, Webhook


class WebhookOut(TypedDict):
    """A webhook without its secret."""

    id: str
    name: str
    url: str
    kinds: Annotated[list[str], KINDS_HELP]
    tournament: str | None
    state: Annotated[str, Webhook.State]
    state_reason: str
    failures: Annotated[int, "Failed attempts in a row."]
    failing_since: datetime.datetime | None
    rests_until: Annotated[datetime.datetime | None, "After failures nothing is sent before this."]
    missed: Annotated[int, "Events not queued because too many deliveries waited."]
    old_secret_until: Annotated[
        datetime.datetime | None, "Until then the secret before the present one signs, too."
    ]
    created_at: datetime.datetime
    delivered_at: datetime.datetime | None


class WebhookMade(WebhookOut):
    """A webhook with its new secret, shown this once."""

    secret: Annotated[str, "Keep it: it cannot be shown again."]


class DeliveryOut(TypedDict):
    """One event on its way to one webhook, or arrived, or failed."""

    id: str
    webhook_id: Annotated[str, "The header webhook-id of all its attempts."]
    event: Annotated[int | None, "Null for a test ping."]
    kind: str
    state: Annotated[str, Delivery.State]
    attempts: int
    next_at: Annotated[datetime.datetime | None, "No attempt before; null once it is over."]
    expires_at: Annotated[datetime.datetime, "Waiting longer, it has failed."]
    last_status: Annotated[int | None, "HTTP status of the last attempt; null: no answer."]
    last_error: Annotated[str, "Why the last attempt failed: code and words."]
    duration_ms: Annotated[int | None, "What the last attempt took."]
    created_at: datetime.datetime
    attempted_at: datetime.datetime | None
    delivered_at: datetime.datetime | None
    payload: Annotated[str, "The body as it is sent: JSON."]


def webhook_out(webhook: Webhook, _: Request) -> WebhookOut:
    """A webhook."""
    tournament = webhook.tournament.public_id if webhook.tournament else None
    return answer_from(WebhookOut, webhook, tournament=tournament)


def webhook_made(made: tuple[Webhook, str], request: Request) -> WebhookMade:
    """A webhook and its new secret."""
    webhook, secret = made
    return {**webhook_out(webhook, request), "secret": secret}


def delivery_out(delivery: Delivery, _: Request) -> DeliveryOut:
    """A delivery."""
    return answer_from(DeliveryOut, delivery, webhook_id=delivery.message_id)
