"""Process names that show whether the process is alive: ``host:pid:start``.

Process ids are reused, but not with the same start time. The host part contains boot id and process
namespace, since all containers of a machine share the boot id of its kernel.
"""

from __future__ import annotations

import functools
import hashlib
import os
import socket
from collections.abc import Iterable
from pathlib import Path

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@functools.cache
def kernel_id() -> str:
    """Return the boot id of this kernel, 36 characters, or the host's name. Source: random(4), boot_id."""
    try:
        return BOOT_ID.read_text().strip()[:36]
    except OSError:
        return socket.gethostname()[:36]


@functools.cache
def host_name() -> str:
    """Return a name of this host, its boot and the process namespace, without a colon."""
    marks = [socket.gethostname()]
    for source in (BOOT_ID, Path("/proc/self/ns/pid")):
        try:
            marks.append(str(source.readlink()) if source.is_symlink() else source.read_text().strip())
        except OSError:
            marks.append("")
    digest = hashlib.sha256("\n".join(marks).encode()).hexdigest()[:10]
    return f"{marks[0][:32].replace(':', '-')}-{digest}"


def process_name(pid: int | None = None) -> str:
    """Return the name of a running process, by default this one. Raises ProcessLookupError."""
    pid = os.getpid() if pid is None else pid
    return f"{host_name()}:{pid}:{_started_at(pid)}"


def names_alive(names: Iterable[str]) -> set[str]:
    alive = set()
    for name in names:
        host, _, process = name.partition(":")
        pid = process.partition(":")[0]
        try:
            if host == host_name() and pid.isdecimal() and process_name(int(pid)) == name:
                alive.add(name)
        except ProcessLookupError:
            pass
    return alive


def _started_at(pid: int) -> int:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        raise ProcessLookupError(f"no process {pid}") from None
    # The command's name may hold spaces and brackets; the fields after its last bracket do not.
    state, *fields = stat.rpartition(")")[2].split()
    if state == "Z":
        raise ProcessLookupError(f"process {pid} has ended")
    return int(fields[18])
