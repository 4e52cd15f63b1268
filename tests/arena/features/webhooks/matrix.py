"""Who may do what with webhooks over the API."""

from __future__ import annotations

from arena.features.webhooks.models import Cursor
from tests.arena.api.roles import USERS, Row, by
from tests.arena.features.webhooks.conftest import a_delivery, a_webhook
from tests.factories import aya

ROWS: list[Row] = [
    ("GET webhooks", "webhooks", {}, USERS),
    ("POST webhooks", "webhooks", {"url": "https://receiver.example/hook"}, by(401, 201)),
    ("GET webhook", "webhooks/{webhook}", {}, by(401, 404, aya=200, sota=200)),
    ("PATCH webhook", "webhooks/{webhook}", {"name": "x"}, by(401, 404, aya=200, sota=200)),
    ("DELETE webhook", "webhooks/{webhook}", {}, by(401, 404, aya=204, sota=204)),
    ("POST rotate", "webhooks/{webhook}/rotate", {}, by(401, 404, aya=200, sota=200)),
    ("POST ping", "webhooks/{webhook}/ping", {}, by(401, 404, aya=202, sota=202)),
    ("GET deliveries", "webhooks/{webhook}/deliveries", {}, by(401, 404, aya=200, sota=200)),
    ("GET delivery", "webhooks/{webhook}/deliveries/{delivery}", {}, by(401, 404, aya=200, sota=200)),
    (
        "POST redeliver",
        "webhooks/{webhook}/deliveries/{delivery}/redeliver",
        {},
        by(401, 404, aya=409, sota=409),
    ),
]


def things(names: dict[str, str]) -> dict[str, str]:
    """What the addresses of these rows need, made in the world that has these names."""
    Cursor.objects.update_or_create(name="webhooks", defaults={"event": 0})
    webhook = a_webhook(aya())
    return {"webhook": webhook.public_id, "delivery": a_delivery(webhook).public_id}
