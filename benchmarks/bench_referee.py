"""Cost of refereeing a decision, compared with a bare exchange of the same bytes with the same bot program.

    python benchmarks/bench_referee.py [--rounds 21] [--boards 12] [--bot kakeya_greedy] [--json]

- refereed: a table through ``execute`` as a worker plays it: sandboxed, frozen between turns, clocked,
  recorded, on one core. Measured from the end of the first board to the end of the last.
- bare: the same request lines written to four unconfined processes of that program on
  the same core, a blocking write and a blocking read each.
- rules, messages, record: the same table with bots in this process that answer from a list, so that
  only the referee's own work is left.

Rounds are interleaved and medians compared. Status 0 if refereed / bare keeps its bar.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

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
    table_play,
)
from referee.bundle import Bundle, unpack
from referee.contract import Clock, SeatOrder, TableOrder
from referee.driver import Driver, Reply
from referee.execute import MakeDriver, plain_driver, sandboxed_driver
from referee.inprocess import InProcessDriver
from referee.runtimes import host_runtime

BAR = 2.2
SEATS = (1, 2, 3, 4)
READ_BYTES = 64 << 10
CLOCK = Clock(bank_cpu_ms_per_deal_board=5000)


def table_us(order: TableOrder, bundle: Bundle, make_driver: MakeDriver = sandboxed_driver) -> float:
    """Return microseconds per decision of a whole table after its first board."""
    marks: dict[int, tuple[float, int]] = {}

    def on_progress(boards_done: int, decisions: int, _: float = 0.0) -> None:
        marks.setdefault(boards_done, (time.perf_counter(), decisions))

    table_play(order, bundle, on_progress, make_driver)
    (began, before), (ended, after) = marks[1], marks[len(order.boards)]
    return (ended - began) / (after - before) * 1e6


class RecordingDriver:
    def __init__(self, driver: Driver, seat: int, lines: list[tuple[int, bytes]]) -> None:
        self._driver = driver
        self._seat = seat
        self._said = lines

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driver, name)

    def post(self, line: bytes) -> None:
        self._said.append((self._seat, line))
        self._driver.post(line)

    def collect(self, **limits: float) -> Reply:
        reply = self._driver.collect(**limits)
        self._said.append((self._seat, reply.line))
        return reply


def conversation(order: TableOrder, bundle: Bundle) -> list[tuple[int, bytes, bytes]]:
    """Return seat, line to the bot and its answer, for hello and every request of the table, in order."""
    lines: list[tuple[int, bytes]] = []
    table_us(
        order,
        bundle,
        lambda order, seat, *arguments: RecordingDriver(
            plain_driver(order, seat, *arguments), seat.seat, lines
        ),
    )
    exchanges: list[tuple[int, bytes, bytes]] = []
    open_lines: dict[int, bytes] = {}
    for seat, line in lines:
        if seat in open_lines:
            exchanges.append((seat, open_lines.pop(seat), line))
        elif b'"type":"bye"' not in line:
            open_lines[seat] = line
    return exchanges


def bare_us(lines: list[tuple[int, bytes, bytes]], folder: Path, entry_point: str, first: int) -> float:
    """Return microseconds per exchange of the lines from request ``first`` on, in bare processes."""
    runtime = host_runtime("python/1")
    argv = runtime.command(str(folder), entry_point)
    env = {"PATH": os.defpath, **runtime.env}
    processes = {
        seat: subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=env)
        for seat in SEATS
    }
    pipes = {
        seat: (p.stdin.fileno(), p.stdout.fileno()) for seat, p in processes.items() if p.stdin and p.stdout
    }
    try:
        began = 0.0
        for count, (seat, line, _) in enumerate(lines, start=-len(SEATS)):
            if count == first:
                began = time.perf_counter()
            to_bot, from_bot = pipes[seat]
            os.write(to_bot, line + b"\n")
            answer = os.read(from_bot, READ_BYTES)
            assert answer.endswith(b"\n"), "a bot answers with one line"
        return (time.perf_counter() - began) / (len(lines) - len(SEATS) - first) * 1e6
    finally:
        for process in processes.values():
            process.kill()
            process.communicate(timeout=30)


def own_work_us(order: TableOrder, bundle: Bundle, lines: list[tuple[int, bytes, bytes]]) -> float:
    answers = {seat: iter([answer for who, _, answer in lines if who == seat]) for seat in SEATS}

    def make_driver(order: TableOrder, seat: SeatOrder, folder: Path, cpu_limit_s: int) -> Driver:
        return InProcessDriver(lambda line: next(answers[seat.seat], None), order.limits)

    return table_us(order, bundle, make_driver)


def main() -> int:
    parser = arguments(__doc__, rounds=21)
    parser.add_argument("--boards", type=int, default=12, help="deal boards a table, at least 2")
    parser.add_argument("--bot", default="kakeya_greedy", help="a folder of bots/house")
    options = parser.parse_args()
    bundle = house_bundle(options.bot)
    with one_core(), tempfile.TemporaryDirectory() as folder:
        order = table_order(bundle, options.boards, clock=CLOCK)
        lines = conversation(order, bundle)
        unpacked = Path(folder, "bot")
        unpack(bundle.data, unpacked)
        bare = partial(
            bare_us, lines, unpacked, bundle.manifest.entry_point, first=len(lines) // options.boards
        )
        subjects = {
            "refereed": partial(table_us, order, bundle),
            "bare": bare,
            "rules, messages, record": partial(own_work_us, order, bundle, lines),
        }
        results = interleave(subjects, options.rounds)
    rows = [
        Row(name, {"us a decision": statistics.median(times), "best": min(times)})
        for name, times in results.items()
    ]
    times = ratio(results["refereed"], results["bare"])
    rows.append(Row("refereed / bare", {"ratio": times}, *at_most(times, BAR)))
    size = statistics.mean(len(line) for _, line, _ in lines)
    head = f"{options.boards} boards of {options.bot}, requests of {size:.0f} bytes, on one core, medians"
    return report(head, rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
