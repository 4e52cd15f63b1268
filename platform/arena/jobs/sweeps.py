"""Rows that have served their time: what the tick deletes."""

from __future__ import annotations

import datetime

from django.utils import timezone

from arena.accounts.events import events_prune
from arena.accounts.models import IdempotencyKey

KEY_HOURS = 24
"""How long an answer is kept for a request that is sent again."""


def keys_prune(hours: int = KEY_HOURS) -> int:
    """Delete the keys of requests older than so many hours, answered or not; how many there were."""
    before = timezone.now() - datetime.timedelta(hours=hours)
    return IdempotencyKey.objects.filter(created_at__lt=before).delete()[0]


def rows_prune() -> int:
    """Delete events and idempotency keys whose time is over; how many rows."""
    return events_prune() + keys_prune()
