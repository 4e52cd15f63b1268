"""What a driver adds to the reason of a fault: which limit was passed, and by how much."""

from __future__ import annotations

from referee.contract import Limits
from referee.driver import ExitReason


def limit_passed(reason: ExitReason, limits: Limits, cpu_limit_s: int) -> str:
    """The limit behind a reason, with its unit; empty if no number stands behind it."""
    match reason:
        case ExitReason.LINE_TOO_LONG:
            return f"the line is longer than {limits.line_bytes} bytes"
        case ExitReason.OUTPUT_LIMIT:
            return f"over {limits.lines_ahead * limits.line_bytes} bytes came unasked"
        case ExitReason.STDERR_LIMIT:
            return f"over {limits.stderr_kill_bytes} bytes were written to standard error"
        case ExitReason.MATCH_CPU:
            return f"over {cpu_limit_s} s of CPU time were used at this table"
        case _:
            return ""


def overdue(reason: ExitReason, used_ms: float, wall_ms: float) -> str:
    """What a decision used of the time of which it was allowed less; for TURN_CPU and TURN_WALL."""
    what = "CPU time" if reason is ExitReason.TURN_CPU else "wall time"
    return f"no answer within the {what} allowed; used {used_ms:.1f} ms CPU, {wall_ms:.1f} ms wall"
