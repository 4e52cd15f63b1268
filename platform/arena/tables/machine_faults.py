"""Faults of the machine: which cause an exception stands for, and trying again what such a fault ended."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

import redis
from django.db import InterfaceError, OperationalError, connections, transaction
from kombu.exceptions import OperationalError as BrokerUnreachable

from arena.common.causes import MACHINE, Cause
from referee import errors

log = logging.getLogger(__name__)

RETRY_AFTER_S = (0.2, 0.5, 1.0)
"""Seconds between the tries; the last value holds from then on."""
Answer = TypeVar("Answer")


def cause_of(error: BaseException) -> Cause:
    """The cause, from the exception or any that led to it; by types, numbers and codes, never by text."""
    found = Cause(errors.cause_of(error).value)
    if found in (Cause.DISK, Cause.RESOURCES, Cause.SANDBOX):
        return found
    for each in errors.chain_of(error):
        if isinstance(each, OperationalError | InterfaceError):
            return Cause.DATABASE
        if isinstance(each, BrokerUnreachable | redis.RedisError):
            return Cause.BROKER
    return found


def retry(work: Callable[[], Answer], within_s: float, what: str) -> Answer:
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
            time.sleep(min(left_s, RETRY_AFTER_S[min(tries, len(RETRY_AFTER_S) - 1)]))
            tries += 1
