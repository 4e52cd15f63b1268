"""Faults of the machine: the cause of an exception, and retries."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

import redis
from django.db import InterfaceError, OperationalError, connections, transaction
from kombu.exceptions import OperationalError as BrokerUnreachable

from arena.common.causes import MACHINE_CAUSES, Cause
from referee import errors

log = logging.getLogger(__name__)

RETRY_AFTER_S = (0.2, 0.5, 1.0)
"""Seconds between attempts; the last value repeats."""
Answer = TypeVar("Answer")


def cause_of(error: BaseException) -> Cause:
    """Return the cause of an exception or of its chain, from types, numbers and codes, never from text."""
    cause = Cause(errors.cause_of(error).value)
    if cause in (Cause.DISK, Cause.RESOURCES, Cause.SANDBOX):
        return cause
    for each in errors.chain_of(error):
        if isinstance(each, OperationalError | InterfaceError):
            return Cause.DATABASE
        if isinstance(each, BrokerUnreachable | redis.RedisError):
            return Cause.BROKER
    return cause


def retry(work: Callable[[], Answer], within_s: float, name: str) -> Answer:
    """Return the result of ``work``; retry after faults of database, disk or broker for ``within_s`` seconds.

    Each retry opens a new database connection. ``work`` must be idempotent. Not within a transaction of the
    caller, which the fault aborts. Raises the last machine fault, or at once any other exception.
    """
    deadline = time.monotonic() + within_s
    tries = 0
    while True:
        try:
            return work()
        except Exception as error:
            left_s = deadline - time.monotonic()
            if (
                cause_of(error) not in MACHINE_CAUSES
                or left_s <= 0
                or transaction.get_connection().in_atomic_block
            ):
                raise
            if tries == 0:
                log.warning("%s: tried again for up to %.0f s: %s", name, left_s, error)
            connections.close_all()
            time.sleep(min(left_s, RETRY_AFTER_S[min(tries, len(RETRY_AFTER_S) - 1)]))
            tries += 1
