"""Delays before a table or check that failed by a platform fault may be claimed again."""

from __future__ import annotations

import datetime
import random
from collections.abc import Sequence

from django.conf import settings
from django.db.models import Q


def backoff_s(failures: int) -> float:
    """Return the seconds to wait after this many failures (from 1): growing, and random within bounds."""
    waits: Sequence[tuple[float, float]] = settings.TABLE_BACKOFF_S
    return random.uniform(*waits[min(failures, len(waits)) - 1])


def retry_is_due(now: datetime.datetime) -> Q:
    return Q(retry_at=None) | Q(retry_at__lte=now)
