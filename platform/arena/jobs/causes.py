"""Which cause of a platform fault an exception stands for, those of database and broker included."""

from __future__ import annotations

import redis
from django.db import InterfaceError, OperationalError
from kombu.exceptions import OperationalError as BrokerUnreachable

from arena.common.causes import Cause
from referee import causes


def cause_of(error: BaseException) -> Cause:
    """The cause, from the exception or any that led to it; by types, numbers and codes, never by text."""
    found = Cause(causes.cause_of(error).value)
    if found in (Cause.DISK, Cause.RESOURCES, Cause.SANDBOX):
        return found
    for each in causes.chain_of(error):
        if isinstance(each, OperationalError | InterfaceError):
            return Cause.DATABASE
        if isinstance(each, BrokerUnreachable | redis.RedisError):
            return Cause.BROKER
    return found
