"""One table, one core: referee and bots take turns, and turns are passed fastest within a core.

While its bots start, side by side, a table may use every core; it moves to its own once they are ready.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from referee.errors import SandboxUnavailable
from referee.runtimes.stage import safe_folder, stage_root, try_lock_file


@contextlib.contextmanager
def reserved_core() -> Iterator[int | None]:
    """Reserve a core that no other table has, and give its number; ``pin_to_core`` it when it is time.

    None where no core is free or cores cannot be chosen. On leaving, this thread may use the cores it
    could before. The kernel frees the core when this process dies.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield None
        return
    before = os.sched_getaffinity(0)
    if len(before) == 1:
        yield min(before)
        return
    taken = _take(before)
    if taken is None:
        yield None
        return
    core, fd = taken
    try:
        yield core
    finally:
        os.sched_setaffinity(0, before)
        os.close(fd)


def pin_to_core(core: int) -> None:
    """Keep this thread, and what it starts from now on, to one core.

    Raises:
        OSError: the core may not be used.
    """
    os.sched_setaffinity(0, {core})


def _take(cores: set[int]) -> tuple[int, int] | None:
    """One of the cores and the descriptor that holds its lock."""
    try:
        folder = safe_folder(stage_root() / "cores")
        for core in sorted(cores):
            if (fd := try_lock_file(folder / str(core))) is not None:
                return core, fd
    except (OSError, SandboxUnavailable):
        return None
    return None
