"""Faults of a plan begin and end in time, or later, but never two at once at the same host or service."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from tests.chaos.plan import Planned

Begin = Callable[[int, Planned], AbstractContextManager[object]]
"""Begins the fault with this number, and returns what ends it."""


def follow(
    planned: Sequence[Planned],
    begin: Begin,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Begin and end all faults. One that is due while its host has another waits for the end of it."""
    started = clock()
    due: list[tuple[float, bool, int]] = [(fault.at_s, True, number) for number, fault in enumerate(planned)]
    heapq.heapify(due)
    lasting: dict[str, tuple[float, AbstractContextManager[object]]] = {}
    while due:
        at_s, begins, number = heapq.heappop(due)
        sleep(max(0.0, started + at_s - clock()))
        fault = planned[number]
        if not begins:
            lasting.pop(fault.host)[1].__exit__(None, None, None)
        elif fault.host in lasting:
            # False precedes True: the end comes first.
            heapq.heappush(due, (max(at_s, lasting[fault.host][0]), True, number))
        else:
            ending = begin(number, fault)
            ends_s = clock() - started + fault.for_s
            lasting[fault.host] = ends_s, ending
            heapq.heappush(due, (ends_s, False, number))
