"""What a table may leave behind on the host: nothing. Looked at before and after each."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import NamedTuple

from referee.runtimes import stage_root
from referee.sandbox.owner import owner_mark
from referee.sandbox.uids import FIRST_UID, LAST_UID

CGROUPS = Path("/sys/fs/cgroup")
PUBLIC = ("/tmp", "/var/tmp", "/dev/shm", "/run/lock")
"""Folders anybody may write to."""
SHARED = ("bundles", "cores", "runtimes", "used")
"""In the staging area: what every table adds to on purpose, and leaves there."""
PR_SET_CHILD_SUBREAPER = 36


class Host(NamedTuple):
    """The host as far as a bot could change it."""

    processes: frozenset[str]
    """Below this one, orphans included."""
    descriptors: frozenset[str]
    """Of this process; an uid's lock is one."""
    mounts: frozenset[str]
    groups: frozenset[str]
    """Control groups made by this process."""
    files: frozenset[str]
    """In the staging area but for what is shared, and files of a bot's user where anybody may write."""


def adopt_orphans() -> None:
    """Whatever outlives its parent becomes a child of this process, so that nothing is overlooked."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def look() -> Host:
    """The host as it is now."""
    return Host(
        frozenset(_descendants(os.getpid())),
        frozenset(path.name for path in Path("/proc/self/fd").iterdir() if path.exists()),
        frozenset(Path("/proc/self/mountinfo").read_text().splitlines()),
        frozenset(_groups()),
        frozenset(_files()),
    )


def left(before: Host, after: Host) -> list[str]:
    """What is there now and was not before, a sentence each."""
    return [
        f"{kind} left: {thing}"
        for kind, was, now in zip(Host._fields, before, after, strict=True)
        for thing in sorted(now - was)
    ]


def _descendants(pid: int) -> set[str]:
    found: set[str] = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            children = (task / "children").read_text().split()
        except OSError:
            continue
        for child in children:
            found |= {f"{child} {_command(child)}", *_descendants(int(child))}
    return found


def _command(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:80]
    except OSError:
        return "?"


def _groups() -> set[str]:
    """Folders named after this process: every box's own group is."""
    mark = owner_mark()
    found = set()
    for where, folders, _ in os.walk(CGROUPS):
        found |= {f"{where}/{folder}" for folder in folders if mark in folder}
    return found


def _files() -> set[str]:
    found = set()
    stage = stage_root()
    for where, folders, files in os.walk(stage):
        if Path(where) == stage:
            folders[:] = [folder for folder in folders if folder not in SHARED]
        found |= {f"{where}/{name}" for name in (*folders, *files)}
    ours = {os.geteuid()} if os.geteuid() else set(range(FIRST_UID, LAST_UID + 1))
    for folder in PUBLIC:
        for path in Path(folder).iterdir() if Path(folder).is_dir() else ():
            try:
                if path.lstat().st_uid in ours:
                    found.add(str(path))
            except OSError:
                continue
    return found
