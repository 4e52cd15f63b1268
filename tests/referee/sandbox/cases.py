"""Programs that drivers are tried on, and the limits of their turns. The hostile corpus is another matter."""

import time
from collections.abc import Callable
from pathlib import Path

PROGRAMS = Path(__file__).with_name("programs")
"""They speak lines, not the protocol: ``ready``, then whatever each is for."""
TURN = {"cpu_limit_ms": 300.0, "wall_limit_ms": 30_000.0}
"""Enough wall time for a bot on a busy machine to spend its CPU time."""
IDLE_TURN = {"cpu_limit_ms": 300.0, "wall_limit_ms": 400.0}
IDLERS = {"sleeps"}
"""Programs that can only be caught by the wall clock."""
START = {"cpu_limit_ms": 3000.0, "wall_limit_ms": 60_000.0}
"""The wall clock is a guard against hanging."""
PATIENCE_S = 60.0
"""How long to wait for what must come: a guard against hanging, not a measure."""
TICK_MS = 10.0
"""A tick of the scheduler: another core may book the last of a stopped process's time a moment later."""


def wait_until(is_so: Callable[[], bool]) -> bool:
    """Whether it comes to be so."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.005)
    return is_so()


def has_stopped(read_cpu_ms: Callable[[], float]) -> bool:
    """Whether a bot that would spin comes to use no CPU, but for what is booked late."""

    def is_still() -> bool:
        before = read_cpu_ms()
        time.sleep(0.1)
        return read_cpu_ms() < before + TICK_MS

    # Twice: the first may have caught it waiting for a core.
    return wait_until(is_still) and is_still()
