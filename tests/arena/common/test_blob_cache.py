"""The cache of blobs on a machine: bounded, by use and age, and harmless when its disk fails."""

from __future__ import annotations

import os
import time
from pathlib import Path

from arena.common.blob_cache import MAX_AGE_S, BlobCache

LIMIT = 64 << 10


def name(number: int) -> str:
    return f"{number:064x}"[::-1]


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def age(cache: BlobCache, number: int, *, used_s: float, fetched_s: float) -> None:
    now = time.time()
    os.utime(cache._path(name(number)), (now - used_s, now - fetched_s))


def test_the_least_recently_used_leave(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path, LIMIT)
    for number in range(16):
        cache.put(name(number), bytes(4 << 10))
        age(cache, number, used_s=1000 - number, fetched_s=1000)
    assert cache.get(name(0)) is not None, "now the most recently used"
    cache.put(name(16), bytes(4 << 10))
    assert size(tmp_path) <= LIMIT
    assert cache.get(name(0)) is not None
    assert cache.get(name(16)) is not None
    assert cache.get(name(1)) is None


def test_old_copies_leave_however_often_they_are_used(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path, LIMIT)
    cache.put(name(1), b"x")
    cache.put(name(2), b"x")
    age(cache, 1, used_s=0, fetched_s=MAX_AGE_S + 10)
    BlobCache(tmp_path, LIMIT).put(name(3), b"x")  # the first copy of another process
    assert [cache.get(name(number)) for number in (1, 2, 3)] == [None, b"x", b"x"]


def test_several_processes_stay_near_the_limit(tmp_path: Path) -> None:
    caches = [BlobCache(tmp_path, LIMIT) for _ in range(3)]
    for number in range(120):
        caches[number % 3].put(name(number), bytes(3 << 10))
    assert size(tmp_path) <= LIMIT + 3 * (LIMIT // 16 + (4 << 10))


def test_large_files_are_not_kept(tmp_path: Path) -> None:
    cache = BlobCache(tmp_path, LIMIT)
    cache.put(name(1), bytes(LIMIT))
    assert cache.get(name(1)) is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"in the way")
    cache = BlobCache(blocked / "cache", LIMIT)
    cache.put(name(1), b"x")
    cache.remove(name(1))
    assert cache.get(name(1)) is None
