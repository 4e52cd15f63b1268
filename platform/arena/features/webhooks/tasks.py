"""Sending deliveries: the part of the tick, and the task that it asks for."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable

from celery import shared_task
from kombu.exceptions import OperationalError

from arena.common.features import Due
from arena.features.webhooks.attempts import deliveries_prune, deliveries_send, deliveries_sweep
from arena.features.webhooks.fanout import deliveries_queue
from arena.features.webhooks.selectors import deliveries_to_send
from arena.features.webhooks.sending import MAX_CONCURRENT

log = logging.getLogger(__name__)

BATCH_SIZE = 4 * MAX_CONCURRENT
"""Deliveries of one message. Sixteen at a time are sent side by side, so that slow receivers hold the queue
once for all."""
DRAIN_S = 5.0
"""After this no further sixteen are begun: the queue is the tick's, too."""
MESSAGE_EXPIRES_S = 30
"""Life of a message; after it the tick sends the next one."""


@shared_task
def delivery_send(delivery_ids: list[int]) -> None:
    """Try these deliveries once, and what else is due within some seconds.

    Twice the same message does no harm: a lease lets one of them through.
    """
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


def deliveries_due() -> Iterable[Due]:
    """For the tick: queue deliveries, end those that waited too long, and ask for those that are due.

    One message a call: deliveries that are not in it are sent by its task too, or by the next one.
    """
    deliveries_queue()
    deliveries_sweep()
    deliveries_prune()
    ids = deliveries_to_send(BATCH_SIZE)
    if ids:
        try:
            delivery_send.apply_async((ids,), expires=MESSAGE_EXPIRES_S)
        except OperationalError as error:
            log.warning("broker not reached, %d deliveries wait for the tick: %s", len(ids), error)
    return ()
