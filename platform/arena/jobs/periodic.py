"""Periodic work on rows that are due: editions of series, deletion of old rows."""

from __future__ import annotations

import datetime
import logging

from django.conf import settings
from django.utils import timezone

from arena.accounts.events import events_prune
from arena.accounts.form_drafts import drafts_prune
from arena.accounts.models import IdempotencyKey
from arena.common.blob_expiry import blobs_expire
from arena.common.models import Blob
from arena.competition.series.editions import due_series, edition_create
from arena.matches.workers import workers_prune

log = logging.getLogger(__name__)

EDITIONS_AT_ONCE = 20
"""Maximum editions per call, to leave time for the rest of the tick."""
EXPIRY_S = 30.0
"""Maximum seconds per kind of blob and run."""
KEY_HOURS = 24
"""Hours that a response is kept for a retry with the same idempotency key."""


def series_due() -> int:
    editions = 0
    for series in due_series(timezone.now())[:EDITIONS_AT_ONCE]:
        try:
            editions += edition_create(series) is not None
        except Exception:
            # A failing cup must not block the others.
            log.exception("series %s", series.public_id)
    return editions


def blobs_expire_due() -> int:
    """Delete expired logs and times, and return how many."""
    days_by_kind = {
        Blob.Kind.LOG: settings.RETENTION.logs_days,
        Blob.Kind.TIMINGS: settings.RETENTION.timings_days,
    }
    return sum(blobs_expire(kind, days, EXPIRY_S) for kind, days in days_by_kind.items() if days)


def rows_prune() -> int:
    """Delete expired events, form drafts, idempotency keys and workers, and return the number of rows."""
    before = timezone.now() - datetime.timedelta(hours=KEY_HOURS)
    keys = IdempotencyKey.objects.filter(created_at__lt=before)
    return events_prune() + drafts_prune() + workers_prune() + keys.delete()[0]
