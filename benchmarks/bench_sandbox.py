"""What the sandbox costs: a referee's decision and a bot's start, each beside its bare counterpart.

    python benchmarks/bench_sandbox.py [--rounds 9] [--boards 8] [--bot kakeya_greedy]

Everything is pinned to one core; rounds are interleaved and medians compared.

- Decision: a whole table through ``play_table``, four bots in the sandbox, frozen between turns,
  clocked, recorded, from the end of the first board to that of the last; beside it the very same lines
  written to the same bot program in four bare processes, a blocking write and a blocking read each.
- Start: from nothing to the first line of a program that prints one; beside it ``python3 -I`` alone.

Status 0 if both ratios keep their bars.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import bots.house
from engine.games import game_named
from engine.wire import BYE
from league.fairness import local_board_seed
from referee.contract import BoardOrder, Clock, FaultPolicy, Limits, SeatOrder, TableOrder, Verdict
from referee.driver import Driver
from referee.runtimes import python1, runtime_named
from referee.sandbox import SandboxedDriver, require_level, stage_root
from referee.table import play_table

DECISION_BAR = 3.0
START_BAR = 4.0
PRESET = "kakeya4"
SEATS = (1, 2, 3, 4)
STARTS_A_ROUND = 5
READ_BYTES = 64 << 10
BARE_PATIENCE_S = 120
INTERPRETER = str(Path(sys.executable).resolve())
TRIVIAL = "import sys\nprint('ready', flush=True)\nsys.stdin.read()\n"

Driven = TypeVar("Driven", bound=SandboxedDriver)


class Watched(SandboxedDriver):
    """Notes every line it is given."""

    asked: list[tuple[str, bytes]]

    def post(self, line: bytes) -> None:
        self.asked.append((self.label, line))
        super().post(line)


def order_of(boards: int) -> TableOrder:
    """A table of deal boards between four copies of one bot."""
    ruleset = game_named("kakeya").ruleset(PRESET)
    return TableOrder(
        table="bench",
        attempt=1,
        game="kakeya",
        preset=PRESET,
        ruleset=ruleset.as_dict(),
        boards=tuple(BoardOrder(n, "deal", local_board_seed("bench", n)) for n in range(1, boards + 1)),
        seats=tuple(SeatOrder(seat, "0" * 64, "python/1", "main.py") for seat in SEATS),
        clock=Clock(bank_cpu_ms_per_deal_board=5000),
        limits=Limits(),
        fault_policy=FaultPolicy.SUBSTITUTE,
        key="00" * 32,
        wall_limit_s=600.0,
    )


def lines_of(order: TableOrder, bundle: Path) -> list[tuple[str, bytes]]:
    """Every line the bots of the table are sent, in order, with the label of the seat."""
    asked: list[tuple[str, bytes]] = []
    drivers = {seat: driver_of(Watched, bundle, seat) for seat in SEATS}
    for driver in drivers.values():
        driver.asked = asked
    play(order, drivers, lambda *_: None)
    return asked


def table_us(order: TableOrder, bundle: Path) -> float:
    """Microseconds a decision of a whole sandboxed table, from the end of its first board on."""
    marks: list[tuple[float, int]] = []

    def note(boards_done: int, decisions: int) -> None:
        if boards_done:
            marks.append((time.perf_counter(), decisions))

    play(order, {seat: driver_of(SandboxedDriver, bundle, seat) for seat in SEATS}, note)
    (began, before), (ended, after) = marks[0], marks[-1]
    return (ended - began) / (after - before) * 1e6


def driver_of(kind: type[Driven], bundle: Path, seat: int) -> Driven:
    runtime = runtime_named("python/1")
    return kind(bundle, runtime, "main.py", Limits(), cpu_limit_s=120, label=f"{seat}")


def play(order: TableOrder, drivers: Mapping[int, Driver], note: Callable[[int, int], None]) -> None:
    report = play_table(order, drivers, note, lambda data: hashlib.sha256(data).hexdigest())
    assert all(seat.verdict is Verdict.OK for seat in report.seats), report.seats


def bare_us(asked: list[tuple[str, bytes]], bundle: Path) -> float:
    """Microseconds an exchange of the same lines with the same program in bare processes."""
    runtime = runtime_named("python/1")
    libraries = f"{runtime.root}{python1.LIBRARIES}"
    argv = [INTERPRETER, *python1.FLAGS, f"{libraries}/launcher.py", str(bundle), "main.py", libraries]
    env = {"PATH": os.defpath, **runtime.env}
    bots_by_seat = {
        f"{seat}": subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=env)
        for seat in SEATS
    }
    pipes = {
        label: (process.stdin.fileno(), process.stdout.fileno())
        for label, process in bots_by_seat.items()
        if process.stdin is not None and process.stdout is not None
    }
    try:
        # Nothing else would end a wait for a bot that does not answer.
        signal.alarm(BARE_PATIENCE_S)
        spent, requests = 0.0, 0
        for label, line in asked:
            if line == BYE:
                break
            to_bot, from_bot = pipes[label]
            data = line + b"\n"
            began = time.perf_counter()
            os.write(to_bot, data)
            answer = os.read(from_bot, READ_BYTES)
            if b'"type":"request"' in line:
                spent += time.perf_counter() - began
                requests += 1
            assert answer.endswith(b"\n"), "a bot answers with one line"
        return spent / requests * 1e6
    finally:
        signal.alarm(0)
        for process in bots_by_seat.values():
            process.kill()
            process.communicate(timeout=30)


def sandboxed_start_ms(bundle: Path) -> float:
    runtime = runtime_named("python/1")
    driver = SandboxedDriver(bundle, runtime, "trivial.py", Limits(), cpu_limit_s=10, label="start")
    began = time.perf_counter()
    driver.start()
    driver.collect(cpu_limit_ms=3000, wall_limit_ms=10_000)
    took = time.perf_counter() - began
    driver.close()
    return took * 1e3


def bare_start_ms(bundle: Path) -> float:
    argv = [INTERPRETER, "-I", str(bundle / "trivial.py")]
    began = time.perf_counter()
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        process.stdout.readline()
        took = time.perf_counter() - began
        process.kill()
    return took * 1e3


def verdict(name: str, unit: str, sandboxed: list[float], bare: list[float], bar: float) -> bool:
    """Print one line; whether the bar is kept."""
    ratio = statistics.median(sandboxed) / statistics.median(bare)
    print(
        f"{name:<9} sandboxed {statistics.median(sandboxed):8.1f} {unit}   "
        f"bare {statistics.median(bare):8.1f} {unit}   ratio {ratio:5.2f}   bar {bar:.1f}   "
        f"{'PASS' if ratio <= bar else 'FAIL'}"
    )
    return ratio <= bar


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=9, help="interleaved rounds")
    parser.add_argument("--boards", type=int, default=8, help="deal boards a table")
    parser.add_argument("--bot", default="kakeya_greedy", help="a folder of bots/house")
    arguments = parser.parse_args()
    found = require_level()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    staged = Path(tempfile.mkdtemp(prefix="bench-", dir=stage_root()))
    try:
        staged.chmod(0o755)
        shutil.copytree(Path(bots.house.__path__[0]) / arguments.bot, staged / "bot")
        (staged / "bot" / "trivial.py").write_text(TRIVIAL)
        bundle = staged / "bot"
        order = order_of(arguments.boards)
        asked = lines_of(order, bundle)
        results: dict[str, list[float]] = {key: [] for key in ("table", "exchange", "start", "bare start")}
        for _ in range(arguments.rounds):
            results["table"].append(table_us(order, bundle))
            results["exchange"].append(bare_us(asked, bundle))
            for _ in range(STARTS_A_ROUND):
                results["start"].append(sandboxed_start_ms(bundle))
                results["bare start"].append(bare_start_ms(bundle))
    finally:
        shutil.rmtree(staged)
    lengths = [len(line) for _, line in asked if b'"type":"request"' in line]
    print(
        f"level {found.level.name}; {len(lengths)} decisions a table of {arguments.bot}, "
        f"requests of {statistics.mean(lengths):.0f} bytes on average; "
        f"medians of {arguments.rounds} rounds on one core"
    )
    kept = [
        verdict("decision", "us", results["table"], results["exchange"], DECISION_BAR),
        verdict("start", "ms", results["start"], results["bare start"], START_BAR),
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
