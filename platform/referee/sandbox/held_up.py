"""How long the machine held a bot up: it was ready to run, and not one of its threads was given a core.

**The rule.** Between two samples let thread i have waited ``w[i]`` for a core and run for ``c[i]``, and the
whole bot for ``c``. While i waits, either another thread of the bot runs, for ``c - c[i]`` at most, or none
does, and then it is others who have the core. So the machine held the bot up for at least ``w[i] - (c -
c[i])``, whichever thread i is, and we take the thread for which that is most. It is a lower bound of the
truth whatever the bot does:

- Threads that wait for each other gain nothing: what one waits for the others is in ``c``. Waits are not
  summed over threads, so many threads that wait at the same time are worth no more than one.
- A thread that has ended takes its waits with it, while its time on a core stays in ``c``: only ever a loss.
- Sleeping, being stopped, waiting for input: no thread is ready, nothing is counted.
- A thread with a higher nice value or another policy than the bot was born with chose to wait, and is not
  counted.
- What our own thread used meanwhile is taken off: the bot may have caused it, by writing byte by byte.
- Never more than the wall time that passed, less the bot's CPU time over its cores. That also covers a quota.

**Waits under way.** The kernel adds a wait to its sum when it ends. One that has not is counted from the
sample at which it was first seen for certain: the thread is ready and cannot be on a core, since it shares
ours, or since in the last 10 ms the bot used no CPU time. A wait that had begun before the first sample is
counted only so far as it cannot have: it may lie in the time between turns, which nobody is charged for.

**Trust.** A bot that gives up its core again and again (``sched_yield``, naps) is ready nearly all the time
on a busy machine and yet hardly runs: the rule counts its waits, as it must. So what is given is limited by
the CPU time used: ``Allowance``.

Several threads that hand work to each other under load wait by turns; between samples only the longest waits
of one of them count. A new stretch begins whenever no thread is ready, and at each turn.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from referee.contract import HELD_UP_EXTRA_MS, HELD_UP_PER_CPU, HELD_UP_TURN_MS
from referee.sandbox.run_delay import Thread, ThreadSample

BOOKED_MS = 10.0
"""A tick of the scheduler and more: by then the time on a core of a thread that runs elsewhere is booked."""


class _Wait(NamedTuple):
    """What is known of a thread that is ready."""

    began_after_ms: float
    """If it waits, it has done so since then at the earliest."""
    seen_ms: float | None
    """Since when it is known to wait; None if it may be running."""


class HeldUpRule:
    """Counts how long the machine held a bot up in one turn after another."""

    def __init__(self, cores: float) -> None:
        """``cores`` is how much CPU time the bot can use in a unit of wall time."""
        self.cores = cores
        self.is_beside_us = False
        """Its threads share the core of the thread that samples, so that none runs at a sample."""
        self._waits: dict[int, _Wait] = {}
        """Of each thread that was ready at the last sample."""
        self._last: ThreadSample | None = None
        self._base: ThreadSample | None = None
        """The sample at which the present stretch began."""
        self._base_waits: dict[int, _Wait] = {}
        self._closed_ms = 0.0
        """Of the turn's earlier stretches."""
        self._ms = 0.0
        """Of the present stretch so far."""

    def begin(self, sample: ThreadSample, *, is_birth: bool = False) -> None:
        """A turn begins, and the count with it. ``is_birth``: until now the bot could not run."""
        self._follow(sample, sample.at_ms if is_birth else None)
        self._closed_ms = 0.0
        self._open(sample)

    def look(self, sample: ThreadSample) -> float:
        """Milliseconds the bot was held up since ``begin``; never less than at the last look."""
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
        """Bring up to date what is known of waits under way."""
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
        """The rule."""
        cpu_ms = max(sample.cpu_ms - base.cpu_ms, 0.0)
        most_ms = 0.0
        for number, thread in sample.threads.items():
            if thread.is_modest:
                continue
            before = base.threads.get(number)
            if before is not None and before.arrivals > thread.arrivals:
                before = None  # Another thread, with the number of one that has ended.
            ran_ms = thread.cpu_ms - (before.cpu_ms if before is not None else 0.0)
            waited_ms = self._waited_ms(number, before, thread, base, sample)
            most_ms = max(most_ms, waited_ms - max(cpu_ms - ran_ms, 0.0))
        most_ms -= sample.own_ms - base.own_ms
        return max(min(most_ms, sample.at_ms - base.at_ms - cpu_ms / self.cores), 0.0)

    def _waited_ms(
        self, number: int, before: Thread | None, thread: Thread, base: ThreadSample, sample: ThreadSample
    ) -> float:
        """How long the thread has waited since the stretch began, at the least."""
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
    """How much of a bot's wall time may be found to be the machine's: see ``HELD_UP_EXTRA_MS``."""

    def __init__(self, limit_ms: float) -> None:
        """``limit_ms`` is for the whole table, whatever the bot uses."""
        self._limit_ms = limit_ms
        self._turns = 0
        self._given_ms = 0.0

    def begin(self) -> None:
        """A turn begins."""
        self._turns += 1

    def of(self, held_up_ms: float, turn_cpu_ms: float, cpu_ms: float) -> float:
        """What of these milliseconds is given for this turn, in which the bot has used ``turn_cpu_ms`` of
        all its ``cpu_ms``."""
        turn_ms = HELD_UP_EXTRA_MS + HELD_UP_PER_CPU * turn_cpu_ms
        table_ms = HELD_UP_EXTRA_MS + HELD_UP_TURN_MS * self._turns + HELD_UP_PER_CPU * cpu_ms
        left_ms = min(table_ms, self._limit_ms) - self._given_ms
        return max(min(held_up_ms, turn_ms, left_ms), 0.0)

    def give(self, held_up_ms: float) -> None:
        """The turn is over, and so much was given for it."""
        self._given_ms += held_up_ms


def _is_same_wait(before: Thread | None, now: Thread) -> bool:
    """Whether a thread that is ready has neither run nor slept since it was seen before."""
    return (
        before is not None
        and before.is_ready
        and now.is_ready
        and (before.arrivals, before.waited_ms, before.cpu_ms) == (now.arrivals, now.waited_ms, now.cpu_ms)
    )
