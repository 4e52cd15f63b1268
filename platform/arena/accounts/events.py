"""The log of public and personal events, from which streams and webhooks read.

Events become visible in the order of their ids, so a reader that continues from the last id it read misses
none (docs/decisions/0011). On PostgreSQL, which has many writers, events are inserted into ``PendingEvent``;
after the commit, the next reader moves them to the log, which assigns their ids.
``arena.competition.selectors.events_visible_to`` decides who may read an event.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
from collections.abc import Collection
from typing import Any

from django.conf import settings
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

FAMILIES = tuple(dict.fromkeys(f"{kind.partition('.')[0]}.*" for kind in KINDS))
"""Patterns that stand for all kinds of a family, such as ``round.*``."""

SETTLE_BATCH_SIZE = 1000
"""Maximum events that one statement moves to the log."""
LOCK_KEY = int.from_bytes(b"rensho:e", "big")
"""Key of the PostgreSQL advisory lock that is held while events get their ids."""
LOCK_WAIT_MS = 1000
"""Maximum milliseconds to wait for that lock."""

# One statement, so the transaction cannot stay open. Its snapshot may be older than its lock:
# locking a row reveals whether it was moved meanwhile. A row locked by another transaction
# (its account is being deleted) is skipped and moved later.
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
    INSERT INTO accounts_event (created_at, kind, tournament, object_kind, object_id, user_id, data)
    SELECT created_at, kind, tournament, object_kind, object_id, user_id, data FROM moved ORDER BY id
"""


def event_add(
    kind: str,
    instance: Any,
    *,
    tournament: str = "",
    user: User | None = None,
    **data: Any,
) -> None:
    """Add one event to the log. ``instance`` is a model instance with a ``public_id``. One query.

    With a ``tournament`` (its public id), its readers can read the event; with a ``user``, only that account
    and staff. ``data`` must be JSON without anything sealed. Call it inside the transaction of the change.
    Raises ValueError.
    """
    if kind not in KINDS:
        raise ValueError(f"unknown kind of event {kind!r}")
    if not tournament and user is None:
        raise ValueError(f"{kind} of {instance.public_id}: neither a tournament nor a user is given")
    fields = {
        "kind": kind,
        "tournament": tournament,
        "object_kind": instance._meta.model_name,
        "object_id": instance.public_id,
        "user": user,
        "data": data,
    }
    if _has_concurrent_writers():
        PendingEvent.objects.create(**fields)
    else:
        Event.objects.create(**fields)


def kind_matches(kind: str, kinds: Collection[str]) -> bool:
    """Return whether a kind is among ``kinds``, which may contain families; an empty one matches all.

    >>> kind_matches("round.opened", ["round.*"]), kind_matches("round.opened", ["entry.left"])
    (True, False)
    """
    return not kinds or kind in kinds or f"{kind.partition('.')[0]}.*" in kinds


def event_body(event: Event) -> dict[str, Any]:
    """Return an event as webhooks, streams and lists send it. No query."""
    return {
        "id": event.pk,
        "type": event.kind,
        "timestamp": event.created_at.isoformat().replace("+00:00", "Z"),
        "tournament": event.tournament or None,
        "object": {"kind": event.object_kind, "id": event.object_id},
        "data": event.data,
    }


def _has_concurrent_writers() -> bool:
    """Return whether transactions of this database run concurrently, and so may commit in any order."""
    return connection.vendor != "sqlite"


def events_settle(*, wait: bool = False) -> int:
    """Move committed pending events to the log, which assigns their ids; return how many.

    Readers of the log call it first, outside of any transaction (RuntimeError). If another process holds the
    lock, return at once; with ``wait``, wait for it up to ``LOCK_WAIT_MS``, after which the log contains
    everything committed before the call. A database error is logged and not raised. Usually one statement;
    none on SQLite.
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
        log.warning("committed events could not be moved to the log: %s", error)
    return settled


def events_prune() -> int:
    """Delete old events, except the newest, which preserves the last id; return how many."""
    before = timezone.now() - datetime.timedelta(days=settings.RETENTION.events_days)
    newest = Event.objects.order_by("-pk").values("pk")[:1]
    return Event.objects.filter(created_at__lt=before).exclude(pk=newest).delete()[0]


def newest_event_id() -> int:
    """Return the id of the newest event committed before this call; 0 if there has been none.

    Later commits get higher ids. Two queries at most. Raises RuntimeError inside a transaction.
    """
    events_settle(wait=True)
    return int(Event.objects.aggregate(last=Max("id"))["last"] or 0)


def oldest_event_id() -> int:
    """Return the id of the oldest stored event; 0 if there is none. One query."""
    return int(Event.objects.aggregate(first=Min("id"))["first"] or 0)


def events_after(after: int, most: int, rows: QuerySet[Event] | None = None) -> list[Event]:
    """Return up to ``most`` events with ids above ``after``, in order. The result never gains an event later.

    ``rows`` may join tables or filter events. Two queries at most. Raises RuntimeError inside a transaction.
    """
    events_settle()
    source = Event.objects.all() if rows is None else rows
    return list(source.filter(pk__gt=after).order_by("pk")[:most])
