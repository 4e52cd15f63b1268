"""Moves to another core, or loads its own, so that its partner is moved."""

import contextlib
import os

from partners import conspire

cores = sorted(os.sched_getaffinity(0))


def send(bit):
    for mask in ({bit}, {bit + 1}, range(64)):
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, mask)


def notice():
    return sorted(os.sched_getaffinity(0)) == cores


conspire(send, notice)
