"""Owner marks of sandboxes: an environment variable of the outer processes, invisible to the bot."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "RENSHO_BOX"


def owner_mark() -> str:
    return f"{_namespace()}.{os.getpid()}.{_start_time(os.getpid())}"


def is_orphaned(mark: str) -> bool:
    """Return whether the mark's process has ended. False for other process namespaces and invalid marks."""
    namespace, _, fields = mark.partition(".")
    pid, _, started = fields.partition(".")
    if namespace != f"{_namespace()}" or not pid.isdecimal():
        return False
    return f"{_start_time(int(pid))}" != started


def _namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino


def _start_time(pid: int) -> int | None:
    """Return the start time in clock ticks since boot; None if there is no such process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "XZ" else int(fields[19])
