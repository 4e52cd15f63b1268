"""Data folders of the processes of the test suite."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

MEMORY_FILE_SYSTEM = Path("/dev/shm")
MIN_FREE_BYTES = 256 << 20
"""Minimum free space there; a test database takes a few MB."""


def data_folder() -> Path:
    """Return the folder in ``RENSHO_DATA``, or a new one that is removed when this process ends.

    Processes of pytest-xdist inherit the variable and use a subfolder each.
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
    """Create a folder in memory, removed when this process ends; return ``data`` without enough space."""
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
