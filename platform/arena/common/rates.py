"""Rate limits: the counters behind every rate in ``settings.API_RATES``.

Counters are in the shared cache, for all processes together. A sliding window is approximated by the current
fixed window and a fraction of the previous one. While the cache is unreachable, each process counts alone for
``LOCAL_COUNT_S``.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache

UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86400}
"""Seconds by the first letter of a unit; ``arena.settings.rates`` rejects other spellings."""
LOCAL_COUNT_S = 10.0
"""Seconds that a process counts alone before it tries the shared cache again."""

clock = time.time
local_counters = LocMemCache("rates", {"OPTIONS": {"MAX_ENTRIES": 50_000}})
"""Counters of this process, used while the shared cache is unreachable."""
_local_until = 0.0


class Rate(NamedTuple):
    requests: int
    seconds: int


class RateUsage(NamedTuple):
    counted: int
    """Requests in the current and the previous window."""
    remaining: int
    """Requests that are allowed now."""
    wait_s: float
    """Seconds until the next request is allowed; 0: now."""
    window_s: float
    """Seconds until the current window ends."""


class _Windows(NamedTuple):
    rate: Rate
    present: str
    before: str
    elapsed: float


def rate_of(name: str) -> Rate:
    """Return a rate of ``settings.API_RATES`` by name, written like ``600/min``."""
    number, _, unit = settings.API_RATES[name].partition("/")
    return Rate(int(number), UNITS_S[unit[0]])


def rate_usage(name: str, whose: str) -> RateUsage:
    windows = _windows(name, whose)
    return _usage(windows, _current_store().get_many([windows.present, windows.before]))


def rate_consume(name: str, whose: str) -> RateUsage:
    """Count one request, unless the rate is exhausted: then ``wait_s`` of the result is positive."""
    windows = _windows(name, whose)
    store = _current_store()
    counts = store.get_many([windows.present, windows.before])
    use = _usage(windows, counts)
    if use.wait_s:
        return use
    if not _count(store, windows, windows.present in counts):
        _count(_count_locally(), windows, False)
    return use._replace(counted=use.counted + 1, remaining=use.remaining - 1)


def retry_after_s(wait_s: float | None) -> int:
    """Return whole seconds for ``Retry-After``, at least one."""
    return max(1, math.ceil(wait_s or 1))


def _windows(name: str, whose: str) -> _Windows:
    rate, key = rate_of(name), f"rate:{name}:{whose}"
    window, gone_s = divmod(clock(), rate.seconds)
    return _Windows(rate, f"{key}:{int(window)}", f"{key}:{int(window) - 1}", gone_s / rate.seconds)


def _usage(windows: _Windows, counts: dict[str, int]) -> RateUsage:
    here, earlier = int(counts.get(windows.present, 0)), int(counts.get(windows.before, 0))
    rate, elapsed = windows.rate, windows.elapsed
    left = max(0, math.floor(rate.requests - here - earlier * (1 - elapsed)))
    if left:
        wait = 0.0
    elif here < rate.requests and earlier:  # in this window, as the weight of the previous one shrinks
        wait = max(1 - (rate.requests - 1 - here) / earlier - elapsed, 0.001 / rate.seconds)
    else:
        wait = 1 - elapsed + 1 - (rate.requests - 1) / here
    return RateUsage(here + earlier, left, wait * rate.seconds, (1 - elapsed) * rate.seconds)


def _count(store: BaseCache, windows: _Windows, is_known: bool) -> bool:
    """Count one request in this store; return whether the store works."""
    if not is_known:
        store.add(windows.present, 0, 2 * windows.rate.seconds)
    try:
        store.incr(windows.present)
    except ValueError:  # evicted between the two calls, or the store is unreachable
        store.add(windows.present, 1, 2 * windows.rate.seconds)
        return store.get(windows.present) is not None
    return True


def _current_store() -> BaseCache:
    return local_counters if time.monotonic() < _local_until else cache


def _count_locally() -> BaseCache:
    global _local_until
    _local_until = time.monotonic() + LOCAL_COUNT_S
    return local_counters
