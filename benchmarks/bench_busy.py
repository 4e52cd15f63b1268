"""Whether a busy machine costs honest bots anything, and whether it hides those that stall.

    python benchmarks/bench_busy.py [--load 16] [--tables 500] [--long 8] [--at-once 10] [--seconds 540]

Beside so many spinning processes, each with its own share of the machine (a session of its own), play:

- stallers: each of the hostile corpus that sleeps, stops or waits instead of answering. All must be caught.
- long tables: four boards at the default clock, with a bot that comes near its CPU bank: the wall-clock time
  of the whole table is the limit it comes nearest to.
- short tables, one board: two of the house's Python bots, one that uses half of its bank at each decision,
  and one near its bank. As many as there is time for, up to ``--tables``.

The load ends with this process, and after ``--seconds`` and a minute in any case. Status 0 if every staller
was caught and nobody else got a verdict.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path

import bots.house
from engine.games import game_named
from league.fairness import local_board_seed
from referee.bundle import Bundle, import_folder
from referee.clocks import decisions_bound
from referee.contract import (
    BoardOrder,
    Clock,
    FaultPolicy,
    Limits,
    SeatOrder,
    TableOrder,
    TableReport,
    Verdict,
    table_wall_limit_s,
)
from referee.execute import execute
from referee.sandbox import require_level

PRESET = "kakeya4"
SHORT = Clock(bank_cpu_ms_per_deal_board=60, increment_cpu_ms=10)
LONG = Clock()
LONG_BOARDS = 4
STALLERS = (
    "sleeps",
    "silent",
    "stops_itself",
    "closes_stdout",
    "closes_everything",
    "never_ready",
    "never_reads",
)
WAITERS = ("naps", "yields", "waits_in_nice_threads")
SPIN = "import time; end = time.monotonic() + {seconds}\nwhile time.monotonic() < end: pass"
THINKS = """
import json, sys, time
for line in sys.stdin:
    began = time.process_time()
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "request":
        clock = message["clock"]
        end = began + (SHARE * clock["bank_ms"] + 0.6 * clock["increment_ms"]) / 1000
        while time.process_time() < end:
            pass
        print(json.dumps({"id": message["id"], "action": message["legal"][0]}), flush=True)
"""


@contextlib.contextmanager
def load(count: int, seconds: float) -> Iterator[None]:
    """So many processes that spin wherever they are put, no longer than this."""
    code = SPIN.format(seconds=seconds)
    others: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(count):
            others.append(subprocess.Popen([sys.executable, "-I", "-S", "-c", code], start_new_session=True))
        yield
    finally:
        for other in others:
            other.kill()
            other.wait(timeout=30)


def bundle_of(name: str, share: float) -> Bundle:
    """A bot that uses this share of its bank at every decision."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "rensho.toml").write_text(
            f'name = "{name}"\nruntime = "python/1"\nentry_point = "main.py"\n'
        )
        Path(folder, "main.py").write_text(THINKS.replace("SHARE", str(share)))
        return import_folder(Path(folder))


def order_of(number: int, clock: Clock, boards: int, seated: list[Bundle]) -> TableOrder:
    """A table at which any fault forfeits."""
    game = game_named("kakeya")
    ruleset = game.ruleset(PRESET)
    first = 1 + number * boards
    ordered = tuple(BoardOrder(n, "deal", local_board_seed("busy", n)) for n in range(first, first + boards))
    decisions = decisions_bound(game, ruleset, ordered)
    return TableOrder(
        table=f"busy {number}",
        attempt=1,
        game=game.key,
        preset=PRESET,
        ruleset=ruleset.as_dict(),
        boards=ordered,
        seats=tuple(
            SeatOrder(seat, bundle.sha256, bundle.manifest.runtime, bundle.manifest.entry_point)
            for seat, bundle in enumerate(seated, 1)
        ),
        clock=clock,
        limits=Limits(),
        fault_policy=FaultPolicy.STRICT,
        key="00" * 32,
        wall_limit_s=table_wall_limit_s(clock, ["deal"] * boards, len(seated), decisions),
    )


def play(order: TableOrder, blobs: dict[str, bytes]) -> TableReport:
    """In a process of the pool."""
    return execute(order, blobs.__getitem__, lambda data: hashlib.sha256(data).hexdigest(), lambda *_: None)


def tell(what: str, reports: list[TableReport], took_s: float) -> bool:
    """Print what came of the tables; whether nobody got a verdict."""
    played = [report for report in reports if report.platform_fault is None]
    verdicts = Counter(seat.verdict for report in played for seat in report.seats)
    decisions = sum(seat.decisions for report in played for seat in report.seats)
    cpu_s = sum(seat.cpu_ms for report in played for seat in report.seats) / 1e3
    wall_s = sum(seat.wall_ms for report in played for seat in report.seats) / 1e3
    print(
        f"{what}: {len(played)} tables in {took_s:.0f} s, {decisions} decisions, bots' CPU {cpu_s:.1f} s, "
        f"wall {wall_s:.1f} s; {' '.join(f'{name} {count}' for name, count in sorted(verdicts.items()))}"
    )
    for report in reports:
        if report.platform_fault is not None:
            print(f"    {report.table}: {report.platform_fault}")
        for seat in report.seats:
            for fault in seat.faults[:1]:
                print(f"    {report.table}, seat {seat.seat}: {fault.reason} {dict(fault.clock)}")
    sys.stdout.flush()
    return set(verdicts) <= {Verdict.OK} and bool(played)


def tables(
    orders: Iterator[TableOrder], blobs: dict[str, bytes], at_once: int, until: float
) -> tuple[list[TableReport], float]:
    """Play the orders, none begun after ``until``; what came of them and the seconds it took."""
    began = time.monotonic()
    reports: list[TableReport] = []
    open_: set[Future[TableReport]] = set()
    with ProcessPoolExecutor(at_once, multiprocessing.get_context("fork")) as pool:
        while True:
            while len(open_) < at_once and time.monotonic() < until:
                order = next(orders, None)
                if order is None:
                    break
                open_.add(pool.submit(play, order, blobs))
            if not open_:
                return reports, time.monotonic() - began
            done, open_ = wait(open_, return_when=FIRST_COMPLETED)
            reports += [future.result() for future in done]


def stallers() -> bool:
    """Play those of the corpus that take time without using it; whether all were caught."""
    bots_there = {path.stem for path in Path("tests/referee/hostile/bots").glob("*.py")}
    names = [name for name in STALLERS + WAITERS if name in bots_there]
    came = subprocess.run(
        [sys.executable, "-m", "tests.referee.hostile", *names], capture_output=True, text=True, check=True
    )
    cases = [json.loads(line) for line in came.stdout.splitlines()[1:]]
    caught = [case for case in cases if case["verdict"] == Verdict.OUT_OF_TIME]
    print(f"stallers: {len(caught)} of {len(cases)} caught, {sum(case['took_s'] for case in cases):.0f} s")
    for case in cases:
        print(
            f"    {case['bot']}: {case['verdict']}, {case['took_s']:.1f} s: {' '.join(case['reason'])[-150:]}"
        )
    sys.stdout.flush()
    return len(caught) == len(cases) >= len(names) > 0


def main() -> int:
    """Measure, print, and tell whether the bars are kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--load", type=int, default=16, help="spinning processes")
    parser.add_argument("--tables", type=int, default=500, help="short ones")
    parser.add_argument("--long", type=int, default=8, help="long tables")
    parser.add_argument("--at-once", type=int, default=10, help="tables in play at a time")
    parser.add_argument("--seconds", type=float, default=540.0, help="no table begins later")
    parser.add_argument("--no-stallers", action="store_true", help="honest bots only")
    arguments = parser.parse_args()
    require_level()
    house = [import_folder(Path(bots.house.__path__[0]) / name) for name in ("kakeya_greedy", "kakeya_rules")]
    half, near = bundle_of("half", 0.5), bundle_of("near", 0.16)
    seated = [house[0], half, house[1], near]
    blobs = {bundle.sha256: bundle.data for bundle in seated}
    print(f"{arguments.load} spinning processes on {len(os.sched_getaffinity(0))} cores", flush=True)
    until = time.monotonic() + arguments.seconds
    is_kept = True
    with load(arguments.load, arguments.seconds + 60):
        if not arguments.no_stallers:
            is_kept &= stallers()
        if arguments.long:
            long = (
                order_of(n, LONG, LONG_BOARDS, [house[0], house[1], near, house[0]])
                for n in range(arguments.long)
            )
            is_kept &= tell("long", *tables(long, blobs, min(arguments.at_once, 4), until))
        if arguments.tables:
            short = (
                order_of(n, SHORT, 1, seated[n % 4 :] + seated[: n % 4]) for n in range(arguments.tables)
            )
            is_kept &= tell("short", *tables(short, blobs, arguments.at_once, until))
    print("PASS" if is_kept else "FAIL")
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
