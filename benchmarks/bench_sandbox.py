"""Cost of the sandbox: start of a bot, start of a whole table, and memory, at every available level.

    python benchmarks/bench_sandbox.py [--rounds 45] [--tables 9] [--json]

- start: from nothing to the first line of a program that prints one, compared with ``python3 -I`` and the
same
  program. Both pinned to one core, interleaved.
- table: from nothing until the eight bots of a Kakkuri table are ready, started like by a worker: in parallel
on all
  cores. For comparison, the same bots one after the other.
- memory: proportional set size (PSS) of every process that exists because of an idle bot, including its
  sandbox, for the trivial program and for a house bot; four of each at a time.

All figures are medians, measured at the level of this machine, and again with control groups switched
off. Status 0 if all keep their bars. bench_referee.py measures the cost of a decision.
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
from functools import partial
from pathlib import Path

from benchmarks.harness import (
    Row,
    arguments,
    at_most,
    house_bundle,
    interleave,
    one_core,
    ratio,
    report,
    table_order,
)
from referee.contract import Limits, TableOrder
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
"""Concurrent bots per measurement of memory; shared memory counts in parts, as at a table."""
SETTING = "SANDBOX_CGROUP"
TIMEOUT_S = 600
INTERPRETER = str(Path(sys.executable).resolve())
HELLO = (
    b'{"type":"hello","protocol":1,"game":"kakkuri","preset":"kakkuri","ruleset":{},"seat":1,"seats":8,'
    b'"partner":null,"clock":{},"rng":"0011223344556677"}'
)
TRIVIAL = "import sys\nprint('ready', flush=True)\nsys.stdin.read()\n"


def sandboxed_start_ms(bundle: Path) -> float:
    driver = _trivial(bundle)
    began = time.perf_counter()
    driver.start()
    driver.collect(cpu_limit_ms=3000, wall_limit_ms=10_000)
    seconds = time.perf_counter() - began
    driver.close()
    return seconds * 1e3


def bare_start_ms(bundle: Path) -> float:
    argv = [INTERPRETER, "-I", str(bundle / "trivial.py")]
    began = time.perf_counter()
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        process.stdout.readline()
        seconds = time.perf_counter() - began
        process.kill()
    return seconds * 1e3


def table_start_ms(order: TableOrder, folder: Path) -> float:
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
    """Measure the start of the same bots, each after the first line of the previous one, in ms."""
    drivers = [sandboxed_driver(order, seat, folder, 60) for seat in order.seats]
    began = time.perf_counter()
    for driver in drivers:
        driver.start()
        driver.post(HELLO)
        driver.collect(cpu_limit_ms=3000, wall_limit_ms=10_000)
    seconds = time.perf_counter() - began
    for driver in drivers:
        driver.close()
    return seconds * 1e3


def memory_mb(drivers: list[Driver]) -> float:
    """Measure the PSS per bot of all processes that exist because of it, in MB."""
    with contextlib.ExitStack() as stack:
        for driver in drivers:
            stack.callback(driver.close)
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
    match = re.search(r"^Pss: +(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    return int(match[1]) << 10 if match else 0


def _trivial(bundle: Path) -> SandboxedDriver:
    return SandboxedDriver(
        bundle, runtime_named("python/1"), "trivial.py", Limits(), cpu_limit_s=10, label="trivial"
    )


def measure(rounds: int, tables: int, *, as_json: bool) -> int:
    """Measure at the level of this process and print; status 1 if a bar is missed."""
    try:
        level = require_level(Level.COMPAT).level
    except SandboxUnavailable as error:
        print(f"no sandbox: {error}")
        return 1
    house = house_bundle(HOUSE_BOT)
    house_folder = staged_bundle(house.sha256, lambda _: house.data)
    order = table_order(house, 1, preset="kakkuri", seats=SEATS)
    bundle = Path(tempfile.mkdtemp(prefix="bench-", dir=stage_root()))
    try:
        bundle.chmod(0o755)
        (bundle / "trivial.py").write_text(TRIVIAL)
        with one_core():
            starts = {
                "sandboxed": partial(sandboxed_start_ms, bundle),
                "bare": partial(bare_start_ms, bundle),
            }
            start = interleave(starts, rounds)
        ready = interleave(
            {
                "beside": partial(table_start_ms, order, house_folder),
                "one by one": partial(one_by_one_ms, order, house_folder),
            },
            tables,
        )
        memory = interleave(
            {
                "idle": lambda: memory_mb([_trivial(bundle) for _ in range(AT_A_TIME)]),
                "house": lambda: memory_mb(
                    [sandboxed_driver(order, seat, house_folder, 60) for seat in order.seats[:AT_A_TIME]]
                ),
            },
            3,
        )
    finally:
        shutil.rmtree(bundle)
    middle = {
        name: statistics.median(values)
        for figures in (start, ready, memory)
        for name, values in figures.items()
    }
    times, table_s = ratio(start["sandboxed"], start["bare"]), middle["beside"] / 1000
    rows = [
        Row("sandboxed start, ms", {"": middle["sandboxed"]}),
        Row("bare start, ms", {"": middle["bare"]}),
        Row("sandboxed / bare", {"": times}, *at_most(times, START_BAR)),
        Row(f"{SEATS} bots ready one by one, s", {"": middle["one by one"] / 1000}),
        Row(f"{SEATS} bots ready side by side, s", {"": table_s}, *at_most(table_s, TABLE_BAR_S)),
        Row(f"{HOUSE_BOT}, MB", {"": middle["house"]}),
        Row("idle Python bot, MB", {"": middle["idle"]}, *at_most(middle["idle"], MEMORY_BAR_MB)),
    ]
    return report(f"level {level.name}, medians", rows, as_json=as_json)


def main() -> int:
    """Measure each level in its own process, because a process has one level; status 0 if all bars are
    kept.
    """
    parser = arguments(__doc__, rounds=45)
    parser.add_argument("--tables", type=int, default=9, help="interleaved starts of a whole table")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here or os.environ.get(SETTING) == "off":
        return measure(options.rounds, options.tables, as_json=options.json)
    status = 0
    for setting in (os.environ.get(SETTING, "auto"), "off"):
        argv = [sys.executable, __file__, "--here", *sys.argv[1:]]
        env = {**os.environ, SETTING: setting}
        status |= subprocess.run(argv, env=env, timeout=TIMEOUT_S, check=False).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
