"""Computes how long the machine held a bot up: the bot was ready to run, and none of its threads had a core.

**The rule.** Between two samples, let thread i have waited ``w[i]`` for a core and run for ``c[i]``, and let
the whole bot have run for ``c``. While i waits, either another thread of the bot runs, for at most ``c -
c[i]``, or none does and other processes have the core. So the machine held the bot up for at least ``w[i] -
(c - c[i])`` for every thread i; the rule takes the maximum. This is a lower bound whatever the bot does:

- Threads that wait for each other gain nothing: the others' running time is in ``c``. Waits are not summed
  over threads.
- The waits of an ended thread are lost, while its running time stays in ``c``: this only lowers the bound.
- While the bot sleeps, is stopped or waits for input, no thread is ready and nothing is counted.
- A thread with a higher nice value or another policy than the bot's initial one is not counted.
- The CPU time of the sampling thread is subtracted: the bot may have caused it.
- The result is at most the wall time that passed, minus the bot's CPU time divided by its cores. This also
  covers a CPU quota.

**Waits under way.** The kernel adds a wait to its sum only when the wait ends. A wait under way counts from
the first sample that proves it: the thread is ready and cannot be on a core, because it shares the sampling
thread's core, or because the bot used no CPU time in the last 10 ms. A wait that began before the first
sample counts only as far as it must lie within the turn.

**Trust.** A bot that yields its core repeatedly is ready nearly all the time on a busy machine and hardly
runs: the rule must count its waits. Therefore ``Allowance`` limits the time by the CPU time used. A new
stretch, in which only the longest waits of one thread count, begins whenever no thread is ready, and with
each turn.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from referee.contract import MACHINE_DELAY_EXTRA_MS, MACHINE_DELAY_PER_CPU, MACHINE_DELAY_TURN_MS
from referee.sandbox.run_delay import Thread, ThreadSample

BOOKED_MS = 10.0
"""More than one scheduler tick: within it the kernel books the running time of a thread on another core."""


class _Wait(NamedTuple):
    began_after_ms: float
    """If it waits: lower bound of the start."""
    seen_ms: float | None
    """Time since which it certainly waits; None if it may be running."""


class MachineDelayRule:
    def __init__(self, cores: float) -> None:
        """``cores``: CPU time the bot can use per unit of wall time."""
        self.cores = cores
        self.is_beside_us = False
        """Whether its threads share the core of the sampling thread, so that none runs during a sample."""
        self._waits: dict[int, _Wait] = {}
        """Of each thread that was ready at the last sample."""
        self._last: ThreadSample | None = None
        self._base: ThreadSample | None = None
        """First sample of the current stretch."""
        self._base_waits: dict[int, _Wait] = {}
        self._closed_ms = 0.0
        """Time held up in the turn's earlier stretches."""
        self._ms = 0.0
        """Time held up in the current stretch so far."""

    def begin(self, sample: ThreadSample, *, is_birth: bool = False) -> None:
        """Begin a turn and reset the count. ``is_birth``: the bot could not run before."""
        self._follow(sample, sample.at_ms if is_birth else None)
        self._closed_ms = 0.0
        self._open(sample)

    def look(self, sample: ThreadSample) -> float:
        """Return the milliseconds held up since ``begin``; never less than the previous call."""
        assert self._base is not None, "begin comes first"
        self._follow(sample, None)
        self._ms = max(self._ms, self._stretch_ms(self._base, sample))
        total_ms = self._closed_ms + self._ms
        if not any(thread.is_ready for thread in sample.threads.values()):
            self._closed_ms = total_ms
            self._open(sample)
        return total_ms

    def _open(self, sample: ThreadSample) -> None:
        self._base, self._base_waits, self._ms = sample, self._waits, 0.0

    def _follow(self, sample: ThreadSample, born_ms: float | None) -> None:
        last, waits = self._last, {}
        is_booked = last is not None and sample.at_ms - last.at_ms >= BOOKED_MS
        is_still = last is not None and is_booked and sample.cpu_ms <= last.cpu_ms
        for number, thread in sample.threads.items():
            if not thread.is_ready:
                continue
            is_same = last is not None and _is_same_wait(last.threads.get(number), thread)
            if is_same:
                began_after_ms, seen_ms = self._waits[number]
            else:
                began_after_ms, seen_ms = last.at_ms if last is not None else -math.inf, None
            if born_ms is not None:
                began_after_ms = born_ms
            if seen_ms is None and (self.is_beside_us or (is_same and is_still)):
                seen_ms = sample.at_ms
            waits[number] = _Wait(began_after_ms, seen_ms)
        self._last, self._waits = sample, waits

    def _stretch_ms(self, base: ThreadSample, sample: ThreadSample) -> float:
        cpu_ms = max(sample.cpu_ms - base.cpu_ms, 0.0)
        most_ms = 0.0
        for number, thread in sample.threads.items():
            if thread.is_modest:
                continue
            before = base.threads.get(number)
            if before is not None and before.arrivals > thread.arrivals:
                before = None  # Another thread, with a reused id.
            ran_ms = thread.cpu_ms - (before.cpu_ms if before is not None else 0.0)
            waited_ms = self._waited_ms(number, before, thread, base, sample)
            most_ms = max(most_ms, waited_ms - max(cpu_ms - ran_ms, 0.0))
        most_ms -= sample.own_ms - base.own_ms
        return max(min(most_ms, sample.at_ms - base.at_ms - cpu_ms / self.cores), 0.0)

    def _waited_ms(
        self, number: int, before: Thread | None, thread: Thread, base: ThreadSample, sample: ThreadSample
    ) -> float:
        """Return a lower bound of the thread's waits since the stretch began."""
        wait = self._waits.get(number)
        under_way_ms = 0.0
        if wait is not None and wait.seen_ms is not None:
            under_way_ms = sample.at_ms - max(wait.seen_ms, base.at_ms)
        if before is None:
            return thread.waited_ms + under_way_ms
        if _is_same_wait(before, thread):
            return under_way_ms
        ended_ms = thread.waited_ms - before.waited_ms
        if before.is_ready:
            ended_ms = max(ended_ms - (base.at_ms - self._base_waits[number].began_after_ms), 0.0)
        return ended_ms + under_way_ms


class Allowance:
    """Limits how much of a bot's wall time can count as held up: see ``MACHINE_DELAY_EXTRA_MS``."""

    def __init__(self, limit_ms: float) -> None:
        """``limit_ms``: maximum for the whole table."""
        self._limit_ms = limit_ms
        self._turns = 0
        self._given_ms = 0.0

    def begin(self) -> None:
        self._turns += 1

    def of(self, machine_delay_ms: float, turn_cpu_ms: float, cpu_ms: float) -> float:
        """Return the allowed part of this turn's time, given its CPU time and the bot's total ``cpu_ms``."""
        turn_ms = MACHINE_DELAY_EXTRA_MS + MACHINE_DELAY_PER_CPU * turn_cpu_ms
        turns_ms = MACHINE_DELAY_TURN_MS * self._turns
        table_ms = MACHINE_DELAY_EXTRA_MS + turns_ms + MACHINE_DELAY_PER_CPU * cpu_ms
        left_ms = min(table_ms, self._limit_ms) - self._given_ms
        return max(min(machine_delay_ms, turn_ms, left_ms), 0.0)

    def give(self, machine_delay_ms: float) -> None:
        self._given_ms += machine_delay_ms


def _is_same_wait(before: Thread | None, now: Thread) -> bool:
    """Return whether a ready thread has neither run nor slept between the two samples."""
    return (
        before is not None
        and before.is_ready
        and now.is_ready
        and (before.arrivals, before.waited_ms, before.cpu_ms) == (now.arrivals, now.waited_ms, now.cpu_ms)
    )
