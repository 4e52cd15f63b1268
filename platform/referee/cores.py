"""One core per table: referee and bots alternate, and switching is fastest within one core.

While the bots start in parallel, a table may use every core.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from referee.errors import SandboxUnavailable
from referee.runtimes.stage import safe_folder, stage_root, try_lock_file


@contextlib.contextmanager
def reserved_core() -> Iterator[int | None]:
    """Reserve a core that no other table uses and yield its number, for ``pin_to_core``; None without one.

    On exit the thread regains its previous cores. If the process dies, the kernel releases the reservation.
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
    """Pin this thread, and processes it starts later, to a core; ``OSError`` if it is not allowed."""
    os.sched_setaffinity(0, {core})


def _take(cores: set[int]) -> tuple[int, int] | None:
    try:
        folder = safe_folder(stage_root() / "cores")
        for core in sorted(cores):
            if (fd := try_lock_file(folder / str(core))) is not None:
                return core, fd
    except (OSError, SandboxUnavailable):
        return None
    return None
