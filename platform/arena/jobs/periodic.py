"""What the tick does for rows that are due: it makes editions and deletes old rows."""

from __future__ import annotations

import datetime
import logging

from django.utils import timezone

from arena.accounts.events import events_prune
from arena.accounts.form_drafts import drafts_prune
from arena.accounts.models import IdempotencyKey
from arena.competition.series.editions import due_series, edition_create

log = logging.getLogger(__name__)

EDITIONS_AT_ONCE = 20
"""Editions of one call: a tick has other things to do."""
KEY_HOURS = 24
"""How long an answer is kept for a request that is sent again."""


def series_due() -> int:
    """Make the editions that are due; how many were made. Safe to run twice at once."""
    made = 0
    for series in due_series(timezone.now())[:EDITIONS_AT_ONCE]:
        try:
            made += edition_create(series) is not None
        except Exception:
            # A cup that cannot go on must not hold up the others.
            log.exception("series %s", series.public_id)
    return made


def rows_prune() -> int:
    """Delete events, drafts of forms, and keys of requests, whose time is over; how many rows."""
    before = timezone.now() - datetime.timedelta(hours=KEY_HOURS)
    return events_prune() + drafts_prune() + IdempotencyKey.objects.filter(created_at__lt=before).delete()[0]
