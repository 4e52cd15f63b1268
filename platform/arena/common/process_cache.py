"""Cache of this process for rendered pages and responses. Single-flight: one thread builds each value.

A value is valid for its key: when its data changes, readers use another key. Data that the revision does not
cover, such as the name of a bot, is bounded by the maximum age. ``CacheKey.audience`` decides who may share a
value.
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
WAIT_S = 2.0
"""Maximum seconds to wait for another thread that builds the same value, before building it too."""

Value = TypeVar("Value")
clock = time.monotonic


class CacheKey(NamedTuple):
    path: Hashable
    """URL or kind, with the parameters."""
    revision: Hashable
    """Version or hash of the data."""
    audience: Hashable = None
    """Readers that share the value: an account or a role; None for all who may see the data."""
    language: str | None = None


class _Entry(NamedTuple):
    value: Any
    size: int
    until: float


class _PendingValue:
    def __init__(self) -> None:
        self.is_built = threading.Event()
        self.value: Any = None


class ProcessCache:
    """Immutable values by ``CacheKey``, bounded in bytes and entries. Thread-safe."""

    def __init__(self, max_bytes: int = MAX_BYTES, max_entries: int = MAX_ENTRIES) -> None:
        self.max_bytes = max_bytes
        self.max_entries = max_entries
        self.bytes = 0
        self._entries: OrderedDict[CacheKey, _Entry] = OrderedDict()
        self._flights: dict[CacheKey, _PendingValue] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: CacheKey) -> Any:
        with self._lock:
            return self._get(key)

    def put(self, key: CacheKey, value: object, size: int) -> None:
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
        """Return the value. If it is missing, one thread builds it while others wait up to ``WAIT_S``.

        Exceptions of ``build`` and None are not cached.
        """
        with self._lock:
            cached: Value | None = self._get(key)
            if cached is not None:
                return cached
            flight = self._flights.get(key)
            is_builder = flight is None
            if flight is None:
                flight = self._flights[key] = _PendingValue()
        if not is_builder:
            flight.is_built.wait(WAIT_S)
            cached = flight.value
            return build() if cached is None else cached
        try:
            flight.value = value = build()
            entry = _entry(value, max_age_s, size_of(value) if size_of else estimated_bytes(value))
            with self._lock:
                # After ``clear`` the value may be outdated, so it is not stored.
                if value is not None and self._flights.get(key) is flight:
                    self._put(key, entry)
            return value
        finally:
            with self._lock:
                if self._flights.get(key) is flight:
                    del self._flights[key]
            flight.is_built.set()

    def clear(self) -> None:
        """Drop all values, including those being built."""
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
    """Return the estimated memory of a value with its contents."""
    size = sys.getsizeof(value)
    if isinstance(value, Mapping):
        return size + sum(estimated_bytes(key) + estimated_bytes(item) for key, item in value.items())
    if isinstance(value, (tuple, list)):
        return size + sum(map(estimated_bytes, value))
    return size


process_cache = ProcessCache()
