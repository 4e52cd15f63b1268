"""How much more two tables at a time get done than one.

    python benchmarks/bench_tables.py [--rounds 7] [--tables 1] [--think-ms 1] [--bot kakeya_greedy] [--json]

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
"""Seats x CPU budget of a table stays under it."""
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
    """A bot that uses so much CPU time for each decision and plays the first legal action."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "rensho.toml").write_text('name = "t"\nruntime = "python/1"\nentry_point = "main.py"\n')
        Path(folder, "main.py").write_text(THINKING_BOT_SOURCE.replace("THINK_MS", str(think_ms)))
        return import_folder(Path(folder))


def boards_a_table() -> int:
    """As many deal boards as the budgets of a table allow."""
    game, ruleset = preset_named("kakeya4")
    clock = Clock()
    single = (BoardOrder(1, "deal", "one"),)
    board_ms = clock.bank_cpu_ms(["deal"]) + clock.increment_cpu_ms * decisions_bound(game, ruleset, single)
    return int(BUDGET_S * 1000 / SEATS / board_ms)


def work(bundle: Bundle) -> None:
    """A worker: for each line with a number play so many tables, then write how many decisions they took."""
    order = table_order(bundle, boards_a_table())
    print("ready", flush=True)
    for line in sys.stdin:
        reports = [table_play(order, bundle) for _ in range(int(line))]
        print(sum(seat.decisions for report in reports for seat in report.seats), flush=True)


class WorkerProcess:
    """A worker process and the two words one speaks with it."""

    def __init__(self, held: contextlib.ExitStack, options: list[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, *options],
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


def per_second(workers: list[WorkerProcess], tables: int) -> float:
    """Decisions a second of these workers together."""
    began = time.perf_counter()
    for worker in workers:
        worker.begin(tables)
    decisions = sum(worker.done() for worker in workers)
    return decisions / (time.perf_counter() - began)


def compare(name: str, rounds: int, tables: int, options: list[str]) -> tuple[dict[str, float | str], float]:
    """Decisions a second of one worker and of all, and the ratio."""
    with contextlib.ExitStack() as held:
        workers = [WorkerProcess(held, ["--worker", name, *options]) for _ in range(WORKERS)]
        per_second(workers, 1)  # Bundles are staged, caches are warm.
        turns = {count: partial(per_second, workers[:count], tables) for count in (1, WORKERS)}
        found = interleave(turns, rounds)
    times = ratio(found[WORKERS], found[1])
    one, both = (statistics.median(found[count]) for count in (1, WORKERS))
    return {"decisions/s at one": one, f"at {WORKERS}": both, "ratio": times}, times


def main() -> int:
    """Measure, print, and tell whether the bar is kept."""
    parser = arguments(__doc__, rounds=7)
    parser.add_argument("--tables", type=int, default=1, help="tables a worker plays in each part of a round")
    parser.add_argument("--think-ms", type=float, default=1.0, help="CPU time of a thinking bot's decision")
    parser.add_argument("--bot", default="kakeya_greedy", help="the quick bot, a folder of bots/house")
    parser.add_argument("--worker", choices=("thinking", "quick"), help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.worker:
        work(thinking_bot(wanted.think_ms) if wanted.worker == "thinking" else house_bundle(wanted.bot))
        return 0
    cores = len(os.sched_getaffinity(0))
    if cores < WORKERS:
        raise SystemExit(f"this takes {WORKERS} cores; there are {cores}")
    options = ["--think-ms", str(wanted.think_ms), "--bot", wanted.bot]
    cells, times = compare("thinking", wanted.rounds, wanted.tables, options)
    rows = [Row("thinking", cells, *at_least(times, BAR))]
    rows.append(Row("quick", compare("quick", wanted.rounds, 4 * wanted.tables, options)[0]))
    head = f"level {require_level().level.name}, tables of {boards_a_table()} boards, medians"
    return report(head, rows, as_json=wanted.json)


if __name__ == "__main__":
    sys.exit(main())
