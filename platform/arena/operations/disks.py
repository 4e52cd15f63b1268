"""Disks of this machine, and whether its processes can use the blob storage."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.files.storage import FileSystemStorage, Storage, storages

from arena.common.blob_storages import TEMPORARY_PREFIX, BlobsUnavailable
from arena.common.outage import Outage
from arena.jobs.selftest import storage_try
from referee.errors import SandboxUnavailable
from referee.runtimes import stage_root

log = logging.getLogger(__name__)

PROBE_INTERVAL_S = 15.0
"""Seconds for which the result of a probe of the storage is used."""
SAMPLE_BYTES = 4096
FULL_SHARE = 0.9
"""Share of a disk in use from which it counts as full, as in the alert rules."""


class Disk(NamedTuple):
    place: str
    """``data``, ``staging`` or ``blobs``."""
    free_bytes: int
    size_bytes: int
    device: int
    """Equal for places on the same disk."""

    @property
    def is_full(self) -> bool:
        return self.free_bytes < (1 - FULL_SHARE) * self.size_bytes


def disks() -> Iterator[Disk]:
    """Yield the disks of places that exist on this machine."""
    places = {"data": Path(settings.DATA)}
    with contextlib.suppress(SandboxUnavailable):
        places["staging"] = stage_root()
    store = storages["blobs"]
    if isinstance(store, FileSystemStorage):
        places["blobs"] = Path(store.location)
    for name, path in places.items():
        try:
            usage, device = shutil.disk_usage(path), path.stat().st_dev
        except OSError:
            continue
        yield Disk(name, usage.free, usage.total, device)


class _Probe:
    lock = threading.Lock()
    store: Storage | None = None
    problem: BlobsUnavailable | None = None
    probed_at = float("-inf")
    outage = Outage(log, "the blob storage")


def storage_problem() -> BlobsUnavailable | None:
    """Return why blobs cannot be written and read, as of the last 15 s; None if they can."""
    store = storages["blobs"]
    is_due = store is not _Probe.store or time.monotonic() - _Probe.probed_at > PROBE_INTERVAL_S
    if is_due and _Probe.lock.acquire(blocking=False):
        try:
            _Probe.problem = _problem_of(store)
            if _Probe.problem is None:
                _Probe.outage.record_success()
            else:
                _Probe.outage.record_failure(_Probe.problem)
        finally:
            _Probe.store, _Probe.probed_at = store, time.monotonic()
            _Probe.lock.release()
    return _Probe.problem


def _problem_of(store: Storage) -> BlobsUnavailable | None:
    try:
        if isinstance(store, FileSystemStorage):
            _folder_try(Path(store.location))
        else:
            storage_try(store)
    except BlobsUnavailable as error:
        return error
    except OSError as error:
        return BlobsUnavailable(
            f"its folder cannot be written to: {error.strerror or error}",
            "Mount its disk, free space there, or correct the permissions.",
        )
    except Exception as error:
        # Other storages raise whatever their libraries do.
        return BlobsUnavailable(f"{type(error).__name__}: {error}", "Read the log of its server.")
    return None


def _folder_try(folder: Path) -> None:
    """Write a file to the folder, or to its parent if the folder is missing: the first blob creates it."""
    with tempfile.TemporaryFile(
        dir=folder if folder.exists() else folder.parent, prefix=TEMPORARY_PREFIX
    ) as sample:
        sample.write(bytes(SAMPLE_BYTES))
        sample.flush()
        os.fsync(sample.fileno())
