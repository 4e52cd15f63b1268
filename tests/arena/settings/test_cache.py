"""The cache all processes share: bounded, on its own keys, and in nobody's way while its server is gone."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

import arena.settings.cache
from arena.operations.broker import broker_argv, broker_binary_find, broker_wait
from arena.operations.child_process import Child, ChildSpec
from arena.settings.broker import broker_url_of
from arena.settings.cache import MAX_TIMEOUT_S, SharedCache
from tests.refusals import refusal

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


@pytest.mark.full
def test_it_keeps_counts_and_lets_nothing_stay_for_ever(url: str) -> None:
    cache, other = cache_at(url), cache_at(url)
    cache.set("a", {"b": 1}, timeout=None)
    assert other.get("a") == {"b": 1}
    assert cache.add("a", 2) is False
    cache.set("n", 1)
    assert other.incr("n") == 2
    assert "gone" in str(refusal(ValueError, cache.incr, "gone"))
    assert cache.get_many(["a", "n", "gone"]) == {"a": {"b": 1}, "n": 2}
    assert cache.delete("n")
    assert not cache.has_key("n")
    server = redis.Redis.from_url(url)
    keys = list(server.scan_iter())
    assert all(key.startswith(PREFIX.encode()) for key in keys)
    assert all(0 < server.ttl(key) <= MAX_TIMEOUT_S for key in keys)


@pytest.mark.full
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
    assert "not found" in str(refusal(ValueError, cache.incr, "a"))
    cache.clear()


@pytest.fixture
def silent_server(tmp_path: Path) -> Iterator[tuple[str, list[socket.socket]]]:
    """The address of a server that takes connections and answers nothing, as one that was stopped, and the
    connections it took."""
    taken: list[socket.socket] = []
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "silent.sock"))
        listening.listen()

        def take() -> None:
            with contextlib.suppress(OSError):
                while True:
                    taken.append(listening.accept()[0])

        thread = threading.Thread(target=take)
        thread.start()
        yield f"unix://{tmp_path}/silent.sock?db=0", taken
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
    for connection in taken:
        connection.close()


def test_a_server_that_hangs_is_waited_for_once_and_not_for_every_key(
    silent_server: tuple[str, list[socket.socket]], caplog: pytest.LogCaptureFixture
) -> None:
    url, taken = silent_server
    options = {"socket_timeout": 0.2, "socket_connect_timeout": 0.2}
    cache, other = (SharedCache([url], {"KEY_PREFIX": PREFIX, "OPTIONS": options}) for _ in range(2))
    for _ in range(3):
        assert cache.get("a", "default") == "default"
        assert other.get_many(["a"]) == {}
        assert cache.add("a", 1) is True
    waits = [record for record in caplog.records if "out of reach" in record.message]
    assert len(waits) == 1, "another cache object of the process knows it too"
    assert len(taken) <= 2


@pytest.mark.full
def test_a_server_that_goes_on_is_used_again(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = cache_at(url)
    cache.set("a", 1)
    monkeypatch.setitem(arena.settings.cache._unavailable_until, cache._server_key, time.monotonic() + 3600)
    assert cache.get("a") is None, "left alone for so long"
    monkeypatch.setitem(arena.settings.cache._unavailable_until, cache._server_key, time.monotonic() - 1)
    assert [cache.get("a"), cache.get("a")] == [1, 1]
