"""Against guessing passwords: so many failed attempts in a quarter of an hour, then a pause.

Counted in this process alone, as every installation has one that serves pages. An attempt counts
before the password is looked at, so that many at once gain nothing, and is forgiven if it was right.
"""

from __future__ import annotations

import hashlib
import math
import time
from typing import NamedTuple

from django.core.cache.backends.locmem import LocMemCache

from arena.common.client_address import network_of

WINDOW_S = 900
ATTEMPTS_A_NAME = 8
"""Failures for one name from one address in a window."""
ATTEMPTS_AN_ADDRESS = 40
"""Failures for whatever names from one address in a window: a school may share one."""

counters = LocMemCache("sign-in", {"OPTIONS": {"MAX_ENTRIES": 50_000}})
"""A store of its own: the cache of pages throws away at random what is over its size."""


class Attempt(NamedTuple):
    """One try to sign in, counted."""

    keys: tuple[str, ...]
    wait_s: int
    """0 if it may go on, else in so many seconds."""
    is_address_closed: bool = False
    """Whether no name may be tried from there, and not this one alone."""


def attempt_begin(address: str, name: str) -> Attempt:
    """Count an attempt and say whether it may go on. A refused one is not counted any further."""
    now = time.time()
    window = int(now // WINDOW_S)
    place = network_of(address)
    whose = hashlib.sha256(name.strip().casefold().encode("utf-8", "replace")).hexdigest()
    limits = ((f"{window}:{place}", ATTEMPTS_AN_ADDRESS), (f"{window}:{place}:{whose}", ATTEMPTS_A_NAME))
    for at, (key, limit) in enumerate(limits):
        if counters.get(key, 0) >= limit:
            return Attempt((), math.ceil(WINDOW_S - now % WINDOW_S), is_address_closed=at == 0)
    for key, _ in limits:
        counters.add(key, 0, WINDOW_S)
        counters.incr(key)
    return Attempt(tuple(key for key, _ in limits), 0)


def attempt_forgive(attempt: Attempt) -> None:
    """It was the right password: what was counted for it, and for the name before, is taken back."""
    place, whose = attempt.keys
    counters.delete(whose)
    counters.add(place, 1, WINDOW_S)
    counters.decr(place)
