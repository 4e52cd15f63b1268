"""The cache all processes share: bounded, on its own keys, and in nobody's way while its server is gone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from arena.operations.broker import broker_argv, broker_binary_find, broker_wait
from arena.operations.child_process import Child, ChildSpec
from arena.settings.broker import broker_url_of
from arena.settings.cache import LONGEST_S, SharedCache

PREFIX = "rensho-cache"


def cache_at(url: str) -> SharedCache:
    options = {"socket_timeout": 2.0, "socket_connect_timeout": 0.5}
    return SharedCache([url], {"KEY_PREFIX": PREFIX, "TIMEOUT": 300, "OPTIONS": options})


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server of its own, as an installation starts it."""
    monkeypatch.delenv("REDIS_URL", raising=False)
    found = broker_url_of(tmp_path)
    argv = tuple(broker_argv(broker_binary_find(), tmp_path))
    child = Child(ChildSpec("broker", argv, dict(os.environ), tmp_path, tmp_path / "log"))
    child.start()
    try:
        broker_wait(found, 20.0)
        yield found
    finally:
        child.stop()


@pytest.mark.system
def test_it_keeps_counts_and_lets_nothing_stay_for_ever(url: str) -> None:
    cache, other = cache_at(url), cache_at(url)
    cache.set("a", {"b": 1}, timeout=None)
    assert other.get("a") == {"b": 1}
    assert cache.add("a", 2) is False
    cache.set("n", 1)
    assert other.incr("n") == 2
    with pytest.raises(ValueError, match="gone"):
        cache.incr("gone")
    assert cache.get_many(["a", "n", "gone"]) == {"a": {"b": 1}, "n": 2}
    assert cache.delete("n")
    assert not cache.has_key("n")
    server = redis.Redis.from_url(url)
    keys = list(server.scan_iter())
    assert all(key.startswith(PREFIX.encode()) for key in keys)
    assert all(0 < server.ttl(key) <= LONGEST_S for key in keys)


@pytest.mark.system
def test_clearing_it_leaves_the_queue_alone(url: str) -> None:
    cache, server = cache_at(url), redis.Redis.from_url(url)
    server.rpush("rensho:tables.python-1", "a message")
    cache.set("a", 1)
    cache.clear()
    assert cache.get("a") is None
    assert list(server.scan_iter()) == [b"rensho:tables.python-1"]


def test_without_its_server_it_is_an_empty_cache(tmp_path: Path) -> None:
    cache = cache_at(f"unix://{tmp_path}/nobody.sock?db=0")
    cache.set("a", 1)
    assert cache.get("a", "default") == "default"
    assert cache.add("a", 1) is True
    assert cache.get_many(["a"]) == {}
    assert not cache.has_key("a")
    assert cache.set_many({"a": 1}) == ["a"]
    with pytest.raises(ValueError, match="not found"):
        cache.incr("a")
    cache.clear()
