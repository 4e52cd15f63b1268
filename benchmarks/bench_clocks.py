"""Whether a bot's clock is its own: what a busy machine adds to the time it is charged.

    python benchmarks/bench_clocks.py [--decisions 500] [--boards 2]

- charged: one bot computes the same thing at every request; quiet and busy requests take turns. While it is
  busy two neighbours spin, one on the bot's core and one on another. Median CPU time charged, busy / quiet.
- in time: a table of bots that use half of what CPU time they have at each decision, on a machine with two
  spinning processes a core. Nobody may be found OUT_OF_TIME.

Status 0 if the ratio keeps its bar and every verdict is OK.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from engine.games import game_named
from league.fairness import local_board_seed
from referee.bundle import import_folder
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
from referee.cores import move_to
from referee.execute import execute
from referee.runtimes import runtime_named
from referee.sandbox import SandboxedDriver, require_level, stage_root

BAR = 1.25
LOOPS = 60_000
"""Of the fixed computation: some milliseconds, as a bot that looks ahead would take."""
WARM_UP = 20
SPINS_A_CORE = 2
PRESET = "kakeya4"
SPIN = "while True: pass"
COMPUTES = f"""
import sys
print("ready", flush=True)
for line in sys.stdin:
    total = 0
    for number in range({LOOPS}):
        total += number * number % 7
    print(total, flush=True)
"""
HALF = """
import json, sys, time
for line in sys.stdin:
    began = time.process_time()
    message = json.loads(line)
    if message["type"] == "hello":
        cap_ms = message["clock"]["decision_cap_ms"]
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "request":
        clock = message["clock"]
        end = began + min(clock["bank_ms"] + clock["increment_ms"], cap_ms) / 2000
        while time.process_time() < end:
            pass
        print(json.dumps({"id": message["id"], "action": message["legal"][0]}), flush=True)
"""


@contextlib.contextmanager
def spinning(cores: list[int]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes that spin, one on each core named, for as long as the block lasts."""
    spinners: list[subprocess.Popen[bytes]] = []
    try:
        for core in cores:
            spinner = subprocess.Popen([sys.executable, "-I", "-S", "-c", SPIN])
            spinners.append(spinner)
            os.sched_setaffinity(spinner.pid, {core})
        yield spinners
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait(timeout=30)


def charged_ms(decisions: int) -> tuple[list[float], list[float], list[float], list[float]]:
    """CPU charged and wall time taken in ms, quiet and busy: CPU quiet, CPU busy, wall quiet, wall busy."""
    cores = sorted(os.sched_getaffinity(0))
    own, other = cores[-1], cores[0]
    found: tuple[list[float], list[float], list[float], list[float]] = ([], [], [], [])
    with tempfile.TemporaryDirectory(prefix="bench-", dir=stage_root()) as folder:
        Path(folder).chmod(0o755)
        Path(folder, "computes.py").write_text(COMPUTES)
        driver = SandboxedDriver(
            Path(folder), runtime_named("python/1"), "computes.py", Limits(), cpu_limit_s=3600, label="bench"
        )
        with driver, spinning([own, other]) as neighbours:
            _signal(neighbours, signal.SIGSTOP)
            driver.collect(cpu_limit_ms=3000, wall_limit_ms=30_000)
            move_to(own)
            driver.pin(own)
            for number in range(WARM_UP + 2 * decisions):
                is_busy = number % 2 == 1
                if is_busy:
                    _signal(neighbours, signal.SIGCONT)
                driver.post(b"go")
                reply = driver.collect(cpu_limit_ms=10_000, wall_limit_ms=60_000)
                if is_busy:
                    _signal(neighbours, signal.SIGSTOP)
                if number >= WARM_UP:
                    found[is_busy].append(reply.cpu_ms)
                    found[2 + is_busy].append(reply.wall_ms)
    os.sched_setaffinity(0, cores)
    return found


def half_budget_verdicts(boards: int) -> tuple[list[Verdict], int, float]:
    """Verdicts of a table of bots that use half their time under load, decisions taken, seconds it took."""
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "rensho.toml").write_text(
            'name = "half"\nruntime = "python/1"\nentry_point = "half.py"\n'
        )
        Path(folder, "half.py").write_text(HALF)
        bundle = import_folder(Path(folder))
    game = game_named("kakeya")
    ruleset = game.ruleset(PRESET)
    ordered = tuple(BoardOrder(n, "deal", local_board_seed("bench", n)) for n in range(1, boards + 1))
    clock = Clock()
    order = TableOrder(
        table="bench",
        attempt=1,
        game=game.key,
        preset=PRESET,
        ruleset=ruleset.as_dict(),
        boards=ordered,
        seats=tuple(SeatOrder(seat, bundle.sha256, "python/1", "half.py") for seat in range(1, 5)),
        clock=clock,
        limits=Limits(),
        fault_policy=FaultPolicy.SUBSTITUTE,
        key="00" * 32,
        wall_limit_s=table_wall_limit_s(clock, ["deal"] * boards, 4, decisions_bound(game, ruleset, ordered)),
    )
    began = time.monotonic()
    with spinning(cores * SPINS_A_CORE):
        report = execute(
            order, lambda _: bundle.data, lambda data: hashlib.sha256(data).hexdigest(), lambda *_: None
        )
    assert report.platform_fault is None, report.platform_fault
    for seat in report.seats:
        for fault in seat.faults:
            print(f"seat {seat.seat}: {fault.reason} {dict(fault.clock)}")
    verdicts = [seat.verdict for seat in report.seats]
    return verdicts, sum(seat.decisions for seat in report.seats), time.monotonic() - began


def _signal(processes: list[subprocess.Popen[bytes]], number: signal.Signals) -> None:
    for process in processes:
        process.send_signal(number)


def main() -> int:
    """Measure, print, and tell whether the bars are kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--decisions", type=int, default=500, help="quiet ones, and as many busy ones")
    parser.add_argument("--boards", type=int, default=2, help="deal boards of the table under load")
    arguments = parser.parse_args()
    level = require_level().level
    quiet, busy, quiet_wall, busy_wall = map(statistics.median, charged_ms(arguments.decisions))
    ratio = busy / quiet
    print(f"level {level.name}, {arguments.decisions} decisions quiet and as many busy, by turns; medians")
    print(f"quiet  {quiet:6.2f} ms CPU charged {quiet_wall:7.2f} ms wall")
    print(f"busy   {busy:6.2f} ms CPU charged {busy_wall:7.2f} ms wall")
    print(f"ratio {ratio:.2f}   bar {BAR}   {'PASS' if ratio <= BAR else 'FAIL'}", flush=True)
    verdicts, decisions, took_s = half_budget_verdicts(arguments.boards)
    is_in_time = all(verdict is Verdict.OK for verdict in verdicts)
    print(
        f"half the budget at each of {decisions} decisions beside {SPINS_A_CORE} spinning processes a core, "
        f"{took_s:.0f} s: {' '.join(verdicts)}   {'PASS' if is_in_time else 'FAIL'}"
    )
    return 0 if ratio <= BAR and is_in_time else 1


if __name__ == "__main__":
    sys.exit(main())
