"""How much this machine may do at once."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Cores this process may run on: what a container or ``taskset`` left of the machine's."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
