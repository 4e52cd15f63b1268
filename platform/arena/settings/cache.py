"""The cache shared by all processes of an installation, on the queue's server.

It holds request counters and short locks, which can be lost. It never blocks a request or the queue.
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

import redis
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache, RedisCacheClient

log = logging.getLogger(__name__)

MAX_TIMEOUT_S = 86_400
"""Maximum lifetime of a key, as the queue's server evicts nothing."""
RETRY_INTERVAL_S = 5.0
"""Seconds after a time-out during which the server is not contacted, as a page reads several keys."""
INCREMENT_SCRIPT = "return redis.call('exists', KEYS[1]) == 1 and redis.call('incrby', KEYS[1], ARGV[1])"
Result = TypeVar("Result")
_ServerKey = tuple[tuple[str, ...], tuple[tuple[str, Any], ...]]
_unavailable_until: dict[_ServerKey, float] = {}
"""When a server that timed out may be contacted again, by its URL; shared by the process."""


class SharedCache(RedisCache):
    """Django's Redis cache, with four differences.

    Every key expires. ``clear`` deletes only keys of this cache. While the server is unreachable, it behaves
    as an empty cache. All threads of a process share connections.
    """

    def __init__(self, server: list[str], params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._server_key: _ServerKey = tuple(server), tuple(sorted(params.get("OPTIONS", {}).items()))

    @property
    def _cache(self) -> RedisCacheClient:
        return _client_of(*self._server_key)

    def get_backend_timeout(self, timeout: Any = DEFAULT_TIMEOUT) -> int:
        timeout_s = super().get_backend_timeout(timeout)
        return MAX_TIMEOUT_S if timeout_s is None else min(int(timeout_s), MAX_TIMEOUT_S)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return self._with_fallback(lambda: super(SharedCache, self).get(key, default, version), default)

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Return whether the key was free; True if the server is unreachable."""
        return self._with_fallback(
            lambda: bool(super(SharedCache, self).add(key, value, timeout, version)), True
        )

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        self._with_fallback(lambda: super(SharedCache, self).set(key, value, timeout, version), None)

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._with_fallback(lambda: bool(super(SharedCache, self).touch(key, timeout, version)), False)

    def delete(self, key: Any, version: int | None = None) -> bool:
        return self._with_fallback(lambda: bool(super(SharedCache, self).delete(key, version)), False)

    def get_many(self, keys: Any, version: int | None = None) -> dict[Any, Any]:
        return self._with_fallback(lambda: dict(super(SharedCache, self).get_many(keys, version)), {})

    def set_many(self, data: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> list[Any]:
        return self._with_fallback(
            lambda: list(super(SharedCache, self).set_many(data, timeout, version)), list(data)
        )

    def delete_many(self, keys: Any, version: int | None = None) -> None:
        self._with_fallback(lambda: super(SharedCache, self).delete_many(keys, version), None)

    def has_key(self, key: Any, version: int | None = None) -> bool:
        return self._with_fallback(lambda: bool(super(SharedCache, self).has_key(key, version)), False)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Increment a counter; ValueError if the key does not exist, or the server is unreachable."""
        name = self.make_and_validate_key(key, version=version)
        client = self._cache.get_client(write=True)
        # Django would query the key first; counters are incremented at every request.
        counted = self._with_fallback(lambda: client.eval(INCREMENT_SCRIPT, 1, name, delta), None)
        if counted is None:
            raise ValueError(f"Key {key!r} not found.")
        return int(counted)

    def clear(self) -> None:
        def forget() -> None:
            client = self._cache.get_client(write=True)
            for key in client.scan_iter(match=f"{self.key_prefix}:*", count=1000):
                client.delete(key)

        self._with_fallback(forget, None)

    def _with_fallback(self, ask: Callable[[], Result], otherwise: Result) -> Result:
        now = time.monotonic()
        if now < _unavailable_until.get(self._server_key, 0.0):
            return otherwise
        if self._server_key in _unavailable_until:
            # Only this thread tries whether the server answers again.
            _unavailable_until[self._server_key] = now + RETRY_INTERVAL_S
        try:
            answer = ask()
        except (redis.ConnectionError, redis.TimeoutError) as error:
            log.warning("the shared cache is out of reach: %s", error)
            if isinstance(error, redis.TimeoutError):
                _unavailable_until[self._server_key] = time.monotonic() + RETRY_INTERVAL_S
            return otherwise
        _unavailable_until.pop(self._server_key, None)
        return answer


@functools.cache
def _client_of(servers: tuple[str, ...], options: tuple[tuple[str, Any], ...]) -> RedisCacheClient:
    return RedisCacheClient(list(servers), **dict(options))
