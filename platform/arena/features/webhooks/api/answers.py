"""API answers for webhooks and deliveries."""

from __future__ import annotations

import datetime
from typing import Annotated, TypedDict

from rest_framework.request import Request

from arena.api.base.shapes import build_shape
from arena.features.webhooks.api.serializers import KINDS_HELP
from arena.features.webhooks.models import Delivery, Webhook


class WebhookOut(TypedDict):
    """A webhook without its secret."""

    id: str
    name: str
    url: str
    format: Annotated[str, Webhook.Format]
    language: Annotated[str, Webhook.Language]
    kinds: Annotated[list[str], KINDS_HELP]
    tournament: str | None
    state: Annotated[str, Webhook.State]
    state_reason: str
    failures: Annotated[int, "Consecutive failed attempts."]
    failing_since: datetime.datetime | None
    backoff_until: Annotated[datetime.datetime | None, "No attempt before this time, after failures."]
    missed: Annotated[int, "Events not queued because too many deliveries waited."]
    old_secret_until: Annotated[datetime.datetime | None, "Until then, the previous secret signs too."]
    created_at: datetime.datetime
    delivered_at: datetime.datetime | None


class WebhookMade(WebhookOut):
    """A webhook with its new secret, which is returned only once."""

    secret: Annotated[str, "Store it: it is returned only once."]


class DeliveryOut(TypedDict):
    """The delivery of one event to one webhook."""

    id: str
    webhook_id: Annotated[str, "Header webhook-id of all attempts."]
    event: Annotated[int | None, "Null for a test ping."]
    kind: str
    state: Annotated[str, Delivery.State]
    attempts: int
    next_at: Annotated[datetime.datetime | None, "No attempt before this time; null after the end."]
    expires_at: Annotated[datetime.datetime, "Deadline, after which a waiting delivery fails."]
    last_status: Annotated[int | None, "HTTP status of the last attempt; null without an answer."]
    last_error: Annotated[str, "Error of the last attempt: code and text."]
    duration_ms: Annotated[int | None, "Duration of the last attempt."]
    created_at: datetime.datetime
    attempted_at: datetime.datetime | None
    delivered_at: datetime.datetime | None
    payload: Annotated[str, "JSON body, exactly as sent."]


def webhook_out(webhook: Webhook, _: Request) -> WebhookOut:
    tournament = webhook.tournament.public_id if webhook.tournament else None
    return build_shape(WebhookOut, webhook, tournament=tournament)


def webhook_made(created: tuple[Webhook, str], request: Request) -> WebhookMade:
    webhook, secret = created
    return {**webhook_out(webhook, request), "secret": secret}


def delivery_out(delivery: Delivery, _: Request) -> DeliveryOut:
    return build_shape(DeliveryOut, delivery, webhook_id=delivery.message_id)
