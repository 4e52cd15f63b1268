"""A running process as the pump sees it: three pipes, a clock, controls and an end."""

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
    """How a process ended."""

    reason: ExitReason
    detail: str
    exit_code: int | None


class ProcessControls(NamedTuple):
    """The three operations of every decision, as direct system calls.

    They raise OSError once the bot is gone.
    """

    thaw: Callable[[], object]
    freeze: Callable[[], object]
    cpu_s: Callable[[], float]
    """CPU time so far, in seconds."""


class BotProcess(ABC):
    """One started bot. The pipe ends are ours and never block."""

    stdin: int
    stdout: int
    stderr: int
    exit_fd: int | None
    """Becomes readable when the bot's process ends; None where the system does not support this."""

    @abstractmethod
    def freeze(self) -> None:
        """Stop it where it is; no error if it is gone."""

    @abstractmethod
    def thaw(self) -> None:
        """Continue it; no error if it is gone."""

    @abstractmethod
    def cpu_ms(self) -> float:
        """CPU time of the whole process so far; the last known value if it is gone."""

    def controls(self) -> ProcessControls | None:
        """``thaw``, ``freeze`` and ``cpu_ms`` for less; None where they take more than a call each."""
        return None

    @abstractmethod
    def pids(self) -> Collection[int]:
        """The bot's processes, as seen from here; none if they are gone."""

    def helpers(self) -> Collection[int]:
        """Threads of this process that work for the bot alone: they count as its own where it is counted what
        the machine held it up."""
        return ()

    @abstractmethod
    def pin(self, cores: set[int]) -> None:
        """Let every thread of the bot run on these cores only; no error if it is gone.

        Raises:
            OSError: none of the cores may be used.
        """

    @abstractmethod
    def peak_bytes(self) -> int:
        """Its peak memory so far, 0 if unknown."""

    @abstractmethod
    def finish(self, *, died: bool) -> ProcessEnd:
        """Wait for its end if it ``died``, else kill it, with everything it started; free its resources."""


class Launch(Protocol):
    """A bot being started. End this by ``admit`` or by ``abandon``."""

    def admit(self) -> BotProcess:
        """Wait until everything is set up and let the bot run.

        Raises:
            DriverFault: INFRA; nothing is left then.
        """

    def abandon(self) -> object:
        """End it before the bot exists and free its resources."""


class ProcessClock:
    """CPU time of another process, nanoseconds exact, for about a microsecond.

    Where the system offers no such clock (anything but Linux) it counts the time the bot was awake.
    """

    __slots__ = ("_awake_since", "_clock", "_last_ms")

    def __init__(self, pid: int) -> None:
        self._clock = (~pid << 3) | 2 if sys.platform == "linux" else None
        self._last_ms = 0.0
        self._awake_since: float | None = time.monotonic()

    def straight(self) -> Callable[[], float] | None:
        """A call that gives the time so far in seconds, or raises OSError; None without such a clock."""
        return None if self._clock is None else functools.partial(time.clock_gettime, self._clock)

    def awake(self, is_awake: bool) -> None:
        """Note that the bot was thawed or frozen; only the substitute clock needs this."""
        if self._clock is None:
            now = time.monotonic()
            if self._awake_since is not None:
                self._last_ms += (now - self._awake_since) * 1e3
            self._awake_since = now if is_awake else None

    def read_ms(self) -> float:
        """CPU time so far; the last value read if the process is gone."""
        if self._clock is None:
            self.awake(self._awake_since is not None)
            return self._last_ms
        try:
            self._last_ms = last_ms = time.clock_gettime(self._clock) * 1e3
        except OSError:
            return self._last_ms
        return last_ms


def usable_cores() -> int:
    """How many cores a process that is started now may use at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def readable_bytes(fd: int) -> int:
    """How much a pipe holds."""
    count: int = struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0" * 4))[0]
    return count


def pin_threads(pid: int, cores: set[int]) -> None:
    """Let every thread of process ``pid`` run on these cores only; no error if it is gone.

    Threads it starts later inherit that. Nothing happens where the system has no such thing.

    Raises:
        OSError: none of the cores may be used.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    pinned: set[int] = set()
    # Again until nothing is new: a thread may start another while we look.
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
    """The peak resident memory of process ``pid``, 0 if unknown."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    return 0


def reap(process: subprocess.Popen[bytes], timeout_s: float) -> bool:
    """Wait for the process; returns whether it has ended. Polls more often at first than ``Popen.wait``."""
    deadline = time.monotonic() + timeout_s
    pause_s = 0.0002
    while process.poll() is None:
        if time.monotonic() > deadline:
            return False
        time.sleep(pause_s)
        pause_s = min(pause_s * 2, 0.02)
    return True


def pipe_fds(process: subprocess.Popen[bytes]) -> tuple[int, int, int]:
    """Our ends of standard input, output and error of a process that was started with three pipes."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdin.fileno(), process.stdout.fileno(), process.stderr.fileno()


def close_pipes(process: subprocess.Popen[bytes]) -> None:
    """Close our ends of the three pipes: a process that still writes as it dies must not wait for us."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def signal_name(number: int) -> str:
    """SIGKILL and so on; the bare number if it has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def wait_readable(fds: list[int], timeout_s: float) -> set[int]:
    """Those of the descriptors that have something to read or were closed; empty after the time-out."""
    poller = select.poll()
    for fd in fds:
        poller.register(fd, select.POLLIN)
    return {fd for fd, _ in poller.poll(max(timeout_s, 0) * 1e3)}
