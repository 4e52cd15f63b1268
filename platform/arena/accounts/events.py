"""What happened, told to those who watch: one line an event, written by the service that made the change.

Who may read which line: ``arena.competition.events.events_visible_to``, as it depends on tournaments.
"""

from __future__ import annotations

import datetime
from typing import Any

from django.utils import timezone

from arena.accounts.models import Event, User

KINDS = (
    "tournament.opened",
    "tournament.locked",
    "tournament.started",
    "tournament.paused",
    "tournament.resumed",
    "tournament.provisional",
    "tournament.final",
    "tournament.archived",
    "tournament.cancelled",
    "round.opened",
    "round.closed",
    "fixture.done",
    "standings.updated",
    "entry.entered",
    "entry.pending",
    "entry.withdrawn",
    "entry.left",
    "table.quarantined",
    "version.ready",
    "version.rejected",
    "version.suspended",
    "version.reinstated",
    "series.edition",
    "budget.spent",
)
"""Every kind of event there is, as webhooks may ask for them."""

KEPT_DAYS = 14


def event_add(kind: str, thing: Any, *, tournament: str = "", user: User | None = None, **data: Any) -> Event:
    """Add one line to what watchers learn. ``thing`` has a ``public_id``; one query.

    With a ``tournament`` (its public id) everybody who sees that reads it; with a ``user`` only that
    account and staff. ``data`` must be JSON and say nothing sealed. Call it inside the transaction of
    the change, so that nobody learns of what did not happen.

    Raises:
        ValueError: an unknown kind, or neither a tournament nor a user.
    """
    if kind not in KINDS:
        raise ValueError(f"unknown kind of event {kind!r}")
    if not tournament and user is None:
        raise ValueError(f"{kind} of {thing.public_id}: nobody would learn of it")
    return Event.objects.create(
        kind=kind,
        tournament=tournament,
        thing_kind=thing._meta.model_name,
        thing_id=thing.public_id,
        user=user,
        data=data,
    )


def events_prune(days: int = KEPT_DAYS) -> int:
    """Delete events older than so many days; how many there were."""
    before = timezone.now() - datetime.timedelta(days=days)
    return Event.objects.filter(at__lt=before).delete()[0]
