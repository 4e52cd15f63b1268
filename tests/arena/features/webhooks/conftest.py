"""Webhooks of the cast, events, and a world in which sending is told, not done."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from arena.accounts.events import newest_event_id
from arena.accounts.models import User
from arena.features.webhooks.attempts import deliveries_send
from arena.features.webhooks.fanout import deliveries_queue
from arena.features.webhooks.models import Cursor, Delivery, Webhook
from arena.features.webhooks.selectors import deliveries_to_send
from arena.features.webhooks.sending import Attempt, WebhookRequest
from arena.features.webhooks.services import webhook_create
from tests import factories

URL = "https://receiver.example/hook"


@pytest.fixture(autouse=True)
def _cursor(db: None) -> None:
    """The log is read from its beginning."""
    Cursor.objects.create(name="webhooks", event=0)


def a_webhook(user: User, **fields: object) -> Webhook:
    """An active webhook."""
    return webhook_create(user, **{"url": URL, **fields})[0]  # type: ignore[arg-type]


def delivery_kinds(webhook: Webhook) -> list[str]:
    """Kinds of the deliveries of a webhook, oldest first."""
    return list(webhook.deliveries.order_by("id").values_list("kind", flat=True))


class Post:
    """Stands for the network: answers as it was told to, and keeps what was sent."""

    def __init__(self, *statuses: int | str) -> None:
        self.statuses = list(statuses)
        self.sent: list[WebhookRequest] = []

    def __call__(self, requests: Sequence[WebhookRequest], timeout_s: float) -> list[Attempt]:
        answers = []
        for request in requests:
            self.sent.append(request)
            status = self.statuses.pop(0) if self.statuses else 200
            if isinstance(status, str):
                answers.append(Attempt(None, status, 5))
            else:
                ok = 200 <= status <= 299
                answers.append(Attempt(status, "" if ok else f"status: {status}", 5))
        return answers


def a_delivery(webhook: Webhook) -> Delivery:
    """One delivery, waiting: of a round's end alone."""
    event = factories.an_open_tournament()
    Cursor.objects.update(event=newest_event_id())
    factories.an_event(event)
    deliveries_queue()
    return webhook.deliveries.latest("id")


def send(post: Post) -> int:
    """What a tick sends."""
    return deliveries_send(deliveries_to_send(16), post)
