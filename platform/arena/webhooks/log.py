"""Reading the log of events in order, without missing what commits late.

Ids are given after commit (``arena.accounts.events``), so that no line ever appears below one that was seen.
These functions see to it that what is committed gets its id; call them outside of any transaction.
"""

from __future__ import annotations

from django.db.models import Max, Min, QuerySet

from arena.accounts.events import events_settle
from arena.accounts.models import Event


def last_id() -> int:
    """Id of the newest event committed before this call; 0 if there never was one.

    Whatever commits later gets a greater one. One query, two on PostgreSQL.

    Raises:
        RuntimeError: it was called within a transaction.
    """
    events_settle(wait=True)
    return int(Event.objects.aggregate(last=Max("id"))["last"] or 0)


def first_id() -> int:
    """Id of the oldest event kept; 0 if there is none. One query."""
    return int(Event.objects.aggregate(first=Min("id"))["first"] or 0)


def settled_after(after: int, most: int, rows: QuerySet[Event] | None = None) -> list[Event]:
    """Up to ``most`` events with ids above ``after``, in order: no event will ever appear among them.

    ``rows`` may join tables or leave events out. One query, two on PostgreSQL.

    Raises:
        RuntimeError: it was called within a transaction.
    """
    events_settle()
    source = Event.objects.all() if rows is None else rows
    return list(source.filter(pk__gt=after).order_by("pk")[:most])
