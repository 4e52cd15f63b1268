"""What the tick does for recurring cups."""

from __future__ import annotations

import logging

from django.utils import timezone

from arena.competition.editions import edition_make, series_to_make

log = logging.getLogger(__name__)

AT_ONCE = 20
"""Editions of one call: a tick has other things to do."""


def series_due() -> int:
    """For the tick: make the editions that are due; how many were made. Safe to run twice at once."""
    made = 0
    for series in series_to_make(timezone.now())[:AT_ONCE]:
        try:
            made += edition_make(series) is not None
        except Exception:
            # One cup that cannot go on must not hold up the others.
            log.exception("series %s", series.public_id)
    return made
