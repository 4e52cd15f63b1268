"""What a table costs before its first card: four Python bots, sandboxed, on one core.

    python benchmarks/bench_start.py [--tables 25] [--bot kakeya_greedy]

From the order until every bot is ready and the first request could be sent. Everything is on one core, so
that time passes only for what is measured, and the machine should be quiet. CPU time of the bots comes from
their control groups or processes, as at an event; that of walls is what is left: the programs that put them
up, the kernel's work for namespaces and mounts.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

import bots.house
from benchmarks.bench_referee import order_of
from referee.bundle import Bundle, import_folder
from referee.errors import PlayStopped
from referee.execute import sandboxed_driver
from referee.staging import staged_bundle
from referee.table import play_table

WALL_LIMIT_S = 60
MOST_MS = 90.0
"""At most, for four bots that import nothing but the SDK."""


class Start(NamedTuple):
    """Milliseconds of one start."""

    until_ready: float
    bots: float
    """CPU of the four bots, from their first instruction until they are ended."""
    referee: float


def started(bundle: Bundle) -> Start:
    """Stage the bots, put up their walls, and end them when all are ready."""
    order = order_of(bundle, 1)
    ready: list[float] = []

    def once_ready() -> None:
        ready.append(time.perf_counter())
        raise PlayStopped("all are ready")

    own = cpu_ms(resource.RUSAGE_SELF)
    began = time.perf_counter()
    folder = staged_bundle(bundle.sha256, lambda _: bundle.data)
    drivers = {seat.seat: sandboxed_driver(order, seat, folder, WALL_LIMIT_S) for seat in order.seats}
    with contextlib.suppress(PlayStopped):
        play_table(order, drivers, lambda *_: None, lambda _: "", once_ready=once_ready)
    own = cpu_ms(resource.RUSAGE_SELF) - own
    bots_ms = sum(driver.close().cpu_ms for driver in drivers.values())
    return Start((ready[0] - began) * 1000, bots_ms, own)


def cpu_ms(whose: int) -> float:
    """CPU time so far."""
    usage = resource.getrusage(whose)
    return (usage.ru_utime + usage.ru_stime) * 1000


def main() -> int:
    """Entry point; 1 if the bar is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=25)
    parser.add_argument("--bot", default="kakeya_greedy", help="a house bot")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    bundle = import_folder(Path(bots.house.__path__[0]) / arguments.bot)
    started(bundle)
    found = Start(
        *map(statistics.median, zip(*(started(bundle) for _ in range(arguments.tables)), strict=True))
    )
    walls = found.until_ready - found.bots - found.referee
    print(f"medians of {arguments.tables} tables of four {arguments.bot}, one core")
    print(f"order until all are ready {found.until_ready:6.1f} ms (bar: {MOST_MS:.0f})")
    print(f"  CPU of the four bots    {found.bots:6.1f} ms")
    print(f"  CPU of the referee      {found.referee:6.1f} ms")
    print(f"  walls, by subtraction   {walls:6.1f} ms")
    return int(found.until_ready > MOST_MS)


if __name__ == "__main__":
    sys.exit(main())
