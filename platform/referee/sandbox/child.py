"""Interface of a running bot process for the byte pump: three pipes, a clock, controls and its end."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple, Protocol

from referee.driver import ExitReason


class ProcessEnd(NamedTuple):
    reason: ExitReason
    detail: str
    exit_code: int | None


class ProcessControls(NamedTuple):
    """The three operations of every decision, as direct system calls; OSError once the bot has ended."""

    thaw: Callable[[], object]
    freeze: Callable[[], object]
    cpu_s: Callable[[], float]
    """CPU time so far, in seconds."""


class BotProcess(ABC):
    """One started bot. The pipe ends belong to this process and never block."""

    stdin: int
    stdout: int
    stderr: int
    exit_fd: int | None
    """Becomes readable when the bot's process ends; None if the system does not support this."""

    @abstractmethod
    def freeze(self) -> None: ...

    @abstractmethod
    def thaw(self) -> None: ...

    @abstractmethod
    def cpu_ms(self) -> float: ...

    def controls(self) -> ProcessControls | None:
        """Return fast ``thaw``, ``freeze`` and ``cpu_ms``; None if they need several system calls each."""
        return None

    @abstractmethod
    def pids(self) -> Collection[int]:
        """Return the bot's processes as seen from here; empty if they have ended."""

    def helpers(self) -> Collection[int]:
        """Return the threads of this process that work only for the bot and count as its own."""
        return ()

    @abstractmethod
    def pin(self, cores: set[int]) -> None:
        """Pin every thread of the bot to these cores, of which one must be allowed (``OSError``)."""

    @abstractmethod
    def peak_bytes(self) -> int: ...

    @abstractmethod
    def finish(self, *, died: bool) -> ProcessEnd:
        """Wait for the end of a bot that ``died``, else kill it with all its processes."""


class Launch(Protocol):
    """A bot that is being started. End it with ``admit`` or ``abandon``."""

    def admit(self) -> BotProcess:
        """Wait until the setup is complete and let the bot run; DriverFault with INFRA leaves nothing."""

    def abandon(self) -> object: ...


class ProcessClock:
    """CPU time of another process with nanosecond resolution, at about a microsecond per reading.

    Without such a clock (on systems other than Linux) it counts the time for which the bot was awake.
    """

    __slots__ = ("_awake_since", "_clock", "_last_ms")

    def __init__(self, pid: int) -> None:
        self._clock = (~pid << 3) | 2 if sys.platform == "linux" else None
        self._last_ms = 0.0
        self._awake_since: float | None = time.monotonic()

    def straight(self) -> Callable[[], float] | None:
        """Return a function that reads the time in seconds or raises OSError; None without such a clock."""
        return None if self._clock is None else functools.partial(time.clock_gettime, self._clock)

    def awake(self, is_awake: bool) -> None:
        """Record that the bot was thawed or frozen, for the substitute clock."""
        if self._clock is None:
            now = time.monotonic()
            if self._awake_since is not None:
                self._last_ms += (now - self._awake_since) * 1e3
            self._awake_since = now if is_awake else None

    def read_ms(self) -> float:
        """Return the CPU time so far; the last value read if the process has ended."""
        if self._clock is None:
            self.awake(self._awake_since is not None)
            return self._last_ms
        try:
            self._last_ms = last_ms = time.clock_gettime(self._clock) * 1e3
        except OSError:
            return self._last_ms
        return last_ms


def usable_cores() -> int:
    """Return how many cores a process started now may use at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def readable_bytes(fd: int) -> int:
    count: int = struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0" * 4))[0]
    return count


def pin_threads(pid: int, cores: set[int]) -> None:
    """Pin every thread of process ``pid``, and its later threads, to these cores, if the system can.

    Raise ``OSError`` if none of the cores is allowed; no error if it has ended.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    pinned: set[int] = set()
    # Repeated until no thread is new: a thread may start another one meanwhile.
    while fresh := _threads(pid) - pinned:
        for thread in fresh:
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(thread, cores)
        pinned |= fresh


def _threads(pid: int) -> set[int]:
    try:
        return {int(folder.name) for folder in Path(f"/proc/{pid}/task").iterdir()}
    except OSError:
        return set()


def peak_bytes(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    return 0


def reap(process: subprocess.Popen[bytes], timeout_s: float) -> bool:
    """Wait for the process; return whether it has ended. Polls more often at first than ``Popen.wait``."""
    deadline = time.monotonic() + timeout_s
    pause_s = 0.0002
    while process.poll() is None:
        if time.monotonic() > deadline:
            return False
        time.sleep(pause_s)
        pause_s = min(pause_s * 2, 0.02)
    return True


def pipe_fds(process: subprocess.Popen[bytes]) -> tuple[int, int, int]:
    """Return this process's ends of standard input, output and error of a process with three pipes."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdin.fileno(), process.stdout.fileno(), process.stderr.fileno()


def close_pipes(process: subprocess.Popen[bytes]) -> None:
    """Close this process's ends of the three pipes, so that a dying process does not block on a write."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def signal_name(number: int) -> str:
    """Return a name such as SIGKILL; ``signal N`` if it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def wait_readable(fds: list[int], timeout_s: float) -> set[int]:
    """Return the descriptors that are readable or closed; empty after the timeout."""
    poller = select.poll()
    for fd in fds:
        poller.register(fd, select.POLLIN)
    return {fd for fd, _ in poller.poll(max(timeout_s, 0) * 1e3)}
