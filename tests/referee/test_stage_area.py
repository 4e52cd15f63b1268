"""What the staging area lies on, tried with file systems mounted in namespaces of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.errors import SandboxUnavailable
from referee.runtimes import stage_root
from referee.runtimes.stage_area import (
    MIN_BYTES,
    ON_DISK_SETTING,
    OWN_MOUNT,
    SHARED_MEMORY,
    area_of,
    default_root,
    require_area,
)

pytestmark = pytest.mark.full

FOUND = """
import json, sys
from pathlib import Path
from referee.errors import SandboxUnavailable
from referee.runtimes.stage_area import area_of, default_root, require_area
root = default_root()
root.mkdir(exist_ok=True)
try:
    kind, refusal = require_area(root).kind, []
except SandboxUnavailable as error:
    kind, refusal = "", [error.step, error.remedy]
print(json.dumps([str(root), kind, refusal]))
"""
NAMESPACES = ("unshare", "--user", "--map-root-user", "--mount")
NO_MOUNTS = "--bounding-set=-sys_admin"
FOLDERS = (Path(__file__).parent, Path("/usr"), Path("/var"))
DISK = next(folder for folder in FOLDERS if not area_of(folder).is_memory)


def found_with(mounts: str, *, may_mount: bool = True) -> tuple[str, str, list[str]]:
    """Where the area is put once a shell has done ``mounts`` in namespaces of its own, its kind or the
    refusal; ``/run`` is empty there."""
    script = f'mount -t tmpfs tmpfs /run && {mounts} && exec "$@"'
    drop = ["setpriv", "--inh-caps=-all", NO_MOUNTS, "--"] if not may_mount else []
    done = subprocess.run(
        [*NAMESPACES, "sh", "-c", script, "sh", *drop, sys.executable, "-c", FOUND],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": ":".join(sys.path), "HOME": "/run"},
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    root, kind, refusal = json.loads(done.stdout)
    return root, kind, refusal


def test_the_staging_area_of_this_machine_is_in_memory() -> None:
    area = require_area(stage_root())
    assert (area.is_memory, area.is_exec, area.is_large_enough) == (True, True, True)
    assert area.mount.is_mount()
    assert str(stage_root()) in area.description()


def test_a_name_that_is_not_there_is_not_remembered() -> None:
    """The kernel counts the names it remembers, all over the machine: so a rise must be much smaller than
    the number of misses here, and no smaller on a disk, whose count shows that the measure works."""

    def remembered(folder: Path, attempt: int) -> int:
        before = _dentries()
        for number in range(5000):
            (folder / f"missing-{os.getpid()}-{attempt}-{number}").exists()
        return _dentries() - before

    assert max(remembered(DISK, attempt) for attempt in range(3)) > 4000
    assert min(remembered(stage_root(), attempt) for attempt in range(3)) < 1000


def _dentries() -> int:
    return int(Path("/proc/sys/fs/dentry-state").read_text().split()[0])


def test_shared_memory_is_used_where_it_will_do() -> None:
    assert found_with("mount -t tmpfs -o size=1g tmpfs /dev/shm") == (
        f"{SHARED_MEMORY}/rensho-0",
        "tmpfs",
        [],
    )


@pytest.mark.parametrize("options", ["noexec", "size=64m"])
def test_root_mounts_an_area_where_shared_memory_will_not_do(options: str) -> None:
    mounts = f"mount -t tmpfs -o {options} tmpfs /dev/shm"
    assert found_with(mounts) == (str(OWN_MOUNT), "tmpfs", [])


@pytest.mark.parametrize(
    ("options", "reason", "remedy"),
    [
        ("noexec", "noexec", "mount -o remount,exec /dev/shm"),
        ("size=64m", f"64 MiB, and the runtimes need {MIN_BYTES >> 20}", "mount -o remount,size="),
    ],
)
def test_where_nothing_can_be_mounted_the_remedy_is_named(options: str, reason: str, remedy: str) -> None:
    root, _, (step, words) = found_with(f"mount -t tmpfs -o {options} tmpfs /dev/shm", may_mount=False)
    assert root == f"{SHARED_MEMORY}/rensho-0"
    assert reason in step
    assert remedy in words
    assert "--tmpfs /stage:exec" in words


def test_a_disk_is_refused_unless_it_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ON_DISK_SETTING, raising=False)
    with pytest.raises(SandboxUnavailable, match=area_of(DISK).kind) as caught:
        require_area(DISK)
    assert str(default_root()) in caught.value.remedy
    monkeypatch.setenv(ON_DISK_SETTING, "1")
    assert require_area(DISK).folder == DISK
