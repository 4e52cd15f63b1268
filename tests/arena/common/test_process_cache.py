"""The cache of a process: bounds, age, and one thread that builds for all."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import NoReturn

import pytest

from arena.common import process_cache as module
from arena.common.process_cache import ENTRY_OVERHEAD_BYTES, CacheKey, ProcessCache, estimated_bytes
from tests.refusals import refusal

READERS = 6
PAGE = CacheKey("/page", 1)


class Broken(Exception):
    """What a rendering may raise."""


def key_of(path: str) -> CacheKey:
    return CacheKey(path, 1)


def test_a_value_is_for_its_revision_audience_and_language_alone() -> None:
    cache = ProcessCache()
    keys = [PAGE, PAGE._replace(revision=2), PAGE._replace(audience=7), PAGE._replace(language="ja")]
    assert [cache.get_or_build(key, lambda at=at: f"page {at}") for at, key in enumerate(keys)] == [
        cache.get(key) for key in keys
    ]
    assert len({cache.get(key) for key in keys}) == 4


def test_the_least_recently_used_values_make_room() -> None:
    cache = ProcessCache(max_bytes=2 * ENTRY_OVERHEAD_BYTES + 10)
    for path in ("a", "b"):
        cache.put(key_of(path), path, 4)
    assert cache.get(key_of("a"))
    cache.put(key_of("c"), "c", 4)
    assert (cache.get(key_of("b")), cache.get(key_of("a"))) == (None, "a")
    cache.put(key_of("a"), "shorter", 1)
    assert cache.bytes == 2 * ENTRY_OVERHEAD_BYTES + 5
    cache.put(key_of("large"), "large", 3 * ENTRY_OVERHEAD_BYTES)
    assert (len(cache), cache.bytes) == (0, 0)


def test_entries_are_bounded_as_well() -> None:
    cache = ProcessCache(max_entries=2)
    for path in "abc":
        cache.put(key_of(path), path, 1)
    assert [cache.get(key_of(path)) for path in "abc"] == [None, "b", "c"]


def test_a_value_is_built_again_when_it_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = ProcessCache()
    monkeypatch.setattr(module, "clock", lambda: 0.0)
    assert cache.get_or_build(PAGE, lambda: "old", max_age_s=2) == "old"
    monkeypatch.setattr(module, "clock", lambda: 1.9)
    assert cache.get_or_build(PAGE, lambda: "new", max_age_s=2) == "old"
    monkeypatch.setattr(module, "clock", lambda: 2.0)
    assert cache.get_or_build(PAGE, lambda: "new", max_age_s=2) == "new"


def test_one_thread_builds_and_the_others_wait() -> None:
    cache = ProcessCache()
    built: list[str] = []
    all_ask = threading.Barrier(READERS, timeout=10)

    def build() -> str:
        built.append("built")
        threading.Event().wait(0.05)
        return "page"

    def ask(_: int) -> str:
        all_ask.wait()
        return cache.get_or_build(PAGE, build)

    with ThreadPoolExecutor(READERS) as readers:
        assert list(readers.map(ask, range(READERS))) == ["page"] * READERS
    assert built == ["built"]


def test_who_waits_too_long_builds_the_value_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.01)
    cache, is_slow, may_end = ProcessCache(), threading.Event(), threading.Event()

    def slow() -> str:
        is_slow.set()
        may_end.wait(10)
        return "slow"

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(cache.get_or_build, PAGE, slow)
        is_slow.wait(10)
        assert cache.get_or_build(PAGE, lambda: "own") == "own"
        may_end.set()
        assert first.result(10) == "slow"


def test_neither_an_exception_nor_none_is_cached() -> None:
    cache = ProcessCache()

    def broken() -> NoReturn:
        raise Broken

    refusal(Broken, cache.get_or_build, PAGE, broken)
    assert cache.get_or_build(PAGE, lambda: None) is None
    assert cache.get_or_build(PAGE, lambda: "page") == "page"


def test_what_is_being_built_while_the_cache_is_cleared_is_not_stored() -> None:
    cache = ProcessCache()

    def build() -> str:
        cache.clear()
        return "old name"

    assert cache.get_or_build(PAGE, build) == "old name"
    assert cache.get(PAGE) is None


def test_a_page_may_be_built_of_other_cached_parts() -> None:
    cache = ProcessCache()
    part = key_of("part")
    assert cache.get_or_build(PAGE, lambda: cache.get_or_build(part, lambda: "part") + "!") == "part!"
    assert cache.get(part) == "part"


def test_the_estimate_counts_what_a_value_contains() -> None:
    text = "x" * 1000
    assert estimated_bytes({"a": (text, [text])}) > 2000
