"""How many requests anybody may make: by address, by account, and fewer of what costs much.

Counted in the shared cache, so that all processes of an installation count together. Two windows of the
rate's length are kept, the present one and the one before, and the older counts for the part that still
lies within one length from now: no burst at a window's edge, and two small numbers a caller whatever the
rate.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

from django.conf import settings
from django.core.cache import cache
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from arena.accounts.models import User
from arena.common.client_address import client_network

ANONYMOUS = "anonymous"
USER = "user"
UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86400}
"""Seconds by the first letter of a unit; ``arena.settings.rates`` has refused every other spelling."""

clock = time.time


class Rate(NamedTuple):
    """So many requests in so many seconds."""

    requests: int
    seconds: int


def rate_of(name: str) -> Rate:
    """The rate of a name in ``settings.API_RATES``, written such as ``600/min``."""
    number, _, unit = settings.API_RATES[name].partition("/")
    return Rate(int(number), UNITS_S[unit[0]])


class Limit(BaseThrottle):
    """One limit for one caller: the rate of ``name``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rate_text = settings.API_RATES[name]
        self.left_s = 0.0

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count the request, unless it is one too many. Without a cache to count in, all may pass."""
        rate, key, now = rate_of(self.name), f"rate:{self.name}:{caller_of(request)}", clock()
        window, gone = divmod(now, rate.seconds)
        present, before = f"{key}:{int(window)}", f"{key}:{int(window) - 1}"
        counts = cache.get_many([present, before])
        here, earlier = int(counts.get(present, 0)), int(counts.get(before, 0))
        if here + earlier * (1 - gone / rate.seconds) + 1 > rate.requests:
            self.left_s = _wait_s(here, earlier, gone, rate)
            return False
        if present not in counts:
            cache.add(present, 0, 2 * rate.seconds)
        try:
            cache.incr(present)
        except ValueError:  # thrown away between the two: it begins anew
            cache.add(present, 1, 2 * rate.seconds)
        return True

    def wait(self) -> float:
        """Seconds until one more request passes, if nobody asks meanwhile."""
        return self.left_s


def _wait_s(here: int, earlier: int, gone: float, rate: Rate) -> float:
    """When there is room for one more: in this window, as the one before fades, or else in the next."""
    room = rate.requests - 1
    if here <= room and earlier:
        return (1 - (room - here) / earlier) * rate.seconds - gone
    return rate.seconds - gone + (1 - room / here) * rate.seconds


def caller_of(request: Request) -> str:
    """Whose requests are counted together: an account's, or those of an address."""
    user = request.user
    return f"u{user.pk}" if isinstance(user, User) else f"a{client_network(request)}"


def limits_for(request: Request, reads: str | None, writes: str | None) -> list[Limit]:
    """The limits a request counts for: the caller's own, and what the end point says of itself."""
    is_read = request.method in SAFE_METHODS
    named = reads if is_read else writes
    general = USER if isinstance(request.user, User) else ANONYMOUS
    return [Limit(name) for name in (named, general) if name is not None]


def retry_after_s(wait_s: float | None) -> int:
    """Whole seconds, at least one."""
    return max(1, math.ceil(wait_s or 1))
