"""One table, one core: referee and bots take turns, and turns are passed fastest within a core."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator

from referee.errors import SandboxUnavailable
from referee.runtimes import safe_folder, stage_root


@contextlib.contextmanager
def own_core() -> Iterator[int | None]:
    """Keep this process, and what it starts meanwhile, to one core no other table has taken.

    Gives its number, or None where no core is free or cores cannot be chosen: then nothing is changed.
    The kernel frees the core when this process dies.
    """
    taken = _take()
    if taken is None:
        yield None
        return
    core, fd = taken
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {core})
        yield core
    finally:
        os.sched_setaffinity(0, before)
        os.close(fd)


def _take() -> tuple[int, int] | None:
    """A core and the descriptor that holds its lock."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    cores = os.sched_getaffinity(0)
    if len(cores) < 2:
        return None
    try:
        folder = safe_folder(stage_root() / "cores")
        for core in sorted(cores):
            fd = os.open(folder / str(core), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(fd)
            else:
                return core, fd
    except (OSError, SandboxUnavailable):
        return None
    return None
