"""Who listens, and how many may: in all, for one account, from one address."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from rest_framework.request import Request

from arena.accounts.models import User
from arena.common.client_address import client_network
from arena.common.errors import Unavailable

BEGIN_TIMEOUT_S = 10.0
"""A stream not begun after this time never will be: its client went away before the first byte."""
BUSY_RETRY_S = 20
"""When somebody turned away may try again."""


class Caller(NamedTuple):
    """For whom a place is counted."""

    account: int | None
    """Primary key of the user; None if nobody is signed in."""
    address: str
    """Address, or network of IPv6, behind trusted proxies only where they are named."""


def caller_of(request: HttpRequest | Request, user: User | AnonymousUser) -> Caller:
    """The caller of a request, ``user`` being whose it is; no query."""
    return Caller(user.pk if isinstance(user, User) else None, client_network(request))


class SlotHolder(Protocol):
    """Whoever takes a place."""

    caller: Caller
    joined_at: float
    has_begun: bool


class StreamSlots:
    """The places of one process. Safe to use from several threads."""

    def __init__(self, begin_s: float = BEGIN_TIMEOUT_S, clock: Callable[[], float] = time.monotonic) -> None:
        self.begin_s = begin_s
        self._clock = clock
        self._lock = threading.Lock()
        self._taken: set[SlotHolder] = set()

    def __len__(self) -> int:
        return len(self.listeners())

    def take(self, listener: SlotHolder) -> None:
        """A place for one more.

        Raises:
            Unavailable: code ``too_many_streams`` if the caller's account or address has as many as it may,
                ``too_many_listeners`` if this process serves as many as it will.
        """
        limits, caller = settings.STREAMS, listener.caller
        with self._lock:
            self._purge()
            callers = [place.caller for place in self._taken]
            if caller.account is not None and (
                sum(other.account == caller.account for other in callers) >= limits.per_account
            ):
                raise _refused("your account", "too_many_streams", limits.per_account)
            if sum(other.address == caller.address for other in callers) >= limits.per_address:
                raise _refused("your address", "too_many_streams", limits.per_address)
            if len(callers) >= limits.total:
                raise _refused("everybody", "too_many_listeners", limits.total)
            self._taken.add(listener)

    def leave(self, listener: SlotHolder) -> None:
        """Its place is free again; harmless if it has none."""
        with self._lock:
            self._taken.discard(listener)

    def listeners(self) -> list[SlotHolder]:
        """All of them, as they are now."""
        with self._lock:
            self._purge()
            return list(self._taken)

    def _purge(self) -> None:
        limit = self._clock() - self.begin_s
        self._taken = {place for place in self._taken if place.has_begun or place.joined_at > limit}


def _refused(whose: str, code: str, limit: int) -> Unavailable:
    return Unavailable(
        f"The limit of {limit} live streams at once for {whose} is reached. Close one, ask again in "
        f"{BUSY_RETRY_S} s, or poll.",
        code,
        BUSY_RETRY_S,
        limit=limit,
    )
