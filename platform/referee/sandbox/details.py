"""What a driver says of its input and adds to the reason of a fault: which limit was passed, by how much."""

from __future__ import annotations

from pathlib import PurePosixPath

from referee.contract import Limits
from referee.driver import ExitReason


def checked_entry_point(entry_point: str) -> str:
    """The entry point, a file by its path inside the bundle.

    What the file has to be is the runtime's business, and was judged when the bundle was imported.

    Raises:
        ValueError: it is no such path.
    """
    path = PurePosixPath(entry_point)
    if path.is_absolute() or ".." in path.parts or not path.parts or str(path) != entry_point:
        raise ValueError(f"entry point {entry_point!r} is not the path of a file inside the bundle")
    return entry_point


def limit_passed(reason: ExitReason, limits: Limits, cpu_limit_s: int) -> str:
    """The limit behind a reason, with its unit; empty if no number stands behind it."""
    match reason:
        case ExitReason.LINE_TOO_LONG:
            return f"the line is longer than {limits.line_bytes} bytes"
        case ExitReason.OUTPUT_LIMIT:
            return f"over {limits.lines_ahead * limits.line_bytes} bytes came unasked"
        case ExitReason.STDIN_BLOCKED:
            return f"over {limits.unread_bytes} bytes wait unread on standard input; read every line"
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
