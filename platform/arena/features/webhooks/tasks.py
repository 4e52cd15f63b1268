"""Celery task that sends deliveries, and the tick function that queues it."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable

from celery import shared_task
from kombu.exceptions import OperationalError

from arena.common.features import DueTournament
from arena.features.webhooks.attempts import deliveries_prune, deliveries_send, deliveries_sweep
from arena.features.webhooks.fanout import deliveries_queue
from arena.features.webhooks.selectors import deliveries_to_send
from arena.features.webhooks.sending import MAX_CONCURRENT

log = logging.getLogger(__name__)

BATCH_SIZE = 4 * MAX_CONCURRENT
"""Deliveries per message. They are sent 16 at a time, so slow receivers delay the queue once for all."""
DRAIN_S = 5.0
"""Seconds after which no further 16 are begun, because the tick uses the same queue."""
MESSAGE_EXPIRES_S = 30
"""Seconds until a message expires; after that, the tick sends the next one."""


@shared_task
def delivery_send(delivery_ids: list[int]) -> None:
    """Attempt these deliveries once, then other due ones for some seconds. Safe to repeat."""
    until = time.monotonic() + DRAIN_S
    ids = delivery_ids
    taken = 1
    while taken:
        taken = 0
        for start in range(0, len(ids), MAX_CONCURRENT):
            taken += deliveries_send(ids[start : start + MAX_CONCURRENT])
            if time.monotonic() >= until:
                return
        ids = deliveries_to_send(BATCH_SIZE)


def deliveries_due() -> Iterable[DueTournament]:
    """Queue new deliveries, fail expired ones, and request the sending of due ones. Called by the tick."""
    deliveries_queue()
    deliveries_sweep()
    deliveries_prune()
    ids = deliveries_to_send(BATCH_SIZE)
    if ids:
        try:
            delivery_send.apply_async((ids,), expires=MESSAGE_EXPIRES_S)
        except OperationalError as error:
            log.warning("cannot reach the broker, %d deliveries wait for the next tick: %s", len(ids), error)
    return ()
