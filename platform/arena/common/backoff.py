"""How long tables and checks wait after a fault of the platform before they may be claimed again."""

from __future__ import annotations

import datetime
import random
from collections.abc import Sequence

from django.conf import settings
from django.db.models import Q


def backoff_s(failures: int) -> float:
    """Seconds to wait after so many failures, from 1: longer each time, drawn at random between two bounds,
    so that what failed together does not come back together."""
    waits: Sequence[tuple[float, float]] = settings.TABLE_BACKOFF_S
    return random.uniform(*waits[min(failures, len(waits)) - 1])


def retry_is_due(now: datetime.datetime) -> Q:
    """Rows with a ``retry_at`` that may be claimed at this time: none that waits after a failure."""
    return Q(retry_at=None) | Q(retry_at__lte=now)
