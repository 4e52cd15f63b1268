"""Niceness of bots: that of the thread that starts them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def pass_niceness(pid: int) -> None:
    """Give the session of a process the niceness of this thread, if it is a lower priority.

    Linux schedules sessions by their own niceness ("autogroup" in sched(7)), which a new session does not
    inherit. Inside a control group with a CPU controller, only the niceness of processes counts.
    """
    niceness = os.getpriority(os.PRIO_PROCESS, 0)
    if niceness > 0:
        # Absent without autogroups. Without privileges, the kernel accepts one change in 0.1 s.
        with contextlib.suppress(OSError):
            Path(f"/proc/{pid}/autogroup").write_text(str(niceness), "ascii")
