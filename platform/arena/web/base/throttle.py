"""Limits failed sign-ins within a quarter of an hour, against password guessing.

Attempts are limited per name and address, per address, and per name over all addresses. With the last limit
alone a stranger could lock out an account; therefore a browser in which the name has signed in before has
its own counter.

Each process counts, and the shared cache counts for all of them. The larger number applies: the limits hold
with several web processes, and also while the cache is away. An attempt is counted before the password is
checked, so that parallel attempts gain nothing, and removed if the password was right.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
import math
import secrets
import time
from typing import NamedTuple

from django.core import signing
from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache

from arena.common.client_address import network_of

WINDOW_S = 900
ATTEMPTS_A_NAME = 8
"""Maximum failures per name and address in a window."""
ATTEMPTS_AN_ADDRESS = 40
"""Maximum failures per address in a window, for all names. A school may share one address."""
ATTEMPTS_AN_ACCOUNT = 100
"""Maximum failures per name in a window, from all addresses, in browsers that never signed in with it."""
BROWSER_S = 365 * 86_400
"""Seconds that the mark of a browser is valid."""

SALT = "rensho.sign-in.browser"
clock = time.time
PREFIX = "sign-in:"
counters = LocMemCache("sign-in", {"OPTIONS": {"MAX_ENTRIES": 50_000}})
"""Own store, because the page cache evicts at random when it is full."""


class ThrottleReason(enum.Enum):
    PAIR = "pair"
    """Name and address, or the browser."""
    ADDRESS = "address"
    """Address, for all names."""
    ACCOUNT = "account"
    """Name, from all addresses."""


class Attempt(NamedTuple):
    keys: tuple[str, ...]
    wait_s: int
    """Seconds to wait; 0 if the attempt is allowed."""
    bound: ThrottleReason | None = None
    """Exceeded limit, if any."""


def attempt_begin(address: str, name: str, browser: str | None = None) -> Attempt:
    """Count an attempt and return whether it is allowed. Rejected attempts are not counted.

    ``browser`` is the client's ``browser_mark``, if any.
    """
    now = clock()
    window = int(now // WINDOW_S)
    network, account = network_of(address), _digest(name)
    if browser is not None and _is_marked(browser, account):
        limits = [(f"{window}:browser:{_digest(browser)}", ATTEMPTS_A_NAME, ThrottleReason.PAIR)]
    else:
        limits = [
            (f"{window}:{network}", ATTEMPTS_AN_ADDRESS, ThrottleReason.ADDRESS),
            (f"{window}:account:{account}", ATTEMPTS_AN_ACCOUNT, ThrottleReason.ACCOUNT),
            (f"{window}:{network}:{account}", ATTEMPTS_A_NAME, ThrottleReason.PAIR),
        ]
    for key, limit, bound in limits:
        if _counted(key) >= limit:
            return Attempt((), math.ceil(WINDOW_S - now % WINDOW_S), bound)
    for key, _, _ in limits:
        _add(key, 1)
    return Attempt(tuple(key for key, _, _ in limits), 0)


def attempt_reset(attempt: Attempt) -> None:
    """Remove a successful attempt from the counters, and all failures of this name from this address."""
    *shared_keys, pair = attempt.keys
    for store in (counters, cache):
        store.delete(PREFIX + pair)
    for key in shared_keys:
        _add(key, -1)


def _counted(key: str) -> int:
    return max(int(store.get(PREFIX + key, 0)) for store in (counters, cache))


def _add(key: str, number: int) -> None:
    for store in (counters, cache):
        store.add(PREFIX + key, max(0, -number), WINDOW_S)
        with contextlib.suppress(ValueError):  # the shared cache is away
            store.incr(PREFIX + key, number)


def browser_mark(name: str) -> str:
    """Return a signed value for the browser's cookie, so that strangers cannot lock this browser out."""
    return signing.dumps([_digest(name), secrets.token_hex(8)], salt=SALT)


def _is_marked(browser: str, account: str) -> bool:
    try:
        marked = signing.loads(browser, salt=SALT, max_age=BROWSER_S)
    except signing.BadSignature:
        return False
    return bool(marked[0] == account)


def _digest(text: str) -> str:
    return hashlib.sha256(text.strip().casefold().encode("utf-8", "replace")).hexdigest()
