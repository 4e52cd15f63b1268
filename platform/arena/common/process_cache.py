"""The cache of this process: rendered pages and computed answers, each built by one thread for all who ask.

A value is valid for its key: when the data it shows changes, readers ask for another key. What the revision
does not count, such as the name of a bot, is bounded by the maximum age of the value. The least recently used
values are dropped. What may be shared with whom is decided by the caller, in ``Key.audience``.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple, TypeVar

MAX_BYTES = 128 << 20
MAX_ENTRIES = 100_000
ENTRY_OVERHEAD_BYTES = 300
"""Of an entry besides its value."""
WAIT_S = 2.0
"""Maximum wait for another thread that builds the same value; then both build it."""

Value = TypeVar("Value")
clock = time.monotonic


class CacheKey(NamedTuple):
    """What a value follows from."""

    path: Hashable
    """Address or kind, with the parameters."""
    revision: Hashable
    """Version or hash of the data."""
    audience: Hashable = None
    """Who may share it: an account, a role; None for everyone who may see the data."""
    language: str | None = None


class _Entry(NamedTuple):
    value: Any
    size: int
    until: float


class _PendingValue:
    """A value that one thread builds and others wait for."""

    def __init__(self) -> None:
        self.is_built = threading.Event()
        self.value: Any = None


class ProcessCache:
    """Immutable values by ``CacheKey``, bounded in bytes and entries. Thread-safe."""

    def __init__(self, most_bytes: int = MAX_BYTES, most_entries: int = MAX_ENTRIES) -> None:
        self.max_bytes = most_bytes
        self.max_entries = most_entries
        self.bytes = 0
        self._entries: OrderedDict[CacheKey, _Entry] = OrderedDict()
        self._flights: dict[CacheKey, _PendingValue] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: CacheKey) -> Any:
        """The value, or None."""
        with self._lock:
            return self._get(key)

    def put(self, key: CacheKey, value: object, size: int) -> None:
        """Store a value of so many bytes."""
        entry = _entry(value, math.inf, size)
        with self._lock:
            self._put(key, entry)

    def get_or_build(
        self,
        key: CacheKey,
        build: Callable[[], Value],
        *,
        max_age_s: float = math.inf,
        size_of: Callable[[Value], int] | None = None,
    ) -> Value:
        """The value, built if it is missing: by one thread, while others wait up to ``WAIT_S`` for it.

        An exception of ``build`` and None are not cached: those who waited build the value themselves.
        """
        with self._lock:
            found: Value | None = self._get(key)
            if found is not None:
                return found
            flight = self._flights.get(key)
            is_builder = flight is None
            if flight is None:
                flight = self._flights[key] = _PendingValue()
        if not is_builder:
            flight.is_built.wait(WAIT_S)
            found = flight.value
            return build() if found is None else found
        try:
            flight.value = value = build()
            entry = _entry(value, max_age_s, size_of(value) if size_of else estimated_bytes(value))
            with self._lock:
                # After ``clear`` the value may be outdated: it is not stored.
                if value is not None and self._flights.get(key) is flight:
                    self._put(key, entry)
            return value
        finally:
            with self._lock:
                if self._flights.get(key) is flight:
                    del self._flights[key]
            flight.is_built.set()

    def clear(self) -> None:
        """Drop all values, and those that are being built."""
        with self._lock:
            self._entries.clear()
            self._flights.clear()
            self.bytes = 0

    def _get(self, key: CacheKey) -> Any:
        entry = self._entries.get(key)
        if entry is None or entry.until <= clock():
            return None
        self._entries.move_to_end(key)
        return entry.value

    def _put(self, key: CacheKey, entry: _Entry) -> None:
        before = self._entries.pop(key, None)
        self._entries[key] = entry
        self.bytes += entry.size - (before.size if before else 0)
        while self.bytes > self.max_bytes or len(self._entries) > self.max_entries:
            self.bytes -= self._entries.popitem(last=False)[1].size


def _entry(value: object, max_age_s: float, size: int) -> _Entry:
    return _Entry(value, ENTRY_OVERHEAD_BYTES + size, clock() + max_age_s)


def estimated_bytes(value: object) -> int:
    """Estimated memory of a value with all it contains."""
    size = sys.getsizeof(value)
    if isinstance(value, Mapping):
        return size + sum(estimated_bytes(key) + estimated_bytes(item) for key, item in value.items())
    if isinstance(value, (tuple, list)):
        return size + sum(map(estimated_bytes, value))
    return size


process_cache = ProcessCache()
