"""Feature descriptor of webhooks."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from django.db.models import Q

from arena.accounts.models import User
from arena.common.features import AccountDeletion, Feature, StaleRows, StateDeadline
from arena.common.plain_rows import plain_rows
from arena.features.webhooks.models import Delivery, Webhook
from arena.features.webhooks.tasks import deliveries_due


def _own_data(user: User) -> dict[str, Any]:
    rows = Webhook.objects.filter(user=user).order_by("id")
    return {"webhooks": plain_rows(rows, "id=public_id name url kinds state")}


def _delete_account(closing: AccountDeletion) -> tuple[()]:
    Webhook.objects.filter(user=closing.user).delete()
    return ()


def _stale_rows(now: datetime.datetime) -> Iterator[StaleRows]:
    yield StaleRows(
        "delivery",
        Delivery.objects.filter(state=Delivery.State.WAITING),
        [
            StateDeadline("waiting", "created_at", Q(), None),
            StateDeadline("overdue", "expires_at", Q(expires_at__lte=now), 0.0),
        ],
    )


WEBHOOKS = Feature(
    name="webhooks",
    api_urls="arena.features.webhooks.api_urls",
    tick=[deliveries_due],
    own_data=_own_data,
    delete_account=_delete_account,
    stale_rows=_stale_rows,
)
