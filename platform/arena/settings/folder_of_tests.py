"""Where each process of the test suite keeps its data."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

MEMORY_FILE_SYSTEM = Path("/dev/shm")
"""A file system in memory, on Linux."""
MIN_FREE_BYTES = 256 << 20
"""What has to be free there: the database of a test takes a few MB."""


def data_folder() -> Path:
    """The folder that ``RENSHO_DATA`` names, else a new one for as long as this process lives.

    Processes of pytest-xdist inherit the name and take a folder each below it, so that none finds or sweeps
    what the tests of another wrote; what they start inherits theirs.
    """
    named, worker = os.environ.get("RENSHO_DATA"), os.environ.get("PYTEST_XDIST_WORKER", "")
    folder = Path(named or tempfile.mkdtemp(prefix="rensho-test-"))
    if not named:
        atexit.register(_remove, folder, os.getpid())
    if worker and folder.name != worker:
        folder /= worker
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def memory_folder(data: Path) -> Path:
    """Create a folder below ``MEMORY_FILE_SYSTEM``, which is removed when this process ends.

    ``data``, its data folder, where the system has no such place or too little room in it.
    """
    try:
        room = os.statvfs(MEMORY_FILE_SYSTEM)
        if room.f_bavail * room.f_frsize < MIN_FREE_BYTES:
            return data
        folder = Path(tempfile.mkdtemp(prefix="rensho-test-", dir=MEMORY_FILE_SYSTEM))
    except OSError:
        return data
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: Path, maker: int) -> None:
    if os.getpid() == maker:
        shutil.rmtree(folder, ignore_errors=True)
