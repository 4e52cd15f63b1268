"""Clears away what a killed worker may have left. Safe to run at any time, next to working workers."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from pathlib import Path

from referee.runtimes import stage_root
from referee.runtimes.python1 import BUILDING
from referee.sandbox.owner import VARIABLE, is_orphaned

STALE_AFTER_S = 3600.0
"""A runtime half built this long ago is being built by nobody."""


def janitor() -> list[str]:
    """End boxes whose worker is gone, remove half-built runtimes; what was done, a sentence each.

    Locks on uids need no clearing: the kernel drops them with the worker.
    """
    return [*_end_orphans(), *_remove_unfinished()]


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


def _remove_unfinished() -> list[str]:
    done = []
    for folder in (stage_root() / "runtimes").glob(f"{BUILDING}*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > STALE_AFTER_S:
                shutil.rmtree(folder)
                done.append(f"removed {folder}, a runtime that was never finished")
    return done
