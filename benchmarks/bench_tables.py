"""How much more two tables at a time get done than one.

    python benchmarks/bench_tables.py [--rounds 7] [--tables 1] [--think-ms 1] [--bot kakeya_greedy]

Two worker processes play tables of the sandbox through ``execute``, as workers of the platform do: each
table takes a core of its own. In each round the first plays alone, then both play at a time; decisions a
second are compared, medians of interleaved rounds. A table has as many boards as its CPU budgets allow in
the platform's tournaments (docs/contracts.md#seating-and-results) and includes the start of its bots.

- thinking: bots that use ``--think-ms`` of CPU time for each decision. The bar is theirs.
- quick: a house bot that hardly thinks, so that starting, reading and writing are most of the work.

Status 0 if the ratio keeps its bar; it takes two cores.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
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
    Verdict,
    table_wall_limit_s,
)
from referee.execute import execute
from referee.sandbox import require_level

BAR = 1.8
WORKERS = 2
PRESET = "kakeya4"
SEATS = 4
BUDGET_S = 60.0
"""Seats x CPU budget of a table stays under it."""
TIMEOUT_S = 300
THINKS = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "request":
        end = time.process_time() + THINK_MS / 1000
        while time.process_time() < end:
            pass
        print(json.dumps({"id": message["id"], "action": message["legal"][0]}), flush=True)
"""


def thinking_bot(think_ms: float) -> Bundle:
    """A bot that uses so much CPU time for each decision and plays the first legal action."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "rensho.toml").write_text('name = "t"\nruntime = "python/1"\nentry_point = "main.py"\n')
        Path(folder, "main.py").write_text(THINKS.replace("THINK_MS", str(think_ms)))
        return import_folder(Path(folder))


def order_of(bundle: Bundle) -> TableOrder:
    """A table of as many deal boards as its budgets allow."""
    game = game_named("kakeya")
    ruleset = game.ruleset(PRESET)
    clock = Clock()
    single = (BoardOrder(1, "deal", "one"),)
    board_ms = clock.bank_cpu_ms(["deal"]) + clock.increment_cpu_ms * decisions_bound(game, ruleset, single)
    boards = int(BUDGET_S * 1000 / SEATS / board_ms)
    ordered = tuple(BoardOrder(n, "deal", local_board_seed("bench", n)) for n in range(1, boards + 1))
    return TableOrder(
        table="bench",
        attempt=1,
        game=game.key,
        preset=PRESET,
        ruleset=ruleset.as_dict(),
        boards=ordered,
        seats=tuple(
            SeatOrder(seat, bundle.sha256, bundle.manifest.runtime, bundle.manifest.entry_point)
            for seat in range(1, SEATS + 1)
        ),
        clock=clock,
        limits=Limits(),
        fault_policy=FaultPolicy.SUBSTITUTE,
        key="00" * 32,
        wall_limit_s=table_wall_limit_s(
            clock, ["deal"] * boards, SEATS, decisions_bound(game, ruleset, ordered)
        ),
    )


def work(bundle: Bundle) -> None:
    """A worker: for each line with a number play so many tables, then write how many decisions they took."""
    order = order_of(bundle)
    print("ready", flush=True)
    for line in sys.stdin:
        decisions = 0
        for _ in range(int(line)):
            report = execute(
                order, lambda _: bundle.data, lambda data: hashlib.sha256(data).hexdigest(), lambda *_: None
            )
            assert report.platform_fault is None, report.platform_fault
            assert all(seat.verdict is Verdict.OK for seat in report.seats), report.seats
            decisions += sum(seat.decisions for seat in report.seats)
        print(decisions, flush=True)


class Worker:
    """A worker process and the two words one speaks with it."""

    def __init__(self, held: contextlib.ExitStack, arguments: list[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--worker", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        held.callback(self._end)
        self._read()

    def begin(self, tables: int) -> None:
        """Let it play so many tables."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{tables}\n")
        self._process.stdin.flush()

    def done(self) -> int:
        """Wait until it has; decisions taken."""
        return int(self._read())

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "a worker has died"
        return line

    def _end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(timeout=30)


def per_second(workers: list[Worker], tables: int) -> float:
    """Decisions a second of these workers together."""
    began = time.perf_counter()
    for worker in workers:
        worker.begin(tables)
    decisions = sum(worker.done() for worker in workers)
    return decisions / (time.perf_counter() - began)


def compare(name: str, rounds: int, tables: int, arguments: list[str]) -> float:
    """Print and give how many times as much two workers get done as one."""
    alone, together = [], []
    with contextlib.ExitStack() as held:
        workers = [Worker(held, arguments) for _ in range(WORKERS)]
        per_second(workers, 1)  # Bundles are staged, caches are warm.
        for _ in range(rounds):
            alone.append(per_second(workers[:1], tables))
            together.append(per_second(workers, tables))
    ratio = statistics.median(together) / statistics.median(alone)
    print(
        f"{name:<9}{statistics.median(alone):8.0f} decisions a second at one table, "
        f"{statistics.median(together):8.0f} at {WORKERS}: ratio {ratio:.2f}",
        end="   ",
    )
    return ratio


def main() -> int:
    """Measure, print, and tell whether the bar is kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7, help="interleaved rounds")
    parser.add_argument("--tables", type=int, default=1, help="tables a worker plays in each part of a round")
    parser.add_argument("--think-ms", type=float, default=1.0, help="CPU time of a thinking bot's decision")
    parser.add_argument("--bot", default="kakeya_greedy", help="the quick bot, a folder of bots/house")
    parser.add_argument("--worker", choices=("thinking", "quick"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        work(
            thinking_bot(arguments.think_ms)
            if arguments.worker == "thinking"
            else import_folder(Path(bots.house.__path__[0]) / arguments.bot)
        )
        return 0
    cores = len(os.sched_getaffinity(0))
    if cores < WORKERS:
        print(f"this takes {WORKERS} cores; there are {cores}   FAIL")
        return 1
    options = ["--think-ms", str(arguments.think_ms), "--bot", arguments.bot]
    boards = len(order_of(thinking_bot(arguments.think_ms)).boards)
    level = require_level().level
    print(f"level {level.name}, {arguments.rounds} interleaved rounds, tables of {boards} boards, medians")
    ratio = compare("thinking", arguments.rounds, arguments.tables, ["thinking", *options])
    print(f"bar {BAR}   {'PASS' if ratio >= BAR else 'FAIL'}", flush=True)
    compare("quick", arguments.rounds, 4 * arguments.tables, ["quick", *options])
    print("no bar", flush=True)
    return 0 if ratio >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
