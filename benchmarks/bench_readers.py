"""What many readers of event streams cost everybody else, on PostgreSQL as it comes.

    python benchmarks/bench_readers.py [--readers 300] [--seconds 12] [--rounds 3] [--json]

Starts a PostgreSQL server of its own with the default 100 connections (as an ordinary user; root starts it
as ``nobody``), fills it with ``benchmarks.seeding``, and starts the web process as the unit does. Then
phases without and with readers take turns: half of them follow a tournament's page and fetch what changed as
its script does, half the log of the API, all from one address of loopback, and every second the tournament
changes and an event is logged for them.

Meanwhile one caller asks for the page, for standings and the list, for an end point of the API and for
``/metrics`` in turn, at an even pace, and another process makes the queries of a worker: a sign of life, a
heartbeat of a table, and a new connection as the worker's main process needs one. p50 and p95 in
milliseconds, all phases of a kind together; ``after`` are the phases after the
readers left. Also shown: most connections to the server at any moment, and most threads
of the web process.

Status 0 if with readers no p95 is more than twice that without, nor after they left; if no request, query or
stream failed; and if the connections stayed within the pool's and the worker's share.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tests.system.readers import Reader

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

BAR = 2.0
FLOOR_MS = 2.0
"""Differences below this are noise of the machine."""
PAUSE_S = 0.02
"""Of the caller and the worker, from one request or query to the next."""
APART_S, SPREAD_S = 2.5, 1.0
"""Between two fetches of a page that follows an event, at least, and what chance adds (live.js)."""
SETTLE_S = 2.0
"""From the start of a phase to its first measurement."""
SEED = """
from arena.competition.models import Tournament
from benchmarks.seeding.command import Command as Seeding
call_command(Seeding(), bots=64, fixtures=200, presets=["kakeya4"], quiet=True)
events = Tournament.objects.filter(state__in=("running", "registration"), visibility="public", kind="event")
print("\\n" + events.order_by("state").last().public_id)
"""
PHASES = ("without", "with", "after")
WORKER_CONNECTIONS = 3
"""Of the process that makes a worker's queries, and of this one, which counts."""


class Line(NamedTuple):
    """One kind of request, in milliseconds by phase."""

    name: str
    p50: dict[str, float]
    p95: dict[str, float]
    samples: int

    @property
    def is_kept(self) -> bool:
        """Whether the bar is."""
        bar = max(BAR * self.p95["without"], self.p95["without"] + FLOOR_MS)
        return self.p95["with"] <= bar and self.p95["after"] <= bar

    def __str__(self) -> str:
        cells = "   ".join(f"{phase} {self.p50[phase]:6.1f} / {self.p95[phase]:6.1f}" for phase in PHASES)
        ratio = self.p95["with"] / self.p95["without"]
        verdict = "PASS" if self.is_kept else "FAIL"
        return f"{self.name:<8} p50/p95 ms   {cells}   ratio {ratio:4.2f} (bar {BAR:g})  {verdict}"


class Samples:
    """Times by phase and name, and what went wrong."""

    def __init__(self) -> None:
        self.phase = ""
        self.times_ms: dict[tuple[str, str], list[float]] = {}
        self.failures: list[str] = []

    def add(self, name: str, seconds: float) -> None:
        """A measurement of the present phase, if there is one."""
        if phase := self.phase:
            self.times_ms.setdefault((phase, name), []).append(1000 * seconds)

    def line(self, name: str) -> Line:
        """All phases of one name."""
        p50, p95, count = {}, {}, 0
        for phase in PHASES:
            values = sorted(self.times_ms[phase, name])
            count += len(values)
            p50[phase] = statistics.median(values)
            p95[phase] = values[int(0.95 * (len(values) - 1))]
        return Line(name, p50, p95, count)


def called(port: int, path: str) -> None:
    """Ask once, so that nothing measured is the first of its kind."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("GET", path)
    connection.getresponse().read()
    connection.close()


def calls(port: int, paths: dict[str, str], samples: Samples, is_over: threading.Event) -> None:
    """Ask for each path in turn until told to stop."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while not is_over.is_set():
        for name, path in paths.items():
            started = time.perf_counter()
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    samples.failures.append(f"{path}: status {answer.status}")
            except (OSError, http.client.HTTPException) as error:
                samples.failures.append(f"{path}: {type(error).__name__}: {error}")
                connection.close()
            samples.add(name, time.perf_counter() - started)
            is_over.wait(PAUSE_S)


def work() -> None:
    """In a process of its own: a worker's queries until the input ends, one line of JSON each."""
    import django

    django.setup()
    from django.db import DatabaseError, connection

    from arena.accounts.events import event_add
    from arena.competition.models import Tournament
    from arena.competition.services import tournament_touch
    from arena.matches.leases import table_heartbeat
    from arena.matches.models import Table
    from arena.matches.workers import worker_seen

    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    event = Tournament.objects.get(public_id=sys.argv[2])
    table = Table.objects.order_by("pk").values_list("pk", flat=True)[0]
    due = 0.0
    while True:
        failure = ""
        started = time.perf_counter()
        try:
            worker_seen("tables@bench", "FULL", {"python/1": "bench"}, 2)
            table_heartbeat(table, "none", 1, 1)
            connection.close()
        except DatabaseError as error:
            failure = f"worker: {type(error).__name__}: {error}"
            connection.close()
        spent = time.perf_counter() - started
        print(json.dumps([spent, failure]), flush=True)
        if time.monotonic() >= due:
            due = time.monotonic() + 1
            tournament_touch(event)
            event_add("round.opened", event, tournament=event.public_id)
        time.sleep(PAUSE_S)


async def follow(port: int, reader: Reader) -> None:
    """Do as the script of a page does: fetch the parts that changed, a while after the stream tells of it."""
    address = reader.path.removesuffix("/events") + "/live"
    have: dict[str, str] = {}
    seen = 0
    while True:
        await asyncio.sleep(APART_S + SPREAD_S * random.random())
        if reader.messages == seen:
            continue
        seen = reader.messages
        query = "&".join(f"have={name}.{version}" for name, version in have.items())
        connection, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            f"GET {address}?{query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        )
        answer = (await connection.read()).decode()
        writer.close()
        have |= dict(re.findall(r'name="have" value="([a-z]+)\.([0-9a-f]+)"', answer))


async def read(port: int, paths: list[str]) -> None:
    """In a process of its own: hold streams open until the input ends; says what came of them."""
    from tests.system.readers import Reader, until_open

    readers = [Reader(port, path) for path in paths]
    try:
        await until_open(readers)
        pages = [reader for reader in readers if reader.path.startswith("/tournaments/")]
        followers = [asyncio.create_task(follow(port, reader)) for reader in pages]
        print("open", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        ended = sum(not reader.is_open for reader in readers)
        silent = sum(reader.messages < 2 for reader in readers)
        failed = sum(task.done() for task in followers)
        for task in followers:
            task.cancel()
        print(json.dumps({"ended": ended, "silent": silent, "failed": failed}), flush=True)
    except (AssertionError, TimeoutError) as error:
        print(f"failed: {error}", flush=True)
    for reader in readers:
        await reader.close()


@contextmanager
def process(*args: str, env: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """This file in another role, ended afterwards."""
    with subprocess.Popen(
        [sys.executable, __file__, *args], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        try:
            yield started
        finally:
            if started.poll() is None:
                started.send_signal(signal.SIGTERM)


def worker_results(worker: subprocess.Popen[str], samples: Samples) -> None:
    """Take what the worker measures."""
    assert worker.stdout is not None
    for line in worker.stdout:
        seconds, failure = json.loads(line)
        samples.add("worker", seconds)
        if failure:
            samples.failures.append(failure)


def measured(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """All phases on one installation."""
    from arena.settings.database import POOL
    from tests.system.readers import web

    samples, most = Samples(), {"connections": 0, "threads": 0}
    rates = {"RENSHO_RATE_ANONYMOUS": "100000000/s", "RENSHO_RATE_PAGES": "100000000/s"}
    with web(folder, SEED, **rates) as site:
        event = site.prepared.split()[-1]
        paths = {
            "page": f"/tournaments/{event}",
            "table": f"/tournaments/{event}/standings",
            "list": "/tournaments",
            "api": f"/api/v1/tournaments/{event}",
            "metrics": "/metrics",
        }
        streams = [f"/tournaments/{event}/events", "/api/v1/events"]
        is_over = threading.Event()

        def watch() -> None:
            while not is_over.wait(0.5):
                most["connections"] = max(most["connections"], site.connections())
                most["threads"] = max(most["threads"], site.threads())

        def phase(name: str) -> None:
            time.sleep(SETTLE_S)
            samples.phase = name
            time.sleep(options.seconds)
            samples.phase = ""

        with process("--work", event, env=site.env) as worker:
            threads = [
                threading.Thread(target=calls, args=(site.port, paths, samples, is_over)),
                threading.Thread(target=worker_results, args=(worker, samples)),
                threading.Thread(target=watch),
            ]
            for path in paths.values():
                called(site.port, path)
            for thread in threads:
                thread.start()
            try:
                for _ in range(options.rounds):
                    phase("without")
                    wanted = [streams[number % 2] for number in range(options.readers)]
                    with process("--read", str(site.port), *wanted, env=site.env) as readers:
                        assert readers.stdin is not None
                        assert readers.stdout is not None
                        said = readers.stdout.readline().strip()
                        if said != "open":
                            samples.failures.append(f"readers: {said}")
                        phase("with")
                        readers.stdin.close()
                        if said == "open" and any(json.loads(readers.stdout.readline()).values()):
                            samples.failures.append("readers: some streams ended, or heard nothing")
                        readers.wait()
                    phase("after")
            finally:
                is_over.set()
                if worker.stdin is not None:
                    worker.stdin.close()
                for thread in threads:
                    thread.join()
    return {
        "lines": [samples.line(name) for name in (*paths, "worker")],
        "failures": samples.failures,
        "limit": POOL + WORKER_CONNECTIONS,
        **most,
    }


def main() -> int:
    """Measure and print; status 1 if a bar is missed."""
    if sys.argv[1:2] == ["--work"]:
        work()
    if sys.argv[1:2] == ["--read"]:
        asyncio.run(read(int(sys.argv[2]), sys.argv[3:]))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--readers", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=12, help="of each phase")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as folder:
        found = measured(options, Path(folder))
    lines: list[Line] = found["lines"]
    is_kept = (
        all(line.is_kept for line in lines)
        and not found["failures"]
        and found["connections"] <= found["limit"]
    )
    if options.json:
        print(json.dumps({**found, "lines": [line._asdict() for line in lines], "is_kept": is_kept}))
        return 0 if is_kept else 1
    for line in lines:
        print(line)
    print(
        f"{options.readers} readers: at most {found['connections']} connections (bar {found['limit']}) and "
        f"{found['threads']} threads of the web process; {len(found['failures'])} failures (bar 0)"
    )
    for failure in found["failures"][:10]:
        print(f"  {failure}")
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
