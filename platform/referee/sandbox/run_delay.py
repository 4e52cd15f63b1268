"""Scheduling statistics of a bot's threads: time on a core, time waiting for one, readiness.

Read from ``/proc/PID/task/*/schedstat`` and ``stat``; the leader's own file excludes the other threads. Takes
about 40 microseconds per thread, so only slow turns are sampled.
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
MEASURED = "measured by the kernel: a bot's waits for a busy machine do not count as wall-clock time"
NOT_MEASURED = "not measured by the kernel: a bot's waits for a busy machine count as wall-clock time"
REMEDY = (
    "Mount /proc without hidepid, or with the worker's group as its gid; the kernel needs CONFIG_SCHED_INFO."
)


class Thread(NamedTuple):
    cpu_ms: float
    """Time on a core so far."""
    waited_ms: float
    """Time ready but without a core so far; excludes a wait under way."""
    arrivals: int
    """How often it was given a core."""
    is_ready: bool
    """Whether it is on a core or waits for one."""
    is_modest: bool
    """Whether it lowered its own priority: a higher nice value or another policy than at birth."""


class ThreadSample(NamedTuple):
    at_ms: float
    cpu_ms: float
    """CPU time of the bot so far, including ended threads and processes, and its helper threads."""
    own_ms: float
    """CPU time so far of the sampling thread."""
    threads: Mapping[int, Thread]
    """By thread id; includes the helper threads."""
    helpers_ms: float = 0.0
    """Part of the CPU time used by the helper threads."""


def sample(pids: Iterable[int], cpu_ms: float, helpers: Iterable[int] = ()) -> ThreadSample | None:
    """Return the threads of these processes now; None if they have ended or the kernel has no statistics.

    ``helpers`` are threads of this process that work only for the bot: while they wait, the bot waits.
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
    """Return a thread compared with the initial nice value and policy; None if it has ended."""
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
