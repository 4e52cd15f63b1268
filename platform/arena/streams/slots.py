"""Slots for open streams: limits in total, per account and per address."""

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
"""Seconds after which a stream that has not begun loses its slot: its client disconnected."""
BUSY_RETRY_S = 20
"""Seconds until a rejected client may retry."""


class Caller(NamedTuple):
    account: int | None
    address: str
    """Client address or IPv6 network; the forwarded one only behind trusted proxies."""


def caller_of(request: HttpRequest | Request, user: User | AnonymousUser) -> Caller:
    """Return the caller of a request by ``user``, without a query."""
    return Caller(user.pk if isinstance(user, User) else None, client_network(request))


class SlotHolder(Protocol):
    caller: Caller
    joined_at: float
    has_begun: bool


class StreamSlots:
    """The stream slots of one process. Thread-safe."""

    def __init__(self, begin_s: float = BEGIN_TIMEOUT_S, clock: Callable[[], float] = time.monotonic) -> None:
        self.begin_s = begin_s
        self._clock = clock
        self._lock = threading.Lock()
        self._taken: set[SlotHolder] = set()

    def __len__(self) -> int:
        return len(self.listeners())

    def take(self, listener: SlotHolder) -> None:
        """Take a slot for a listener. Raises Unavailable ``too_many_streams`` or ``too_many_listeners``."""
        limits, caller = settings.STREAMS.share(settings.WEB_PROCESSES), listener.caller
        with self._lock:
            self._purge()
            callers = [holder.caller for holder in self._taken]
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
        """Release the listener's slot; no effect if it has none."""
        with self._lock:
            self._taken.discard(listener)

    def listeners(self) -> list[SlotHolder]:
        with self._lock:
            self._purge()
            return list(self._taken)

    def _purge(self) -> None:
        limit = self._clock() - self.begin_s
        self._taken = {holder for holder in self._taken if holder.has_begun or holder.joined_at > limit}


def _refused(whose: str, code: str, limit: int) -> Unavailable:
    return Unavailable(
        f"The limit of {limit} live streams at once for {whose} is reached. Close one, retry in "
        f"{BUSY_RETRY_S} s, or poll.",
        code,
        BUSY_RETRY_S,
        limit=limit,
    )
