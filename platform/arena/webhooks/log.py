"""Reading the log of events in order, without missing one that is still being written.

Ids are given when a line is written and seen when its transaction ends, so on PostgreSQL a lower id may
appear after a higher one. Where an id is missing below young events, reading stops and waits: either the
line appears, or its transaction failed and ``PATIENCE`` ends the wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db.models import Max, Min, QuerySet
from django.utils import timezone

from arena.accounts.models import Event

PATIENCE = timedelta(seconds=30)


def last_id() -> int:
    """Id of the newest event there is; 0 if there is none. One query."""
    return int(Event.objects.aggregate(last=Max("id"))["last"] or 0)


def first_id() -> int:
    """Id of the oldest event kept; 0 if there is none. One query."""
    return int(Event.objects.aggregate(first=Min("id"))["first"] or 0)


def settled_after(after: int, most: int, rows: QuerySet[Event] | None = None) -> list[Event]:
    """Up to ``most`` events with ids above ``after``, in order, up to the first young gap.

    One query. ``rows`` may join tables, but must not leave events out: what is left out is a gap.
    """
    source = Event.objects.all() if rows is None else rows
    found = list(source.filter(pk__gt=after).order_by("pk")[:most])
    return found[: _whole(after, found)]


def _whole(after: int, events: Sequence[Event]) -> int:
    """How many of these events come before the first gap that may yet be filled."""
    young = timezone.now() - PATIENCE
    expected = after + 1
    for index, event in enumerate(events):
        # Before the first event of all, or after a pruning, nothing is expected.
        if event.pk != expected and event.at > young and after:
            return index
        expected = event.pk + 1
    return len(events)
