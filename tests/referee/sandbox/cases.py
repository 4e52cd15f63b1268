"""Programs that drivers are tried on, and the limits of their turns. The hostile corpus is another matter."""

from pathlib import Path

PROGRAMS = Path(__file__).with_name("programs")
"""They speak lines, not the protocol: ``ready``, then whatever each is for."""
TURN = {"cpu_limit_ms": 300.0, "wall_limit_ms": 30_000.0}
"""Enough wall time for a bot on a busy machine to spend its CPU time."""
IDLE_TURN = {"cpu_limit_ms": 300.0, "wall_limit_ms": 400.0}
IDLERS = {"sleeps", "stops_itself"}
"""Programs that can only be caught by the wall clock."""
START = {"cpu_limit_ms": 3000.0, "wall_limit_ms": 10_000.0}
