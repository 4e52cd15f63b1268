"""Copies of blobs on this machine, for storages that are reached over a network."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import logging
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.files.storage import Storage

from arena.common.blob_storages import BlobStorage

log = logging.getLogger(__name__)

FOLDER = "blob_cache"
"""In the data folder."""
MAX_AGE_S = 7 * 86_400
"""Seconds after which a copy is removed, so that deleted blobs do not stay for ever."""
TOUCH_INTERVAL_S = 60.0
"""Minimum seconds between two records that a copy was used."""
SCAN_FRACTION = 16
"""A process scans the folder when it has added one part in so many of the limit."""
KEPT_PERCENT = 75
"""Size after an eviction, in percent of the limit."""
DRAFT_PREFIX = ".writing-"


class Copy(NamedTuple):
    used_at: float
    fetched_at: float
    size: int
    path: str


class BlobCache:
    """Files by hash, with the least recently used evicted; several processes may share the folder.

    The content is not trusted: the caller verifies it. No error of the disk reaches the caller. Each process
    may exceed the limit by one part in ``SCAN_FRACTION``.
    """

    def __init__(self, folder: Path, limit_bytes: int) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes
        self._added_bytes = limit_bytes
        """Since the last scan; the first copy of a process causes one."""

    def get(self, sha256: str) -> bytes | None:
        path = self._path(sha256)
        try:
            data = path.read_bytes()
            state = path.stat()
            now = time.time()
            if now - state.st_atime > TOUCH_INTERVAL_S:
                os.utime(path, (now, state.st_mtime))
        except OSError:
            return None
        return data

    def put(self, sha256: str, data: bytes) -> None:
        if len(data) > self.limit_bytes // SCAN_FRACTION:
            return
        path = self._path(sha256)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            fd, name = tempfile.mkstemp(prefix=DRAFT_PREFIX, dir=path.parent)
            draft = Path(name)
            try:
                with os.fdopen(fd, "wb") as file:
                    file.write(data)
                draft.replace(path)
            except BaseException:
                draft.unlink(missing_ok=True)
                raise
            self._added_bytes += len(data)
            if self._added_bytes >= self.limit_bytes // SCAN_FRACTION:
                self.evict()
        except OSError as error:
            log.warning("a blob was not cached in %s: %s", self.folder, error)

    def remove(self, sha256: str) -> None:
        with contextlib.suppress(OSError):
            self._path(sha256).unlink()

    def evict(self) -> None:
        """Remove old copies and, above the limit, the least recently used ones. Reads every folder."""
        self._added_bytes = 0
        with self._scan_lock() as is_locked:
            if not is_locked:
                return
            oldest_kept = time.time() - MAX_AGE_S
            copies = sorted(self._copies())
            total = sum(copy.size for copy in copies)
            excess = total - self.limit_bytes * KEPT_PERCENT // 100 if total > self.limit_bytes else 0
            for copy in copies:
                if excess > 0 or copy.fetched_at < oldest_kept:
                    Path(copy.path).unlink(missing_ok=True)
                    excess -= copy.size

    def _path(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / sha256

    def _copies(self) -> Iterator[Copy]:
        for folder in os.scandir(self.folder):
            if not folder.is_dir(follow_symlinks=False):
                continue
            for entry in os.scandir(folder.path):
                with contextlib.suppress(FileNotFoundError):
                    state = entry.stat(follow_symlinks=False)
                    yield Copy(state.st_atime, state.st_mtime, state.st_size, entry.path)

    @contextlib.contextmanager
    def _scan_lock(self) -> Iterator[bool]:
        """Lock the scan; False if another process scans now."""
        with (self.folder / ".lock").open("wb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True


def blob_cache_of(store: Storage) -> BlobCache | None:
    """Return the cache of this machine, or None if there is none or blobs are local files."""
    limit = settings.BLOB_CACHE_BYTES
    if not limit or not (isinstance(store, BlobStorage) and store.is_remote):
        return None
    return _cache(Path(settings.DATA) / FOLDER, limit)


@functools.cache
def _cache(folder: Path, limit_bytes: int) -> BlobCache:
    return BlobCache(folder, limit_bytes)
