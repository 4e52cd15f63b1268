"""A small file system that a test fills."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.storage import storages
from pytest_django import Settings

from tests.referee.stages import MOUNTED_BY_TESTS

CAP_SYS_ADMIN = 21
"""Source: linux/capability.h."""
DISK_BYTES = 8 << 20


class SmallDisk:
    """A file system of 8 MiB that can be filled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.filler = folder / "filler"

    def fill(self) -> None:
        with self.filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(64 << 10))

    def free(self) -> None:
        self.filler.unlink(missing_ok=True)


def may_mount() -> bool:
    """Whether this process has the capability to mount, which root of a container may lack."""
    (line,) = (row for row in Path("/proc/self/status").read_text().splitlines() if row.startswith("CapEff"))
    return bool(int(line.split()[1], 16) >> CAP_SYS_ADMIN & 1)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("a small file system can be mounted by root alone")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", MOUNTED_BY_TESTS, str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        refusal = f"a small file system cannot be mounted here: {done.stderr.strip()}"
        if "CI" in os.environ and may_mount():
            pytest.fail(refusal)
        pytest.skip(refusal)
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def blobs_on_it(small_disk: SmallDisk, settings: Settings) -> SmallDisk:
    """The same with the blobs on it."""
    location = small_disk.folder / "blobs"
    settings.STORAGES = {
        **settings.STORAGES,
        "blobs": {**settings.STORAGES["blobs"], "OPTIONS": {"location": location}},
    }
    assert Path(storages["blobs"].location) == location  # type: ignore[attr-defined]
    return small_disk
