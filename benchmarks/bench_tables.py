"""Throughput of two concurrent tables compared with one.

    python benchmarks/bench_tables.py [--rounds 7] [--tables 1] [--think-ms 1] [--bot kakeya_greedy] [--json]

Two worker processes play sandboxed tables through ``execute``, like workers of the platform: each table
has its own core. In each round, the first plays alone, then both play concurrently; decisions per second
are compared, as medians of interleaved rounds. A table has as many boards as its CPU budgets allow in the
platform's tournaments (docs/contracts.md#seating-and-results) and includes the start of its bots.

- thinking: bots that use ``--think-ms`` of CPU time per decision. The bar applies to them.
- quick: a house bot that hardly thinks, so that starting, reading and writing are most of the work.

Status 0 if the ratio keeps its bar; needs two cores.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from benchmarks.harness import (
    Row,
    arguments,
    at_least,
    house_bundle,
    interleave,
    ratio,
    report,
    table_order,
    table_play,
)
from engine.games import preset_named
from referee.bundle import Bundle, import_folder
from referee.clocks import decisions_bound
from referee.contract import BoardOrder, Clock
from referee.sandbox import require_level

BAR = 1.8
WORKERS = 2
SEATS = 4
BUDGET_S = 60.0
"""Maximum of seats x CPU budget per table."""
TIMEOUT_S = 300
THINKING_BOT_SOURCE = """
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
    """Return a bot that uses ``think_ms`` of CPU time per decision and plays the first legal action."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "rensho.toml").write_text('name = "t"\nruntime = "python/1"\nentry_point = "main.py"\n')
        Path(folder, "main.py").write_text(THINKING_BOT_SOURCE.replace("THINK_MS", str(think_ms)))
        return import_folder(Path(folder))


def boards_a_table() -> int:
    """Return the number of deal boards that the budgets of a table allow."""
    game, ruleset = preset_named("kakeya4")
    clock = Clock()
    single = (BoardOrder(1, "deal", "one"),)
    board_ms = clock.bank_cpu_ms(["deal"]) + clock.increment_cpu_ms * decisions_bound(game, ruleset, single)
    return int(BUDGET_S * 1000 / SEATS / board_ms)


def work(bundle: Bundle) -> None:
    """Role of a worker: per input line, play that number of tables, then print the number of decisions."""
    order = table_order(bundle, boards_a_table())
    print("ready", flush=True)
    for line in sys.stdin:
        reports = [table_play(order, bundle) for _ in range(int(line))]
        print(sum(seat.decisions for report in reports for seat in report.seats), flush=True)


class WorkerProcess:
    def __init__(self, stack: contextlib.ExitStack, options: list[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(self._end)
        self._read()

    def begin(self, tables: int) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{tables}\n")
        self._process.stdin.flush()

    def done(self) -> int:
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


def per_second(workers: list[WorkerProcess], tables: int) -> float:
    began = time.perf_counter()
    for worker in workers:
        worker.begin(tables)
    decisions = sum(worker.done() for worker in workers)
    return decisions / (time.perf_counter() - began)


def compare(name: str, rounds: int, tables: int, options: list[str]) -> tuple[dict[str, float | str], float]:
    with contextlib.ExitStack() as stack:
        workers = [WorkerProcess(stack, ["--worker", name, *options]) for _ in range(WORKERS)]
        per_second(workers, 1)  # Bundles are staged, caches are warm.
        turns = {count: partial(per_second, workers[:count], tables) for count in (1, WORKERS)}
        results = interleave(turns, rounds)
    times = ratio(results[WORKERS], results[1])
    single, both = (statistics.median(results[count]) for count in (1, WORKERS))
    return {"decisions/s at one": single, f"at {WORKERS}": both, "ratio": times}, times


def main() -> int:
    parser = arguments(__doc__, rounds=7)
    parser.add_argument("--tables", type=int, default=1, help="tables a worker plays in each part of a round")
    parser.add_argument("--think-ms", type=float, default=1.0, help="CPU time of a thinking bot's decision")
    parser.add_argument("--bot", default="kakeya_greedy", help="the quick bot, a folder of bots/house")
    parser.add_argument("--worker", choices=("thinking", "quick"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(thinking_bot(options.think_ms) if options.worker == "thinking" else house_bundle(options.bot))
        return 0
    cores = len(os.sched_getaffinity(0))
    if cores < WORKERS:
        raise SystemExit(f"this takes {WORKERS} cores; there are {cores}")
    worker_options = ["--think-ms", str(options.think_ms), "--bot", options.bot]
    cells, times = compare("thinking", options.rounds, options.tables, worker_options)
    rows = [Row("thinking", cells, *at_least(times, BAR))]
    rows.append(Row("quick", compare("quick", options.rounds, 4 * options.tables, worker_options)[0]))
    head = f"level {require_level().level.name}, tables of {boards_a_table()} boards, medians"
    return report(head, rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
