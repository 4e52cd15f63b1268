"""What the sandbox costs: a bot's start, a whole table's start, and memory, at every level there is.

    python benchmarks/bench_sandbox.py [--rounds 45] [--tables 9]

- start: from nothing to the first line of a program that prints one, beside ``python3 -I`` with the same
  program. Both pinned to one core, interleaved.
- table: from nothing until the eight bots of a Kakkuri table are ready, as a worker starts them: side by
  side on all cores. Beside it the same bots one after the other.
- memory: proportional set size (PSS) of every process that is there because of an idle bot, its sandbox
  included, for the trivial program and for a house bot; four of each at a time.

Medians. Measured at the level this machine gives, and once more with control groups switched off. Status 0
if all keep their bars. What a decision costs is in bench_referee.py.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import bots.house
from engine.games import game_named
from referee.bundle import Bundle, import_folder
from referee.contract import BoardOrder, Clock, FaultPolicy, Limits, SeatOrder, TableOrder
from referee.driver import Driver
from referee.errors import PlayStopped, SandboxUnavailable
from referee.execute import sandboxed_driver
from referee.runtimes import runtime_named
from referee.sandbox import Level, SandboxedDriver, require_level, stage_root
from referee.staging import staged_bundle
from referee.table import play_table

START_BAR = 3.0
TABLE_BAR_S = 0.3
MEMORY_BAR_MB = 12.0
SEATS = 8
HOUSE_BOT = "kakkuri_greedy"
AT_A_TIME = 4
"""Bots held for one measurement of memory: what they share counts in parts, as at a table."""
SETTING = "SANDBOX_CGROUP"
TIMEOUT_S = 600
INTERPRETER = str(Path(sys.executable).resolve())
HELLO = (
    b'{"type":"hello","protocol":1,"game":"kakkuri","preset":"kakkuri","ruleset":{},"seat":1,"seats":8,'
    b'"partner":null,"clock":{},"rng":"0011223344556677"}'
)
TRIVIAL = "import sys\nprint('ready', flush=True)\nsys.stdin.read()\n"


def sandboxed_start_ms(bundle: Path) -> float:
    """One start through the whole chain, in ms."""
    driver = _trivial(bundle)
    began = time.perf_counter()
    driver.start()
    driver.collect(cpu_limit_ms=3000, wall_limit_ms=10_000)
    took = time.perf_counter() - began
    driver.close()
    return took * 1e3


def bare_start_ms(bundle: Path) -> float:
    """One start of the interpreter alone, in ms."""
    argv = [INTERPRETER, "-I", str(bundle / "trivial.py")]
    began = time.perf_counter()
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        process.stdout.readline()
        took = time.perf_counter() - began
        process.kill()
    return took * 1e3


def table_start_ms(order: TableOrder, folder: Path) -> float:
    """From nothing until all bots of a table are ready, in ms."""
    drivers = {seat.seat: sandboxed_driver(order, seat, folder, 60) for seat in order.seats}
    ready: list[float] = []

    def stop() -> None:
        ready.append(time.perf_counter())
        assert all(driver.is_alive for driver in drivers.values()), "a bot failed to start"
        raise PlayStopped("measured")

    began = time.perf_counter()
    with contextlib.suppress(PlayStopped):
        play_table(order, drivers, lambda *_: None, lambda _: "", once_ready=stop)
    return (ready[0] - began) * 1e3


def one_by_one_ms(order: TableOrder, folder: Path) -> float:
    """The same bots, each started once the one before it has written its first line; in ms."""
    drivers = [sandboxed_driver(order, seat, folder, 60) for seat in order.seats]
    began = time.perf_counter()
    for driver in drivers:
        driver.start()
        driver.post(HELLO)
        driver.collect(cpu_limit_ms=3000, wall_limit_ms=10_000)
    took = time.perf_counter() - began
    for driver in drivers:
        driver.close()
    return took * 1e3


def memory_mb(drivers: list[Driver]) -> float:
    """PSS for each bot of all processes that exist because of it once it is ready, in MB."""
    with contextlib.ExitStack() as held:
        for driver in drivers:
            held.callback(driver.close)
            driver.start()
            driver.post(HELLO)
            driver.collect(cpu_limit_ms=3000, wall_limit_ms=10_000)
        return sum(_pss_bytes(pid) for pid in _descendants(os.getpid())) / len(drivers) / 1e6


def _descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            yield child
            yield from _descendants(child)


def _pss_bytes(pid: int) -> int:
    found = re.search(r"^Pss: +(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    return int(found[1]) << 10 if found else 0


def _trivial(bundle: Path) -> SandboxedDriver:
    return SandboxedDriver(
        bundle, runtime_named("python/1"), "trivial.py", Limits(), cpu_limit_s=10, label="trivial"
    )


def _order(bundle: Bundle) -> TableOrder:
    game = game_named("kakkuri")
    ruleset = game.ruleset("kakkuri", {"seats": SEATS})
    seat_orders = [
        SeatOrder(seat, bundle.sha256, bundle.manifest.runtime, bundle.manifest.entry_point)
        for seat in range(1, SEATS + 1)
    ]
    return TableOrder(
        table="bench",
        attempt=1,
        game=game.key,
        preset="kakkuri",
        ruleset=ruleset.as_dict(),
        boards=(BoardOrder(1, "deal", "bench"),),
        seats=tuple(seat_orders),
        clock=Clock(),
        limits=Limits(),
        fault_policy=FaultPolicy.SUBSTITUTE,
        key="00" * 32,
        wall_limit_s=600.0,
    )


@contextlib.contextmanager
def _one_core() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measure(rounds: int, tables: int) -> bool:
    """Measure at the level of this process and print; whether all bars are kept."""
    try:
        level = require_level(Level.COMPAT).level
    except SandboxUnavailable as error:
        print(f"no sandbox: {error}")
        return False
    house = import_folder(Path(bots.house.__path__[0]) / HOUSE_BOT)
    house_folder = staged_bundle(house.sha256, lambda _: house.data)
    order = _order(house)
    bundle = Path(tempfile.mkdtemp(prefix="bench-", dir=stage_root()))
    sandboxed, bare, beside, one_by_one, idle, with_sdk = [], [], [], [], [], []
    try:
        bundle.chmod(0o755)
        (bundle / "trivial.py").write_text(TRIVIAL)
        with _one_core():
            for _ in range(rounds):
                sandboxed.append(sandboxed_start_ms(bundle))
                bare.append(bare_start_ms(bundle))
        for _ in range(tables):
            beside.append(table_start_ms(order, house_folder))
            one_by_one.append(one_by_one_ms(order, house_folder))
        for _ in range(3):
            idle.append(memory_mb([_trivial(bundle) for _ in range(AT_A_TIME)]))
            seats = order.seats[:AT_A_TIME]
            with_sdk.append(memory_mb([sandboxed_driver(order, seat, house_folder, 60) for seat in seats]))
    finally:
        shutil.rmtree(bundle)
    middle = statistics.median
    ratio = middle(sandboxed) / middle(bare)
    print(f"level {level.name}, {rounds} interleaved starts on one core, {tables} of tables, medians")
    kept = [
        _verdict(f"start {middle(sandboxed):.1f} ms, bare {middle(bare):.1f} ms: ratio", ratio, START_BAR),
        _verdict(
            f"{SEATS} bots ready on {len(os.sched_getaffinity(0))} cores, one by one "
            f"{middle(one_by_one) / 1e3:.3f} s, side by side s",
            middle(beside) / 1e3,
            TABLE_BAR_S,
        ),
        _verdict(
            f"{HOUSE_BOT} {middle(with_sdk):.1f} MB, an idle Python bot MB", middle(idle), MEMORY_BAR_MB
        ),
    ]
    return all(kept)


def _verdict(what: str, value: float, bar: float) -> bool:
    print(f"{what} {value:.3g}   bar {bar}   {'PASS' if value <= bar else 'FAIL'}", flush=True)
    return value <= bar


def main() -> int:
    """Measure each level in a process of its own, since a process has one; 0 if all bars are kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=45, help="interleaved starts")
    parser.add_argument("--tables", type=int, default=9, help="interleaved starts of a whole table")
    parser.add_argument("--here", action="store_true", help="measure the level as it is set, and no other")
    arguments = parser.parse_args()
    if arguments.here or os.environ.get(SETTING) == "off":
        return 0 if measure(arguments.rounds, arguments.tables) else 1
    numbers = ["--rounds", str(arguments.rounds), "--tables", str(arguments.tables)]
    status = 0
    for setting in (os.environ.get(SETTING, "auto"), "off"):
        done = subprocess.run(
            [sys.executable, __file__, "--here", *numbers],
            env={**os.environ, SETTING: setting},
            timeout=TIMEOUT_S,
            check=False,
        )
        status = status or done.returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
