"""Disks of this machine, and whether its processes can use the blob storage."""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages

from arena.common.outage import Outage
from referee.runtimes import stage_root

log = logging.getLogger(__name__)

PROBE_NAME = "rensho-probe"
"""A name that no file has."""
PROBE_INTERVAL_S = 15.0
"""Seconds between two requests to a remote storage."""


class Disk(NamedTuple):
    place: str
    """``data``, ``staging`` or ``blobs``."""
    free_bytes: int
    size_bytes: int


def disks() -> Iterator[Disk]:
    """Yield the disks of places that exist on this machine."""
    places = {"data": Path(settings.DATA), "staging": stage_root()}
    store = storages["blobs"]
    if isinstance(store, FileSystemStorage):
        places["blobs"] = Path(store.location)
    for name, path in places.items():
        try:
            usage = shutil.disk_usage(path)
        except OSError:
            continue
        yield Disk(name, usage.free, usage.total)


class _Probe:
    lock = threading.Lock()
    is_up = True
    probed_at = float("-inf")
    outage = Outage(log, "the blob storage")


def storage_is_up() -> bool:
    """Return whether blobs can be read and written; for a remote storage as of the last 15 s."""
    store = storages["blobs"]
    if isinstance(store, FileSystemStorage):
        # The first blob creates the folder.
        location = Path(store.location)
        return os.access(location if location.exists() else location.parent, os.R_OK | os.W_OK | os.X_OK)
    if time.monotonic() - _Probe.probed_at > PROBE_INTERVAL_S and _Probe.lock.acquire(blocking=False):
        try:
            store.exists(PROBE_NAME)
            _Probe.is_up = True
            _Probe.outage.record_success()
        except Exception as error:
            _Probe.is_up = False
            _Probe.outage.record_failure(error)
        finally:
            _Probe.probed_at = time.monotonic()
            _Probe.lock.release()
    return _Probe.is_up
