"""Where each process of the test suite keeps its data."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path


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


def _remove(folder: Path, maker: int) -> None:
    if os.getpid() == maker:
        shutil.rmtree(folder, ignore_errors=True)
