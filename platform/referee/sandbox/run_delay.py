"""What the kernel tells of the threads of a process: time on a core, time waiting for one, ready now or not.

Read from ``/proc/PID/task/*/schedstat`` and ``stat``. The leader's own file leaves the other threads out. A
thread takes some 40 microseconds to read, so this is for turns that are slow already.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_STATE, _NICE, _POLICY = 0, 16, 38
"""Places in ``stat`` behind the name of the thread (fields 3, 19 and 41)."""
_BYTES = 1024
MEASURED = "told by the kernel: what a busy machine takes of a bot's wall-clock time does not count"
NOT_MEASURED = "not told by the kernel: what a busy machine takes counts as wall-clock time of the bot"
REMEDY = (
    "Mount /proc without hidepid, or with the worker's group as its gid; the kernel needs CONFIG_SCHED_INFO."
)


class Thread(NamedTuple):
    """One thread at one moment."""

    cpu_ms: float
    """Time on a core so far."""
    waited_ms: float
    """Time ready but on no core so far; the wait under way is not in it before it ends."""
    arrivals: int
    """How often it was given a core."""
    is_ready: bool
    """It is on a core, or waits for one."""
    is_modest: bool
    """It asked for less of a core than it was given at birth: a higher nice value, another policy."""


class ThreadSample(NamedTuple):
    """All threads of a bot at one moment."""

    at_ms: float
    """On the monotonic clock."""
    cpu_ms: float
    """CPU time of the bot so far, ended threads and processes included, and its helpers'."""
    own_ms: float
    """CPU time so far of the thread that watches the bot."""
    threads: Mapping[int, Thread]
    """By their numbers; its helpers among them."""
    helpers_ms: float = 0.0
    """What of the CPU time is its helpers'."""


def sample(pids: Iterable[int], cpu_ms: float, helpers: Iterable[int] = ()) -> ThreadSample | None:
    """The threads of these processes now; None if the kernel does not tell, or they are gone.

    ``helpers`` are threads of ours that work for the bot alone: while they wait, it waits.
    """
    try:
        born = (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0))
        threads = {
            int(name): thread
            for pid in pids
            for name in _names(pid)
            if (thread := _thread(f"/proc/{pid}/task/{name}/", born)) is not None
        }
        ours = {
            number: thread
            for number in helpers
            if (thread := _thread(f"/proc/self/task/{number}/", born)) is not None
        }
    except (OSError, AttributeError):
        return None
    if not any(thread.arrivals for thread in threads.values()):
        return None
    helpers_ms = sum(thread.cpu_ms for thread in ours.values())
    own_ms = time.thread_time() * 1e3
    return ThreadSample(time.monotonic() * 1e3, cpu_ms + helpers_ms, own_ms, {**threads, **ours}, helpers_ms)


def _names(pid: int) -> list[str]:
    with contextlib.suppress(OSError):
        return os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - half the time of a Path
    return []


def _thread(folder: str, born: tuple[int, int]) -> Thread | None:
    """A thread with the nice value and policy that ours were born with; None if it has ended."""
    try:
        ran, waited, arrivals = map(int, _read(folder + "schedstat").split())
        fields = _read(folder + "stat").rpartition(b")")[2].split()
    except (OSError, ValueError):
        return None
    is_modest = int(fields[_NICE]) > born[0] or int(fields[_POLICY]) != born[1]
    return Thread(ran / 1e6, waited / 1e6, arrivals, fields[_STATE] == b"R", is_modest)


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, _BYTES)
    finally:
        os.close(fd)
