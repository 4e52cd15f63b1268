"""Remnants of sandboxes on a host, planted one at a time."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.arena.small_disk import SmallDisk, small_disk
from tests.chaos import left as remnants
from tests.referee.sandbox import mortal

pytestmark = pytest.mark.full
__all__ = ["small_disk"]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty staging area of this test's own."""
    folder = Path(tempfile.mkdtemp(prefix="rensho-test-", dir="/dev/shm"))
    folder.chmod(0o755)
    monkeypatch.setenv("RENSHO_STAGE", str(folder))
    monkeypatch.setattr(mortal, "PATIENCE_S", 0.1)
    yield folder
    shutil.rmtree(folder)


def codes(token: str = "") -> set[str]:
    return {problem.code for problem in remnants.left(token or uuid.uuid4().hex)}


def test_an_idle_host_has_none(stage: Path) -> None:
    assert codes() == set()


def test_a_bot_that_still_runs_is_named(stage: Path) -> None:
    token = uuid.uuid4().hex
    with subprocess.Popen([sys.executable, "-c", "input()", f"{token}.py"], stdin=subprocess.PIPE) as process:
        assert codes(token) == {"process_left"}
        process.kill()


LOCK = """
import fcntl, os, sys
fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)
print(flush=True)
if sys.argv[2] == "ends" and os.fork():
    os._exit(0)
input()
"""
"""Locks a folder, and leaves the lock to a child if it ends."""


@pytest.mark.parametrize(
    ("end", "expected"), [("ends", {"lock_left", "file_left"}), ("stays", {"file_left"})]
)
def test_a_lock_and_an_unfinished_file_are_named(stage: Path, end: str, expected: set[str]) -> None:
    folder = stage / "bundles" / ".unpacking-1"
    folder.mkdir(parents=True)
    argv = [sys.executable, "-c", LOCK, str(folder), end]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        if end == "ends":
            process.wait()
        assert codes() == expected


def test_a_mount_is_named(stage: Path, small_disk: SmallDisk) -> None:
    point = stage / "root"
    point.mkdir()
    with ExitStack() as stack:
        subprocess.run(["mount", "--bind", str(small_disk.folder), str(point)], check=True)
        stack.callback(subprocess.run, ["umount", str(point)], check=True)
        assert codes() == {"mount_left"}
