"""The log of what happened, for those who watch; a line is written by the service that made the change.

Lines become visible in the order of their ids, so that a reader that goes on from the last id it saw misses
none, however late a transaction commits (docs/decisions/0011). SQLite has one writer at a time: ids given by
it are in order of commit. PostgreSQL has many: their events are written to ``PendingEvent`` and moved to the
log, where they get their ids, once they are committed; by whoever reads next.

Who may read which line: ``arena.competition.selectors.events_visible_to``, as it depends on tournaments.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
from collections.abc import Collection
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.models import Max, Min, QuerySet
from django.utils import timezone

from arena.accounts.models import Event, PendingEvent, User

log = logging.getLogger(__name__)

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
    "fixture.ruled",
    "standings.updated",
    "entry.entered",
    "entry.pending",
    "entry.withdrawn",
    "entry.left",
    "table.quarantined",
    "report.opened",
    "report.closed",
    "version.ready",
    "version.rejected",
    "version.suspended",
    "version.reinstated",
    "series.edition",
    "budget.spent",
    "tournament.stalled",
    "tournament.recovered",
    "experiment.boards",
    "experiment.ended",
)
"""Every kind of event there is, as webhooks may ask for them."""

FAMILIES = tuple(dict.fromkeys(f"{kind.partition('.')[0]}.*" for kind in KINDS))
"""What may stand for all kinds of a family, such as ``round.*``."""

EVENT_RETENTION_DAYS = 14
SETTLE_BATCH_SIZE = 1000
"""Events moved by one statement."""
LOCK_KEY = int.from_bytes(b"rensho:e", "big")
"""Of PostgreSQL's advisory lock under which events get their ids."""
LOCK_WAIT_MS = 1000

# One statement, hence one transaction that no client can hold open. Its snapshot may be older than its lock:
# whether a row was moved meanwhile is found out as that row is locked. A row that somebody else has locked
# (its account is being deleted) comes later and holds up nobody.
SETTLE_SQL = """
    WITH held (is_ours) AS MATERIALIZED (
        SELECT CASE
            WHEN NOT %(wait)s THEN pg_try_advisory_xact_lock(%(key)s)
            WHEN set_config('lock_timeout', %(wait_ms)s, true) <> ''
            THEN pg_advisory_xact_lock(%(key)s)::text IS NOT NULL
        END
    ),
    moved AS (
        DELETE FROM accounts_pendingevent WHERE id = ANY (ARRAY(
            SELECT id FROM accounts_pendingevent WHERE (SELECT is_ours FROM held)
            ORDER BY id LIMIT %(most)s FOR UPDATE SKIP LOCKED
        ))
        RETURNING *
    )
    INSERT INTO accounts_event (at, kind, tournament, thing_kind, thing_id, user_id, data)
    SELECT at, kind, tournament, thing_kind, thing_id, user_id, data FROM moved ORDER BY id
"""


def event_add(kind: str, thing: Any, *, tournament: str = "", user: User | None = None, **data: Any) -> None:
    """Add one event for watchers. ``thing`` has a ``public_id``; one query.

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
    fields = {
        "kind": kind,
        "tournament": tournament,
        "thing_kind": thing._meta.model_name,
        "thing_id": thing.public_id,
        "user": user,
        "data": data,
    }
    if _has_concurrent_writers():
        PendingEvent.objects.create(**fields)
    else:
        Event.objects.create(**fields)


def kind_matches(kind: str, wanted: Collection[str]) -> bool:
    """Whether a kind is among the wanted ones; no wanted ones are all.

    >>> is_wanted("round.opened", ["round.*"]), is_wanted("round.opened", ["entry.left"])
    (True, False)
    """
    return not wanted or kind in wanted or f"{kind.partition('.')[0]}.*" in wanted


def event_body(event: Event) -> dict[str, Any]:
    """An event as the outside reads it, in webhooks, streams and lists. No query."""
    return {
        "id": event.pk,
        "type": event.kind,
        "timestamp": event.at.isoformat().replace("+00:00", "Z"),
        "tournament": event.tournament or None,
        "thing": {"kind": event.thing_kind, "id": event.thing_id},
        "data": event.data,
    }


def _has_concurrent_writers() -> bool:
    """Whether transactions of this database write side by side, and so commit in any order."""
    return connection.vendor != "sqlite"


def events_settle(*, wait: bool = False) -> int:
    """Give the committed events that have none their ids in the log; how many there were.

    Whoever reads the log calls it first, outside of any transaction: others wait for its lock. If somebody
    else is at it, it returns at once, or with ``wait`` when that is done (a second at most): then the log
    has everything that was committed before the call. A database that refuses is logged, not raised: what
    is in the log can be read all the same. One statement where there is little to do, none on SQLite.

    Raises:
        RuntimeError: it was called within a transaction.
    """
    values: dict[str, bool | int | str] = {"wait": wait, "wait_ms": str(LOCK_WAIT_MS)}
    values |= {"key": LOCK_KEY, "most": SETTLE_BATCH_SIZE}
    settled = 0
    # A transaction of its own within another is refused by Django, save in the one around a test.
    block = transaction.atomic(durable=True) if connection.in_atomic_block else contextlib.nullcontext()
    try:
        with block, connection.cursor() as cursor:
            while _has_concurrent_writers():
                cursor.execute(SETTLE_SQL, values)
                settled += cursor.rowcount
                if cursor.rowcount < SETTLE_BATCH_SIZE:
                    break
    except DatabaseError as error:
        log.warning("committed events wait for their place in the log: %s", error)
    return settled


def events_prune(days: int = EVENT_RETENTION_DAYS) -> int:
    """Delete events older than so many days but for the newest, which says how far the log got; how many."""
    before = timezone.now() - datetime.timedelta(days=days)
    newest = Event.objects.order_by("-pk").values("pk")[:1]
    return Event.objects.filter(at__lt=before).exclude(pk=newest).delete()[0]


def newest_event_id() -> int:
    """Id of the newest event committed before this call; 0 if there never was one.

    Whatever commits later gets a greater one. One query, two on PostgreSQL.

    Raises:
        RuntimeError: it was called within a transaction.
    """
    events_settle(wait=True)
    return int(Event.objects.aggregate(last=Max("id"))["last"] or 0)


def oldest_event_id() -> int:
    """Id of the oldest event kept; 0 if there is none. One query."""
    return int(Event.objects.aggregate(first=Min("id"))["first"] or 0)


def events_after(after: int, most: int, rows: QuerySet[Event] | None = None) -> list[Event]:
    """Up to ``most`` events with ids above ``after``, in order: no event will ever appear among them.

    ``rows`` may join tables or leave events out. One query, two on PostgreSQL.

    Raises:
        RuntimeError: it was called within a transaction.
    """
    events_settle()
    source = Event.objects.all() if rows is None else rows
    return list(source.filter(pk__gt=after).order_by("pk")[:most])
