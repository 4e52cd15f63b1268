"""The analysis service next to tables, for the explorer and after a hand, with its real processes.

    python benchmarks/bench_analysis_service.py [--rounds 5] [--tables 8] [--positions 40] [--hands 20]
        [--json]

A data folder with seeded events, Valkey, the web server, ``play_serve`` and ``analysis_serve``.

- tables per hour: on every core, a process plays sandboxed tables as a worker does, while the background
  queue is full, and while its processes are suspended. Both take turns in every round; the ratio of the
  rounds has a bar. ``analysis`` is the CPU time of the background processes in the turns with them.
- explorer: one caller asks ``POST /api/v1/boards/SET/N/solve`` for the first lead of different deals, again
  every 50 ms until it is solved, then once more for the cached answer.
- after a hand: a guest plays deals of ``kakeya4`` at /play, each after the costs of the last one; seconds
  from the end of each until the costs of its plays are stored.

Status 0 if every bar is kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.bench_play import TICKS_S, guests_play, house_bots_make, site_start
from benchmarks.bench_tables import WorkerProcess, boards_a_table, per_second
from benchmarks.harness import (
    ROOT,
    Row,
    arguments,
    at_least,
    at_most,
    installation,
    interleave,
    positive,
    ratio,
    report,
    require_kernel,
    seed,
)

THROUGHPUT_BAR, LEAD_BAR_S, CACHED_BAR_MS, HAND_BAR_S = 0.95, 2.0, 50.0, 3.0
POLL_S = 0.05
PATIENCE_S = 60.0
BOTS, FIXTURES = 12, 60
"""Size of the seeded events, whose boards are solved and whose tables are analysed."""
UNLIMITED = {
    "RENSHO_ANALYSIS_NOTES_CPU_S": "1000000",
    "RENSHO_ANALYSIS_GUEST_CPU_S": "1000000",
    "RENSHO_ANALYSIS_SITE_CPU_S": "1000000",
    "RENSHO_RATE_ANONYMOUS": "1000000/s",
    "RENSHO_PLAY_CPU_S": "100000",
    "RENSHO_RATE_PLAY_GUESTS": "1000000/s",
}


@contextlib.contextmanager
def manage(*command: str) -> Iterator[int]:
    """Run a management command; yield the id of its process."""
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), *command], start_new_session=True, stdout=subprocess.DEVNULL
    )
    try:
        yield process.pid
    finally:
        send_signal(process.pid, signal.SIGCONT)
        process.terminate()
        process.wait(30)


@contextlib.contextmanager
def broker(folder: Path) -> Iterator[None]:
    from django.conf import settings

    from arena.operations.broker import broker_argv, broker_binary_find, broker_wait

    argv = broker_argv(broker_binary_find(), folder)
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        broker_wait(settings.REDIS_URL, 15.0)
        yield
    finally:
        process.terminate()
        process.wait(30)


@contextlib.contextmanager
def site() -> Iterator[int]:
    process, port = site_start()
    try:
        yield port
    finally:
        process.terminate()
        process.wait(30)


def family(ancestor: int) -> dict[int, float]:
    """Return the CPU time of a living process and of its descendants, by process id."""
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            process = int(path.parent.name)
            parents[process] = int(fields[1])
            used[process] = TICKS_S * (int(fields[11]) + int(fields[12]))
    members = {ancestor}
    while more := {process for process, parent in parents.items() if parent in members} - members:
        members |= more
    return {process: used[process] for process in members if process in used}


def family_cpu_s(ancestor: int) -> float:
    return sum(family(ancestor).values())


def send_signal(ancestor: int, number: int) -> None:
    for process in family(ancestor):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


# Tables next to the background queue


def throughput_row(rounds: int, tables: int) -> Row:
    from arena.features.analysis.access import open_tables
    from arena.features.analysis.due import analyses_make

    queued = analyses_make(open_tables())
    workers = len(os.sched_getaffinity(0))
    used: list[float] = []
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(manage("analysis_serve", "--queue", "background"))
        until = time.monotonic() + PATIENCE_S
        while family_cpu_s(service) < 5.0:  # it has started, and computes
            if time.monotonic() > until:
                raise SystemExit("the background queue does not compute")
            time.sleep(0.2)
        options = ["--worker", "quick", "--bot", "kakeya_rules"]
        playing = [WorkerProcess(stack, options) for _ in range(workers)]

        def turn(number: int) -> float:
            send_signal(service, number)
            before, began = family_cpu_s(service), time.perf_counter()
            rate = per_second(playing, tables)
            if number == signal.SIGCONT:
                used.append((family_cpu_s(service) - before) / (time.perf_counter() - began))
            return rate

        per_second(playing, 1)  # Bundles are staged, caches are warm.
        turns = {"full": partial(turn, signal.SIGCONT), "empty": partial(turn, signal.SIGSTOP)}
        results = interleave(turns, rounds)
    share = ratio(results["full"], results["empty"])
    per_table = _decisions_a_table()
    hourly = {name: 3600 * statistics.median(rates) / per_table for name, rates in results.items()}
    cells: dict[str, float | str] = {
        "tables/h, queue full": hourly["full"],
        "queue empty": hourly["empty"],
        "ratio": share,
        "analysis, cores": statistics.median(used),
        "queued": queued,
    }
    return Row(
        f"tables of {boards_a_table()} boards, {workers} workers", cells, *at_least(share, THROUGHPUT_BAR)
    )


def _decisions_a_table() -> float:
    from benchmarks.harness import house_bundle, table_order, table_play

    bundle = house_bundle("kakeya_rules")
    seats = table_play(table_order(bundle, boards_a_table()), bundle).seats
    return sum(seat.decisions for seat in seats)


# The explorer


def explorer_rows(port: int, positions: int) -> Iterator[Row]:
    from arena.features.analysis.access import open_tables

    rows = open_tables().filter(tournament__game="kakeya").order_by("fixture__board_set", "pk")
    boards = {
        (set_id, number)
        for set_id, first, count in rows.values_list(
            "fixture__board_set__public_id", "first_board", "board_count"
        )
        for number in range(first, first + count)
    }
    chosen = sorted(boards)[:-1][:positions]
    address = f"http://127.0.0.1:{port}/api/v1/boards/{{}}/{{}}/solve"
    _wait_for_solver(address.format(*sorted(boards)[-1]))
    unsolved = 0
    first: list[float] = []
    cached: list[float] = []
    for board in chosen:
        began = time.perf_counter()
        while (state := _post(address.format(*board))["state"]) == "working":
            if time.perf_counter() - began > PATIENCE_S:
                raise SystemExit(f"{address.format(*board)}: not solved within {PATIENCE_S:g} s")
            time.sleep(POLL_S)
        first.append(time.perf_counter() - began)
        unsolved += state == "too_long"
        began = time.perf_counter()
        assert _post(address.format(*board))["state"] == state
        cached.append(1000 * (time.perf_counter() - began))
    lead, again = _p95(first), _p95(cached)
    yield Row(f"first lead, {len(chosen)} deals, s", _percentiles(first), *at_most(lead, LEAD_BAR_S))
    yield Row("deals without an answer within the limit", {"": unsolved})
    yield Row("the same again, ms", _percentiles(cached), *at_most(again, CACHED_BAR_MS))


def _wait_for_solver(address: str) -> None:
    """Return once the process that solves positions answers, here with a deal that is not measured."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        with contextlib.suppress(urllib.error.HTTPError):  # 503
            if _post(address)["state"] != "working":
                return
        time.sleep(0.2)
    raise SystemExit(f"no process has solved a position within {PATIENCE_S:g} s")


def _post(address: str) -> dict[str, str]:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(address, data=b"{}", headers=headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        answer: dict[str, str] = json.load(response)
    return answer


# After a hand


def hands_row(port: int, play_service: int, hands: int) -> Row:
    from arena.features.analysis.models import CasualAnalysis

    ready = CasualAnalysis.objects.filter(state=CasualAnalysis.State.READY)
    for played in range(1, hands + 1):
        asyncio.run(guests_play(1, 1, 0.0, port, {"service": play_service}))
        until = time.monotonic() + PATIENCE_S
        while ready.count() < played and time.monotonic() < until:
            time.sleep(0.1)
    times = [
        (done - ended).total_seconds()
        for ended, done in ready.values_list("table__ended_at", "state_at")
        if ended is not None
    ]
    if len(times) < hands:
        raise SystemExit(f"only {len(times)} of {hands} hands were analysed within {PATIENCE_S:g} s")
    return Row(f"after a hand, {hands} deals, s", _percentiles(times), *at_most(_p95(times), HAND_BAR_S))


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[18]


def _percentiles(values: Sequence[float]) -> dict[str, float | str]:
    return {"p50": statistics.median(values), "p95": _p95(values), "most": max(values)}


def main() -> int:
    parser = arguments(__doc__, rounds=5)
    parser.add_argument("--tables", type=positive, default=8, help="tables a worker plays in a turn")
    parser.add_argument("--positions", type=positive, default=40, help="first leads to solve")
    parser.add_argument("--hands", type=positive, default=20, help="deals that a guest plays")
    options = parser.parse_args()
    require_kernel()
    with installation(RENSHO_LOG_LEVEL="WARNING", **UNLIMITED) as folder:
        house_bots_make()
        seed(BOTS, FIXTURES, into_existing=True)
        with broker(folder):
            rows = [throughput_row(options.rounds, options.tables)]
            with (
                site() as port,
                manage("analysis_serve", "--queue", "interactive"),
                manage("play_serve") as play,
            ):
                rows += explorer_rows(port, options.positions)
                rows.append(hands_row(port, play, options.hands))
    return report("analysis service, real processes", rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
