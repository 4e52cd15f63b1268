"""The review of an event: the time after the last round in which results can be ruled on."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from arena.competition.models import Round, Tournament

MAX_REVIEW_HOURS = 72
MIN_REVIEW_AFTER_RULING = timedelta(hours=1)
"""Minimum review after a ruling, so that entrants can object."""
MAX_REVIEW = timedelta(days=7)
"""Maximum time from the first provisional state to the end of the review, including restarts."""


def review_columns(tournament: Tournament) -> dict[str, Any]:
    """Return the columns to store when a tournament becomes provisional; its audit is reset.

    The full review starts at the first time, and again if rounds were drawn since; after a ruling or a rerun
    at least ``MIN_REVIEW_AFTER_RULING`` remains. One query.
    """
    now = timezone.now()
    rounds = Round.objects.filter(stage__tournament=tournament).count()
    first = tournament.provisional_at or now
    if tournament.review_until is not None and rounds <= tournament.review_rounds:
        until: datetime | None = max(tournament.review_until, now + MIN_REVIEW_AFTER_RULING)
    else:
        until = now + timedelta(hours=tournament.review_hours) if tournament.review_hours else None
    return {
        "provisional_at": first,
        "review_rounds": rounds,
        "review_until": None if until is None else min(until, first + MAX_REVIEW),
        "audit_disagreements": None,
    }


def is_in_review(tournament: Tournament) -> bool:
    return (
        tournament.state == Tournament.State.PROVISIONAL
        and tournament.review_until is not None
        and tournament.review_until > timezone.now()
    )


def review_end(tournament: Tournament) -> datetime:
    """Return the end of the review; without a review, the time when it became provisional."""
    return max(tournament.state_at, tournament.review_until or tournament.state_at)
