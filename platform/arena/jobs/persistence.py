"""Doing again what a machine's fault kept from being done: until it succeeds, or for so long."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import connections, transaction

from arena.common.causes import MACHINE
from arena.jobs.causes import cause_of

log = logging.getLogger(__name__)

AGAIN_S = (0.2, 0.5, 1.0)
"""Seconds between the tries; the last one from then on."""
Answer = TypeVar("Answer")


def persist(work: Callable[[], Answer], within_s: float, what: str) -> Answer:
    """The answer of ``work``, tried again after faults of database, disk or broker, for at most so many
    seconds.

    The connection to the database is made anew each time. ``work`` must be safe to repeat: what a fence or a
    conditional update guards. Inside a transaction of the caller it is tried once, as that is lost anyway.

    Raises:
        Exception: the last fault of a machine, or at once whatever else ``work`` raises.
    """
    deadline = time.monotonic() + within_s
    tries = 0
    while True:
        try:
            return work()
        except Exception as error:
            left_s = deadline - time.monotonic()
            if cause_of(error) not in MACHINE or left_s <= 0 or transaction.get_connection().in_atomic_block:
                raise
            if tries == 0:
                log.warning("%s: tried again for up to %.0f s: %s", what, left_s, error)
            connections.close_all()
            time.sleep(min(left_s, AGAIN_S[min(tries, len(AGAIN_S) - 1)]))
            tries += 1
