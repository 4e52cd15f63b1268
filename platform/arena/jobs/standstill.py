"""Recovery after a standstill: send messages again that the broker lost, and extend leases.

The tick stores a mark in broker and database, with the broker's run id. If either differs, messages may be
lost; a late tick shows that nothing was running.
"""

from __future__ import annotations

import datetime
import logging
import secrets

import redis
from django.utils import timezone

from arena.jobs.flow import audits_forget
from arena.matches.leases import leases_extend
from arena.matches.models import TickState
from arena.matches.waits import all_tables_mark_unpublished

log = logging.getLogger(__name__)

MARK_KEY = "rensho:queue-mark"
LATE_S = 20.0
"""Seconds without a tick, two intervals, after which messages and leases may have expired."""


def standstill_repair(broker: redis.Redis) -> None:
    """Detect and repair losses since the last tick; called at the start of each tick. Three queries."""
    state, _ = TickState.objects.get_or_create(pk=1)
    now = timezone.now()
    last, state.ticked_at = state.ticked_at, now
    if last is not None and now - last > datetime.timedelta(seconds=LATE_S):
        extended = leases_extend()
        offered = all_tables_mark_unpublished()
        log.warning(
            "no tick for %.0f s: %d leases extended, %d tables offered again",
            (now - last).total_seconds(),
            extended,
            offered,
        )
    TickState.objects.filter(pk=1).update(ticked_at=now)
    try:
        _queue_check(broker, state)
    except redis.RedisError as error:
        log.warning("whether the queue has lost messages is not known: %s", error)


def tick_end() -> None:
    """Store that a tick has ended, for its age. One query."""
    TickState.objects.filter(pk=1).update(ended_at=timezone.now())


def _queue_check(broker: redis.Redis, state: TickState) -> None:
    mark = _mark(broker)
    if mark and mark == state.queue_id:
        return
    if state.queue_id:
        offered = all_tables_mark_unpublished()
        audits_forget()
        log.warning("the queue was lost or restarted: %d tables offered again", offered)
    # The broker first: if the row cannot be written, the next tick finds a difference again.
    broker.set(MARK_KEY, secrets.token_hex(8))
    TickState.objects.filter(pk=1).update(queue_id=_mark(broker))


def _mark(broker: redis.Redis) -> str:
    """Return the broker's mark and the run id of its server; empty if it has no mark."""
    value = broker.get(MARK_KEY)
    if not isinstance(value, bytes):
        return ""
    try:
        run = str(broker.info("server").get("run_id", ""))
    except redis.ResponseError:
        run = ""  # not every account of a shared server may ask
    return f"{value.decode(errors='replace')[:40]}:{run[:60]}"
