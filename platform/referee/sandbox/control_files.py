"""Control files of cgroups, version 1 and 2, behind one interface."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

PATIENCE_S = 0.05
"""Maximum wait for a group to freeze. A process that the kernel cannot stop at once stops later."""
NEARLY_BYTES = 256 << 10
"""Margin below its limit at which a group counts as full: the size of the kernel's memory charges."""
_PAUSE_S = 50e-6


class ControlFile:
    """An open control file: opening costs far more than reading or writing."""

    __slots__ = ("_fd",)

    def __init__(self, path: Path, mode: int = os.O_RDONLY) -> None:
        self._fd = os.open(path, mode | os.O_CLOEXEC)

    def read(self) -> bytes:
        return os.pread(self._fd, 4096, 0)

    def write(self, text: bytes) -> None:
        os.pwrite(self._fd, text, 0)

    def close(self) -> None:
        os.close(self._fd)


class Freezer(Protocol):
    """Freezes, kills and times all processes of a group."""

    def freeze(self) -> None:
        """Stop every process; return when all are stopped."""

    def thaw(self) -> None: ...

    def cpu_ms(self) -> float: ...

    def kill(self) -> None:
        """Kill every process, frozen or not."""

    def pids(self) -> list[int]: ...

    def close(self) -> None: ...


class FreezerV2:
    """Freezer of cgroup version 2; needs no controller."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stat = ControlFile(folder / "cpu.stat")
        self._freeze = ControlFile(folder / "cgroup.freeze", os.O_WRONLY)
        self._events = ControlFile(folder / "cgroup.events")

    def freeze(self) -> None:
        self._freeze.write(b"1")
        _wait(lambda: b"frozen 1" in self._events.read())

    def thaw(self) -> None:
        self._freeze.write(b"0")

    def cpu_ms(self) -> float:
        return int(self._stat.read().split(None, 2)[1]) / 1e3

    def kill(self) -> None:
        try:
            (self._folder / "cgroup.kill").write_bytes(b"1")
        except FileNotFoundError:  # Older than Linux 5.14.
            kill_one_by_one(self._folder)

    def pids(self) -> list[int]:
        return pids_in(self._folder)

    def close(self) -> None:
        for file in (self._stat, self._freeze, self._events):
            file.close()


class FreezerV1:
    """Freezer of cgroup version 1, with two controllers. A frozen process cannot even be killed."""

    def __init__(self, freezer: Path, cpuacct: Path) -> None:
        self._folder = freezer
        self._usage = ControlFile(cpuacct / "cpuacct.usage")
        self._state = ControlFile(freezer / "freezer.state", os.O_RDWR)

    def freeze(self) -> None:
        self._state.write(b"FROZEN")
        _wait(lambda: self._state.read().startswith(b"FROZEN"))

    def thaw(self) -> None:
        self._state.write(b"THAWED")

    def cpu_ms(self) -> float:
        return int(self._usage.read()) / 1e6

    def kill(self) -> None:
        """Kill every process; a frozen one receives the signal when it is thawed."""
        kill_one_by_one(self._folder)
        self.thaw()
        kill_one_by_one(self._folder)

    def pids(self) -> list[int]:
        return pids_in(self._folder)

    def close(self) -> None:
        for file in (self._usage, self._state):
            file.close()


def limit_memory(folder: Path, version: int, limit_bytes: int, *, as_one: bool) -> None:
    """Limit the group's memory, including swap, or raise ``OSError``.

    ``as_one``: the OOM killer ends the whole group at once, if the kernel supports that.
    """
    text = f"{limit_bytes}"
    if version == 1:
        write_control(folder / "memory.limit_in_bytes", text)
        # Depends on how the kernel was built or started; not needed without swap.
        with contextlib.suppress(FileNotFoundError):
            write_control(folder / "memory.memsw.limit_in_bytes", text)
        return
    write_control(folder / "memory.max", text)
    with contextlib.suppress(FileNotFoundError):
        write_control(folder / "memory.swap.max", "0")
    if as_one:
        with contextlib.suppress(FileNotFoundError):
            write_control(folder / "memory.oom.group", "1")


def memory_peak_bytes(folder: Path, version: int) -> int:
    """Return the group's peak memory; its current memory on kernels older than Linux 5.19."""
    for name in ("memory.max_usage_in_bytes",) if version == 1 else ("memory.peak", "memory.current"):
        with contextlib.suppress(OSError):
            return int((folder / name).read_bytes())
    return 0


def memory_kills(folder: Path, version: int) -> int:
    """Return how many processes were killed because the group reached its own memory limit.

    The kernel's counter includes other kills, which are ignored while that limit was never reached.
    """
    if version == 1:
        # Not by failcnt: recent kernels do not count failures for memory and swap together.
        was_full = any(
            _number(folder / f"{kind}.max_usage_in_bytes") + NEARLY_BYTES
            >= (_number(folder / f"{kind}.limit_in_bytes") or math.inf)
            for kind in ("memory", "memory.memsw")
        )
        return _event_count(folder / "memory.oom_control", b"oom_kill") if was_full else 0
    events = folder / "memory.events"
    return _event_count(events, b"oom_kill") if _event_count(events, b"oom") else 0


def refused_starts(folder: Path) -> int:
    """Return how often a process or thread was refused because the group had its maximum."""
    return _event_count(folder / "pids.events", b"max")


def limit_cpu(folder: Path, version: int, cores: float) -> None:
    """Limit the group to this many CPU seconds per second, or raise ``OSError``."""
    period_us = 100_000
    quota_us = max(int(cores * period_us), 1000)
    if version == 1:
        write_control(folder / "cpu.cfs_period_us", f"{period_us}")
        write_control(folder / "cpu.cfs_quota_us", f"{quota_us}")
    else:
        write_control(folder / "cpu.max", f"{quota_us} {period_us}")


def write_control(file: Path, text: str) -> None:
    """Write to a control file, never create one; ``OSError`` if it is missing or the kernel refuses."""
    fd = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def pids_in(folder: Path) -> list[int]:
    """Return the processes of a group; empty if the group does not exist."""
    try:
        return [int(pid) for pid in (folder / "cgroup.procs").read_text().split()]
    except OSError:
        return []


def kill_one_by_one(folder: Path) -> None:
    """Send SIGKILL to every process of a group, never to another process with a reused pid."""
    for pid in pids_in(folder):
        try:
            fd = os.pidfd_open(pid)
        except OSError:
            continue
        try:
            if pid in pids_in(folder):
                signal.pidfd_send_signal(fd, signal.SIGKILL)
        except OSError:
            continue
        finally:
            os.close(fd)


def remove_group(folder: Path, patience_s: float) -> bool:
    """Remove a group after its last processes have ended; return whether it is removed."""
    deadline = time.monotonic() + patience_s
    pause_s = 0.0002
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            if time.monotonic() > deadline:
                return False
            time.sleep(pause_s)
            pause_s = min(pause_s * 2, 0.02)
        else:
            return True


def _number(file: Path) -> int:
    try:
        return int(file.read_bytes())
    except OSError:
        return 0


def _event_count(file: Path, name: bytes) -> int:
    try:
        fields = file.read_bytes().split()
    except OSError:
        return 0
    return int(fields[fields.index(name) + 1]) if name in fields else 0


def _wait(is_so: Callable[[], bool]) -> None:
    if is_so():
        return
    deadline = time.monotonic() + PATIENCE_S
    while not is_so() and time.monotonic() < deadline:
        time.sleep(_PAUSE_S)
