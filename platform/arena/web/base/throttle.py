"""Against guessing passwords: so many failed attempts in a quarter of an hour, then a pause.

Attempts are bounded for a name from one address, for an address, and for a name from all addresses. The
last bound would let a stranger shut somebody out; so a browser in which a name has signed in before is
counted for itself alone.

Counted in this process alone, as every installation has one that serves pages. An attempt counts
before the password is looked at, so that many at once gain nothing, and is forgiven if it was right.
"""

from __future__ import annotations

import enum
import hashlib
import math
import secrets
import time
from typing import NamedTuple

from django.core import signing
from django.core.cache.backends.locmem import LocMemCache

from arena.common.client_address import network_of

WINDOW_S = 900
ATTEMPTS_A_NAME = 8
"""Failures for one name from one address in a window."""
ATTEMPTS_AN_ADDRESS = 40
"""Failures for whatever names from one address in a window: a school may share one."""
ATTEMPTS_AN_ACCOUNT = 100
"""Failures for one name from all addresses in a window, in browsers it never signed in with."""
BROWSER_S = 365 * 86_400
"""So long a browser is known after signing in."""

SALT = "rensho.sign-in.browser"
clock = time.time
counters = LocMemCache("sign-in", {"OPTIONS": {"MAX_ENTRIES": 50_000}})
"""A store of its own: the cache of pages throws away at random what is over its size."""


class ThrottleReason(enum.Enum):
    """What has been tried too often."""

    PAIR = "pair"
    """This name from this address, or in this browser."""
    ADDRESS = "address"
    """Any name from this address."""
    ACCOUNT = "account"
    """This name, from all addresses."""


class Attempt(NamedTuple):
    """One try to sign in, counted."""

    keys: tuple[str, ...]
    wait_s: int
    """0 if it may go on, else in so many seconds."""
    bound: ThrottleReason | None = None
    """Why it may not."""


def attempt_begin(address: str, name: str, browser: str | None = None) -> Attempt:
    """Count an attempt and say whether it may go on. A refused one is not counted any further.

    ``browser`` is what ``browser_mark`` once gave to the one that asks.
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
        if counters.get(key, 0) >= limit:
            return Attempt((), math.ceil(WINDOW_S - now % WINDOW_S), bound)
    for key, _, _ in limits:
        counters.add(key, 0, WINDOW_S)
        counters.incr(key)
    return Attempt(tuple(key for key, _, _ in limits), 0)


def attempt_reset(attempt: Attempt) -> None:
    """It was the right password: what was counted for it, and for this name from there, is taken back."""
    *shared_keys, pair = attempt.keys
    counters.delete(pair)
    for key in shared_keys:
        counters.add(key, 1, WINDOW_S)
        counters.decr(key)


def browser_mark(name: str) -> str:
    """What a browser keeps after signing in with a name, so that strangers cannot shut it out."""
    return signing.dumps([_digest(name), secrets.token_hex(8)], salt=SALT)


def _is_marked(browser: str, account: str) -> bool:
    try:
        marked = signing.loads(browser, salt=SALT, max_age=BROWSER_S)
    except signing.BadSignature:
        return False
    return bool(marked[0] == account)


def _digest(text: str) -> str:
    return hashlib.sha256(text.strip().casefold().encode("utf-8", "replace")).hexdigest()
