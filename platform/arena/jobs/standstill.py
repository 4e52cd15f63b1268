"""After a standstill: messages the queue forgot are sent again, leases nobody could renew are extended.

The tick writes a mark into the broker and remembers it in the database, with the run of the broker's
server. If either is another one, the broker may have lost what it held; a tick that comes late says that
nothing worked.
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
"""Two ticks: whoever comes later than that after the last one finds messages that ran out and leases that
did."""


def standstill_repair(broker: redis.Redis) -> None:
    """For the beginning of a tick: find out what was lost since the last one, and make it good. Three
    queries."""
    state, _ = TickState.objects.get_or_create(pk=1)
    now = timezone.now()
    last, state.at = state.at, now
    if last is not None and now - last > datetime.timedelta(seconds=LATE_S):
        extended = leases_extend()
        offered = all_tables_mark_unpublished()
        log.warning(
            "no tick for %.0f s: %d leases extended, %d tables offered again",
            (now - last).total_seconds(),
            extended,
            offered,
        )
    TickState.objects.filter(pk=1).update(at=now)
    try:
        _queue_check(broker, state)
    except redis.RedisError as error:
        log.warning("whether the queue has lost messages is not known: %s", error)


def _queue_check(broker: redis.Redis, state: TickState) -> None:
    """Offer everything again if the broker has not the memory it had at the last tick."""
    found = _mark(broker)
    if found and found == state.queue_mark:
        return
    if state.queue_mark:
        offered = all_tables_mark_unpublished()
        audits_forget()
        log.warning("the queue was lost or restarted: %d tables offered again", offered)
    # The broker first: if the row cannot be written, the next tick finds a difference again.
    broker.set(MARK_KEY, secrets.token_hex(8))
    TickState.objects.filter(pk=1).update(queue_mark=_mark(broker))


def _mark(broker: redis.Redis) -> str:
    """The mark the broker holds and the run of its server; empty if it holds none."""
    held = broker.get(MARK_KEY)
    if not isinstance(held, bytes):
        return ""
    try:
        run = str(broker.info("server").get("run_id", ""))
    except redis.ResponseError:
        run = ""  # not every account of a shared server may ask
    return f"{held.decode(errors='replace')[:40]}:{run[:60]}"
