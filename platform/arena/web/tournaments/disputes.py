"""One sentence on the rulings and forfeits of a tournament, and on when problems can be reported."""

from __future__ import annotations

import datetime
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.competition.models import Tournament
from arena.competition.reviews import is_in_review
from arena.matches.fixture_selectors import irregular_fixtures
from arena.web.base.wording import join_facts

State = Tournament.State


class Disputes(NamedTuple):
    ruled: int
    """Fixtures of finished rounds with a ruling in force."""
    forfeited: int
    """Fixtures of finished rounds with a forfeited table."""
    period: str
    """Time to report problems: ``during`` play, ``review``, ``over``; empty if there is none."""
    until: datetime.datetime | None
    """End of the review, once it is known."""
    facts: str
    """The numbers above 0 as text."""
    hours: int
    """Planned hours of the review."""


def build_disputes(tournament: Tournament) -> Disputes | None:
    """Return the facts; None before the first round, and if there is nothing to say. Two queries."""
    if tournament.state in (State.DRAFT, State.OPEN, State.LOCKED, State.CANCELLED):
        return None
    counts = irregular_fixtures(tournament)
    period = _period(tournament)
    if not (counts.ruled or counts.forfeited or period):
        return None
    texts = [
        (
            counts.ruled,
            ngettext("%(count)d fixture with a ruling", "%(count)d fixtures with a ruling", counts.ruled),
        ),
        (
            counts.forfeited,
            ngettext(
                "%(count)d fixture with a forfeited table",
                "%(count)d fixtures with a forfeited table",
                counts.forfeited,
            ),
        ),
    ]
    return Disputes(
        counts.ruled,
        counts.forfeited,
        period,
        tournament.review_until if period in ("review", "over") else None,
        join_facts(text % {"count": count} for count, text in texts if count) or _("no rulings or forfeits"),
        tournament.review_hours,
    )


def _period(tournament: Tournament) -> str:
    if tournament.kind != Tournament.Kind.TOURNAMENT:
        return ""
    if tournament.state in (State.RUNNING, State.PAUSED):
        return "during"
    if is_in_review(tournament):
        return "review"
    return "over" if tournament.review_until is not None else ""
