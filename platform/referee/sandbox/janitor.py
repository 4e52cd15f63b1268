"""Clears away what a killed worker may have left. Safe to run at any time, next to working workers."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from referee.runtimes import clean, stage_root
from referee.sandbox.groups_sweep import remove_orphaned_groups
from referee.sandbox.owner import VARIABLE, is_orphaned


def janitor() -> list[str]:
    """End boxes whose worker is gone and remove their control groups, and runtimes that nobody uses or that
    were never finished; what was done, a sentence each.

    Locks on uids need no clearing: the kernel drops them with the worker.
    """
    removed = [f"removed runtime {name}, which nobody uses" for name in clean(stage_root())]
    return [*remove_orphaned_groups(), *_end_orphans(), *removed]


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
        # Opened first, so that what is read below is of the very process that is signalled.
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
            marks = [
                variable.removeprefix(prefix).decode()
                for variable in variables
                if variable.startswith(prefix)
            ]
            if marks and is_orphaned(marks[0]):
                signal.pidfd_send_signal(fd, signal.SIGKILL)
                done.append(f"ended process {folder.name}, left by a worker that is gone")
        except (OSError, UnicodeDecodeError):
            continue
        finally:
            os.close(fd)
    return done
