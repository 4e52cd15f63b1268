"""The review of an event: time after the last round in which results are provisional and can be ruled on."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from arena.competition.models import Round, Tournament

MAX_REVIEW_HOURS = 72
MIN_REVIEW_AFTER_RULING = timedelta(hours=1)
"""Time left after a ruling, so that entrants can object to it."""
MAX_REVIEW = timedelta(days=7)
"""From the first time that an event became provisional, however often its review restarts."""


def review_columns(tournament: Tournament) -> dict[str, Any]:
    """Columns to change as a tournament becomes provisional: its deadline, and that it is not audited yet.

    The full period starts the first time, and again if rounds were drawn since it started. Otherwise (after a
    ruling or a rerun) the deadline stays, at least an hour away. One query.
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
    """Whether it is provisional and its deadline has not passed. No query."""
    return (
        tournament.state == Tournament.State.PROVISIONAL
        and tournament.review_until is not None
        and tournament.review_until > timezone.now()
    )


def review_end(tournament: Tournament) -> datetime:
    """When the review of a provisional tournament ends; without a review, when it became provisional."""
    return max(tournament.state_at, tournament.review_until or tournament.state_at)
