"""What killed workers may leave on their host: processes, control groups, locks, mounts, unfinished files.

Call ``left`` on the host, once no worker runs: it removes what a new worker would remove, then looks.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path

from arena.jobs.worker import machine_clean
from referee.runtimes import stage_root
from referee.sandbox.cgroup_sites import hierarchies
from referee.sandbox.cgroups import PREFIX
from referee.sandbox.owner import is_orphaned
from tests.chaos.audit import Problem
from tests.referee.sandbox.mortal import half_made, until_gone

NOBODY = "nobody"
"""An owner mark that no sandbox has."""


def left(token: str) -> list[Problem]:
    """Return what is left of bots with the token in the names of their files, and of their sandboxes."""
    machine_clean()
    return [
        *(Problem("process_left", text) for text in until_gone(token, NOBODY)),
        *(Problem("group_left", str(folder)) for folder in _orphaned_groups()),
        *(Problem("lock_left", path) for path in _locked()),
        *(Problem("mount_left", path) for path in _mounts()),
        *(Problem("file_left", text) for text in half_made()),
    ]


def main(token: str) -> None:
    """Print the problems as a JSON list of texts."""
    print(json.dumps([str(problem) for problem in left(token)]))


def _orphaned_groups() -> Iterator[Path]:
    for top in {tree.mount for tree in hierarchies()}:
        for folder, names, _ in os.walk(top):
            for name in names:
                mark = name.removeprefix(PREFIX).rpartition("-")[0]
                if name.startswith(PREFIX) and is_orphaned(mark):
                    yield Path(folder, name)


def _locked() -> Iterator[str]:
    """Yield the files of the staging area with a lock of a process that has ended, which a child keeps."""
    lines = (line.split() for line in Path("/proc/locks").read_text().splitlines())
    orphaned = {
        inode
        for line in lines
        for pid, inode in itertools.pairwise(line)
        if inode.count(":") == 2 and not Path("/proc", pid).exists()
    }
    for path in stage_root().rglob("*"):
        with contextlib.suppress(OSError):
            status = path.lstat()
            device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
            if f"{device}:{status.st_ino}" in orphaned:
                yield str(path)


def _mounts() -> Iterator[str]:
    """Yield the mount points inside the staging area."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        point = line.split()[4]
        if point.startswith(f"{stage_root()}/"):
            yield point
