"""Self-test of a worker's machine, before it claims a table and after a fault, in a few milliseconds.

It writes, syncs, reads and deletes a file in each folder that a worker needs, checks the free space and
fetches blobs that are known to be stored.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.db import connection
from django.utils import timezone

from arena.common.blob_storages import TEMPORARY_PREFIX, BlobsUnavailable
from arena.common.blobs import blob_path
from arena.common.causes import MACHINE_CAUSES, Cause
from arena.common.models import Blob
from arena.roster.models import BotVersion
from arena.tables.machine_faults import cause_of
from arena.tables.readiness import readiness_find
from referee.errors import RefereeError
from referee.sandbox import stage_root

log = logging.getLogger(__name__)

SAMPLE_BYTES = 256 << 10
REMOTE_SAMPLE_BYTES = 1 << 10
SAMPLE_NAME = f"{TEMPORARY_PREFIX}selftest-"
STALE_SAMPLE_S = 600.0
"""Seconds after which a sample file belongs to a process that was killed."""
RESULT_TTL_S = 5.0
"""Seconds that a good result is cached; a bad result is not cached."""
BUNDLES_PER_QUERY = 100
KNOWN_BLOBS = 3
"""Number of newest and of oldest bundles tried; the storage is at fault if none can be read."""
RECOVERED_PERCENT = 125
"""Free space, in percent of the minimum, at which a full folder counts as repaired (hysteresis)."""


class MachineFault(NamedTuple):
    cause: Cause
    text: str
    """What was tried, the error, and the remedy."""


class Selftest:
    """The self-test of a process, with its last result."""

    def __init__(self, on_fault: Callable[[MachineFault], object] = lambda fault: None) -> None:
        """``on_fault`` is called with faults found after an error and with failed runtimes."""
        self.on_fault = on_fault
        self._passed_at = -RESULT_TTL_S
        self._fault: MachineFault | None = None
        self.suspects_sandbox = False
        """Whether the next test has to start a sandbox to pass."""

    def fault(self, *, fresh: bool = False) -> MachineFault | None:
        """Return the machine's fault, or None. Call it from the main thread. Raises a database error."""
        now = time.monotonic()
        if (
            self._fault is None
            and not fresh
            and not self.suspects_sandbox
            and now - self._passed_at < RESULT_TTL_S
        ):
            return None
        self._fault = self._look()
        if self._fault is None:
            self._passed_at = now
        return self._fault

    def after(self, cause: Cause) -> MachineFault | None:
        """Test again after an error, notify the worker's main process, and return the machine's fault."""
        if cause in (Cause.SANDBOX, Cause.RUNTIME, Cause.DRIVER):
            self.suspects_sandbox = True
        try:
            fault = self.fault(fresh=True)
        except Exception as error:
            log.warning("the self-test was aborted: %s", error)
            fault = MachineFault(cause_of(error), f"{type(error).__name__}: {error}")
            fault = fault if fault.cause in MACHINE_CAUSES else None
        if fault is not None:
            self.on_fault(fault)
        return fault

    def explain(self, reason: str, cause: Cause) -> tuple[str, Cause]:
        """Return reason and cause of an error after a self-test; a fault of the machine comes first."""
        fault = self.after(cause)
        if fault is None and cause == Cause.RUNTIME:
            self.on_fault(MachineFault(cause, reason))
        if fault is None or cause in MACHINE_CAUSES:
            return reason, cause
        return f"{fault.text} Seen after: {reason}", fault.cause

    def _look(self) -> MachineFault | None:
        least = settings.WORKER_FREE_BYTES_MIN
        if self._fault is not None:
            least = least * RECOVERED_PERCENT // 100
        fault = places_fault(least) or blobs_fault()
        if fault is None and self.suspects_sandbox:
            readiness = readiness_find(again=True)
            if not readiness.is_ready:
                return MachineFault(Cause.SANDBOX, readiness.refusal)
            self.suspects_sandbox = False
        return fault


def places_fault(least_free_bytes: int) -> MachineFault | None:
    """Return the first folder that is not writable or has less free space than this, or None."""
    try:
        for purpose, folder in _folders():
            fault = _folder_fault(purpose, folder, least_free_bytes)
            if fault is not None:
                return fault
    except RefereeError as error:
        return MachineFault(cause_of(error), f"the staging area cannot be used: {error}")
    return storage_fault(storages["blobs"])


def _folders() -> Iterator[tuple[str, Path]]:
    if connection.vendor == "sqlite" or settings.BROKER_IS_MANAGED:
        yield "data folder", Path(settings.DATA)
    location = _location(storages["blobs"])
    if location is not None:
        yield "blob storage", location
    yield "staging area", stage_root()


def _location(store: Storage) -> Path | None:
    return Path(store.location) if isinstance(store, FileSystemStorage) else None


def _folder_fault(purpose: str, folder: Path, least_free_bytes: int) -> MachineFault | None:
    path = folder / f"{SAMPLE_NAME}{os.getpid()}"
    sample = os.urandom(SAMPLE_BYTES)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
        if free < least_free_bytes:
            return MachineFault(
                Cause.DISK,
                f"{purpose} {folder}: {free >> 20} MiB free, at least {least_free_bytes >> 20} are needed. "
                "Free some space, or lower WORKER_FREE_MIB.",
            )
        with path.open("wb") as file:
            file.write(sample)
            file.flush()
            os.fsync(file.fileno())
        if path.read_bytes() != sample:
            return MachineFault(
                Cause.DISK, f"{purpose} {folder}: a file does not read back as written. Check the disk."
            )
    except OSError as error:
        return MachineFault(
            Cause.RESOURCES if cause_of(error) == Cause.RESOURCES else Cause.DISK,
            f"{purpose} {folder} cannot be written to: {error.strerror or error}. Free space there, or check "
            "its file system and rights.",
        )
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
    return None


def storage_fault(store: Storage) -> MachineFault | None:
    """Return a fault if a storage that is not a folder cannot write, read and delete an object."""
    try:
        storage_try(store)
    except Exception as error:
        # Other storages raise whatever their libraries do.
        return MachineFault(Cause.STORE, f"the blob storage failed its test: {_explained(error)}")
    return None


def storage_try(store: Storage) -> None:
    """Write, read and delete an object, unless the storage is a folder. Raises BlobsUnavailable."""
    if _location(store) is not None:
        return
    sample = os.urandom(REMOTE_SAMPLE_BYTES)
    name = store.save(f"{SAMPLE_NAME}{secrets.token_hex(8)}", ContentFile(sample))
    try:
        with store.open(name, "rb") as file:
            if file.read() != sample:
                raise BlobsUnavailable("it returned other bytes than were stored", "Check its server.")
    finally:
        store.delete(name)


def _explained(error: Exception) -> str:
    if isinstance(error, BlobsUnavailable):
        return " ".join(filter(None, (error.message, error.remedy)))
    return f"{type(error).__name__}: {error}"


def blobs_fault() -> MachineFault | None:
    """Return a fault if none of the newest and oldest bundles can be read; None if there are none."""
    store = storages["blobs"]
    bundles = BotVersion.objects.values_list("bundle_sha256", flat=True)
    last = ""
    for order in ("-pk", "pk"):
        hashes = list(dict.fromkeys(bundles.order_by(order)[:BUNDLES_PER_QUERY]))
        stored = set(Blob.objects.filter(sha256__in=hashes).values_list("sha256", flat=True))
        for sha256 in [sha256 for sha256 in hashes if sha256 in stored][:KNOWN_BLOBS]:
            try:
                with store.open(blob_path(sha256), "rb") as file:
                    if file.read(1):
                        return None
                last = f"blob {sha256} is empty"
            except Exception as error:
                last = _explained(error)
    if not last:
        return None
    return MachineFault(
        Cause.STORE,
        f"no bundle can be read from the blob storage. Last error: {last}. Check that it is mounted.",
    )


def samples_clean() -> list[str]:
    """Delete sample files of killed self-tests, and return their paths."""
    removed = []
    for _, folder in _folders():
        for path in folder.glob(f"{SAMPLE_NAME}*"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > STALE_SAMPLE_S:
                    path.unlink()
                    removed.append(str(path))
    store = storages["blobs"]
    if _location(store) is None:
        with contextlib.suppress(BlobsUnavailable):
            removed += _remote_samples_clean(store)
    return removed


def _remote_samples_clean(store: Storage) -> list[str]:
    names = [name for name in store.listdir("")[1] if name.startswith(SAMPLE_NAME)]
    stale_before = timezone.now() - datetime.timedelta(seconds=STALE_SAMPLE_S)
    stale = [name for name in names if store.get_modified_time(name) < stale_before]
    for name in stale:
        store.delete(name)
    return stale
