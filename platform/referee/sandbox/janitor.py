"""Removes leftovers of killed workers. Safe at any time, also while workers run."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

from referee.runtimes import clean, stage_root
from referee.sandbox import control_files
from referee.sandbox.cgroup_sites import hierarchies
from referee.sandbox.cgroups import PREFIX
from referee.sandbox.owner import VARIABLE, is_orphaned
from referee.sandbox.stdio import remove_abandoned_names

PATIENCE_S = 1.0


def janitor() -> list[str]:
    """Kill sandboxes whose worker has ended, and remove their control groups and unused or unfinished
    runtimes.

    Returns a sentence for each. The kernel releases locks on uids with the worker.
    """
    removed = [f"removed runtime {name}, which nobody uses" for name in clean(stage_root())]
    return [*_remove_orphaned_groups(), *_end_orphans(), *remove_abandoned_names(stage_root()), *removed]


def _end_orphans() -> list[str]:
    done = []
    prefix = f"{VARIABLE}=".encode()
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            fd = os.pidfd_open(int(folder.name))
        except OSError:
            continue
        # Opened first, so that the process read below is the one signalled.
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
            marks = [
                variable.removeprefix(prefix).decode()
                for variable in variables
                if variable.startswith(prefix)
            ]
            if marks and is_orphaned(marks[0]):
                signal.pidfd_send_signal(fd, signal.SIGKILL)
                done.append(f"ended process {folder.name}, left by a worker that has ended")
        except (OSError, UnicodeDecodeError):
            continue
        finally:
            os.close(fd)
    return done


def _remove_orphaned_groups() -> list[str]:
    """Kill and remove groups whose owner has ended; return a sentence for each.

    Keeps groups of living workers, of other process namespaces, and read-only groups.
    """
    tops = dict.fromkeys(tree.mount for tree in hierarchies())
    orphaned = [folder for top in tops for folder in _orphaned_groups(top)]
    # Thawed in every hierarchy first: a process frozen in version 1 cannot be killed through another one.
    for folder in orphaned:
        _end_group(folder)
    done = []
    for folder in orphaned:
        if os.access(folder.parent, os.W_OK) and control_files.remove_group(folder, PATIENCE_S):
            done.append(f"removed control group {folder}, left by a worker that has ended")
    return done


def _orphaned_groups(top: Path) -> Iterator[Path]:
    for folder, names, _ in os.walk(top):
        ours = [name for name in names if name.startswith(PREFIX)]
        names[:] = [name for name in names if name not in ours]
        for name in ours:
            mark, _, number = name.removeprefix(PREFIX).rpartition("-")
            if number.isdecimal() and is_orphaned(mark):
                yield Path(folder, name)


def _end_group(folder: Path) -> None:
    for name, text in (("freezer.state", "THAWED"), ("cgroup.freeze", "0"), ("cgroup.kill", "1")):
        try:
            control_files.write_control(folder / name, text)
        except OSError:
            continue  # Another cgroup version, an older kernel, or not writable.
    control_files.kill_one_by_one(folder)
