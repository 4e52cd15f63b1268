"""Effect of many readers of event streams on other requests, on PostgreSQL with default settings.

    python benchmarks/bench_readers.py [--readers 300] [--seconds 12] [--rounds 3] [--json]

Starts a PostgreSQL server with the default 100 connections (as an ordinary user; root starts it as
``nobody``), fills it with ``benchmarks.seeding``, and starts the web process like the systemd unit does.
Then phases without and with readers alternate. Half of the readers follow a tournament's page as its
script does, signed out, and fetch what the stream does not bring. The other half follow the log of the
API, from one loopback address. In all phases, the tournament changes every second; an event is logged
each time.

Meanwhile, one client requests the page, standings, the list, an end point of the API and ``/metrics`` in
turn, at an even pace, and another process makes the queries of a worker: a sign of life, a heartbeat of a
table, and a new connection as the worker's main process needs one. The figures are p50 and p95 in
milliseconds, over all phases of a kind; a request counts for the phase in which it began. ``after`` are
the phases after the readers left. Also printed: maximum connections to the server, and maximum threads of
the web process.

Status 0 if no p95 with or after readers is more than twice the p95 without; if no request, query or
stream failed; and if the connections stayed within the share of the pool and the worker. Failures are
counted, and named at the end. Every wait has a time limit.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import gzip
import http.client
import json
import os
import random
import re
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

from benchmarks.harness import Row, arguments, at_most, report

if TYPE_CHECKING:
    from tests.system.readers import Reader

BAR = 2.0
FLOOR_MS = 2.0
"""Differences below this are noise of the machine."""
PAUSE_S = 0.02
"""Pause of the client and the worker between two requests or queries."""
CONNECT_INTERVAL_S = 2.5
"""Minimum time from an incomplete message to the fetch of the missing parts (live.js)."""
PAGE_REQUEST = "a page asked"
"""Counter of page requests, stored with the failures."""
CHECK_INTERVAL_S = 0.5
"""Time between two checks of a reader for messages of its stream."""
STREAM_VERSION = re.compile(r'name="have" value="([a-z]+)\.([0-9a-f]+)"')
SETTLE_S = 2.0
"""Time from the start of a phase to its first measurement."""
REQUEST_S = 30.0
OPEN_S = 60.0
END_S = 15.0
MAX_NAMED_FAILURES = 10
SEED = """
from arena.competition.models import Tournament
from benchmarks.seeding.command import Command as Seeding
call_command(Seeding(), bots=64, fixtures=200, presets=["kakeya4"], quiet=True)
events = Tournament.objects.filter(state__in=("running", "open"), visibility="public", kind="tournament")
print("\\n" + events.order_by("state").last().public_id)
"""
PHASES = ("without", "with", "after")
WORKER_CONNECTIONS = 3
"""Connections of the worker's process and of this process, which counts them."""


class Samples:
    def __init__(self) -> None:
        self.phase = ""
        self.times_ms: dict[tuple[str, str], list[float]] = {}
        self.failures: collections.Counter[str] = collections.Counter()
        self.asked = 0
        """Number of requests for parts that the stream of the tournament's page did not bring."""

    def add(self, phase: str, name: str, seconds: float) -> None:
        """Add a measurement that began in this phase; ignored if the phase is empty."""
        if phase:
            self.times_ms.setdefault((phase, name), []).append(1000 * seconds)

    def fail(self, reason: str) -> None:
        self.failures[reason] += 1

    def row(self, name: str) -> Row:
        """Return p50 / p95 in ms of one kind of request by phase, or "none"."""
        p95: dict[str, float] = {}
        cells: dict[str, float | str] = {}
        for phase in PHASES:
            values = sorted(self.times_ms.get((phase, name), ()))
            cells[phase] = "none"
            if values:
                p95[phase] = values[int(0.95 * (len(values) - 1))]
                cells[phase] = f"{statistics.median(values):.1f} / {p95[phase]:.1f}"
        if p95.keys() != {*PHASES}:
            return Row(name, {**cells, "with/without": ""}, "answers in every phase", False)
        most = max(BAR * p95["without"], p95["without"] + FLOOR_MS)
        is_kept = max(p95["with"], p95["after"]) <= most
        return Row(name, {**cells, "with/without": p95["with"] / p95["without"]}, f"at most {BAR:g}", is_kept)


class PollingClient:
    def __init__(self, port: int, samples: Samples) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=REQUEST_S)
        self._samples = samples

    def ask(self, path: str) -> float | None:
        """Return the seconds until the complete answer, or None unless it is 200."""
        started = time.perf_counter()
        try:
            self._connection.request("GET", path)
            answer = self._connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._samples.fail(f"{path}: {type(error).__name__}: {error}")
            self._connection.close()
            return None
        if answer.status != 200:
            self._samples.fail(f"{path}: status {answer.status}")
            return None
        return time.perf_counter() - started

    def close(self) -> None:
        self._connection.close()


def poll_paths(port: int, paths: dict[str, str], samples: Samples, is_over: threading.Event) -> None:
    caller = PollingClient(port, samples)
    while not is_over.is_set():
        for name, path in paths.items():
            phase = samples.phase
            seconds = caller.ask(path)
            if seconds is not None:
                samples.add(phase, name, seconds)
            is_over.wait(PAUSE_S)
    caller.close()


def run_worker() -> None:
    """Role of a process: make a worker's queries until the input ends, printing a line of JSON each."""
    import django

    django.setup()
    from django.db import DatabaseError, connection

    from arena.accounts.events import event_add
    from arena.competition.models import Tournament
    from arena.competition.services import tournament_touch
    from arena.matches.leases import table_heartbeat
    from arena.matches.models import BoardSet, Table
    from arena.matches.workers import worker_heartbeat

    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    event = Tournament.objects.get(public_id=sys.argv[2])
    table = Table.objects.order_by("pk").values_list("pk", flat=True)[0]
    tables = Table.objects.filter(tournament=event, fixture__board_set__state=BoardSet.State.OPEN)
    assert tables.exists(), "no round of the event is being played"
    tables = Table.objects.filter(pk__in=list(tables.order_by("pk").values_list("pk", flat=True)[:3]))
    due, turn = 0.0, 0
    while True:
        failure = ""
        started = time.perf_counter()
        spent = 0.0
        try:
            worker_heartbeat("tables@bench", "FULL", {"python/1": "bench"}, 2)
            table_heartbeat(table, "none", 1, 1)
            connection.close()
            spent = time.perf_counter() - started
            if time.monotonic() >= due:
                due = time.monotonic() + 1
                # A change that the tournament's page displays.
                turn += 1
                tables.update(boards_done=turn % 2)
                tournament_touch(event)
                event_add("round.opened", event, tournament=event.public_id)
        except DatabaseError as error:
            failure = f"worker: {type(error).__name__}: {error}"
            connection.close()
        print(json.dumps([spent, failure]), flush=True)
        time.sleep(PAUSE_S)


async def follow_stream(port: int, reader: Reader, failures: collections.Counter[str]) -> None:
    """Act like the script of a page: take the parts that the stream brings, fetch the others."""
    have = set(parse_qs(urlsplit(reader.path).query)["have"])
    messages = 0
    while True:
        await asyncio.sleep(CHECK_INTERVAL_S)
        if reader.messages == messages:
            continue
        is_next, messages = reader.messages == messages + 1, reader.messages
        data = json.loads(reader.data)
        brought = STREAM_VERSION.findall(data.get("html", ""))
        have = {part for part in have if part.partition(".")[0] not in dict(brought)}
        have |= {".".join(part) for part in brought}
        # A page receives every message; this reader polls, so it may miss some.
        if have.issuperset(data.get("parts", [""])) or (not is_next and "parts" in data):
            have = set(data["parts"])
            continue
        await asyncio.sleep(CONNECT_INTERVAL_S + data.get("spread_ms", 1000) / 1000 * random.random())
        failures[PAGE_REQUEST] += 1
        try:
            async with asyncio.timeout(REQUEST_S):
                address = urlsplit(reader.path).path.removesuffix("/events") + "/live"
                text = await fetch(port, f"{address}?{urlencode({'have': sorted(have)}, doseq=True)}")
            have = {".".join(part) for part in STREAM_VERSION.findall(text)} or have
        except (OSError, EOFError, ValueError, TimeoutError) as error:
            failures[f"a page that follows: {type(error).__name__}: {error}"] += 1


async def fetch(port: int, address: str, *, is_part: bool = True) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        head = ["Host: localhost", "Accept-Encoding: gzip", "Connection: close"]
        head += ["HX-Request: true"] if is_part else []
        writer.write("\r\n".join((f"GET {address} HTTP/1.1", *head, "", "")).encode())
        answer, _, body = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.close()
    if not answer.startswith(b"HTTP/1.1 200"):
        raise ValueError(f"answered {answer[:40]!r}")
    return (gzip.decompress(body) if b"content-encoding: gzip" in answer.lower() else body).decode()


async def parts_of_page(port: int, path: str) -> str:
    """Return the versions of parts that the page sends to its stream."""
    versions = STREAM_VERSION.findall(await fetch(port, path, is_part=False))
    return urlencode([("have", ".".join(part)) for part in versions])


async def hold_streams(port: int, paths: list[str]) -> None:
    """Role of a process: hold streams open until the input ends, then print the results."""
    from tests.system.readers import Reader, until_open

    readers = [Reader(port, path) for path in paths]
    try:
        await until_open(readers, OPEN_S)
    except (AssertionError, TimeoutError) as error:
        print(f"not all streams opened: {type(error).__name__}: {error}", flush=True)
    else:
        failures: collections.Counter[str] = collections.Counter()
        pages = [reader for reader in readers if reader.path.startswith("/tournaments/")]
        followers = [asyncio.create_task(follow_stream(port, reader, failures)) for reader in pages]
        print("open", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        failures["a stream ended"] += sum(not reader.is_open for reader in readers)
        failures["a stream told of nothing"] += sum(reader.messages < 2 for reader in readers)
        failures["a page stopped following"] += sum(task.done() for task in followers)
        for task in followers:
            task.cancel()
        print(json.dumps(+failures), flush=True)
    for reader in readers:
        await reader.close()


@contextmanager
def start_role(*args: str, env: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, __file__, *args], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        try:
            yield started
        finally:
            for number in (signal.SIGTERM, signal.SIGKILL):
                if started.poll() is None:
                    started.send_signal(number)
                    with suppress(subprocess.TimeoutExpired):
                        started.wait(END_S)


def line_from(started: subprocess.Popen[str], patience_s: float) -> str:
    """Return the next line of the process; empty after ``patience_s`` or at its end."""
    assert started.stdout is not None
    ready, _, _ = select.select([started.stdout], [], [], patience_s)
    return started.stdout.readline().strip() if ready else ""


def worker_results(worker: subprocess.Popen[str], samples: Samples, is_over: threading.Event) -> None:
    assert worker.stdout is not None
    phase = samples.phase
    for line in worker.stdout:
        try:
            seconds, failure = json.loads(line)
        except ValueError:
            samples.fail(f"worker: wrote {line[:80]!r}")
            continue
        if failure:
            samples.fail(failure)
        else:
            samples.add(phase, "worker", seconds)
        phase = samples.phase
    if not is_over.is_set():
        samples.fail("worker: ended by itself")


def with_readers(
    port: int, streams: list[str], env: dict[str, str], samples: Samples, phase: Callable[[str], None]
) -> None:
    with start_role("--read", str(port), *streams, env=env) as readers:
        first_line = line_from(readers, 2 * OPEN_S)
        if first_line != "open":
            samples.fail(f"readers: {first_line or 'first_line nothing'}")
            return
        phase("with")
        assert readers.stdin is not None
        readers.stdin.close()
        try:
            samples.failures.update(json.loads(line_from(readers, END_S)))
            samples.asked += samples.failures.pop(PAGE_REQUEST, 0)
        except ValueError:
            samples.fail("readers: did not say what came of them")
        with suppress(subprocess.TimeoutExpired):
            readers.wait(END_S)


def measure(options: argparse.Namespace, folder: Path) -> tuple[list[Row], collections.Counter[str]]:
    import psycopg

    from arena.settings.database import DEFAULT_POOL_SIZE
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
        have = asyncio.run(parts_of_page(site.port, paths["page"]))
        streams = [f"{paths['page']}/events?{have}", "/api/v1/events"]
        reader_streams = [streams[number % 2] for number in range(options.readers)]
        is_over = threading.Event()

        def watch() -> None:
            while not is_over.wait(0.5):
                try:
                    most["connections"] = max(most["connections"], site.connections())
                    most["threads"] = max(most["threads"], site.threads())
                except (OSError, psycopg.Error) as error:
                    samples.fail(f"count of connections and threads: {type(error).__name__}: {error}")

        def phase(name: str) -> None:
            time.sleep(SETTLE_S)
            samples.phase = name
            time.sleep(options.seconds)
            samples.phase = ""

        with start_role("--work", event, env=site.env) as worker:
            threads = [
                threading.Thread(target=poll_paths, args=(site.port, paths, samples, is_over)),
                threading.Thread(target=worker_results, args=(worker, samples, is_over)),
                threading.Thread(target=watch),
            ]
            first = PollingClient(site.port, samples)
            for path in paths.values():
                # Warm up, so that no first request is measured.
                first.ask(path)
            first.close()
            for thread in threads:
                thread.start()
            try:
                for _ in range(options.rounds):
                    phase("without")
                    with_readers(site.port, reader_streams, site.env, samples, phase)
                    phase("after")
            finally:
                is_over.set()
                if worker.stdin is not None:
                    worker.stdin.close()
                for thread in threads:
                    thread.join(2 * REQUEST_S)
    rows = [samples.row(name) for name in (*paths, "worker")]
    limit = DEFAULT_POOL_SIZE + WORKER_CONNECTIONS
    rows.append(Row("most connections", {"": most["connections"]}, *at_most(most["connections"], limit)))
    rows.append(Row("most threads of the web process", {"": most["threads"]}))
    failed = samples.failures.total()
    rows.append(Row("failures", {"": failed}, *at_most(failed, 0)))
    rows.append(Row("fetches of what a stream did not bring", {"": samples.asked}))
    return rows, samples.failures


def main() -> int:
    if sys.argv[1:2] == ["--work"]:
        run_worker()
    if sys.argv[1:2] == ["--read"]:
        asyncio.run(hold_streams(int(sys.argv[2]), sys.argv[3:]))
        return 0
    parser = arguments(__doc__, rounds=3)
    parser.add_argument("--readers", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=12, help="of each phase")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as folder:
        try:
            rows, failures = measure(options, Path(folder))
        except (AssertionError, OSError, RuntimeError, subprocess.SubprocessError) as error:
            print(f"nothing measured: {type(error).__name__}: {error}", file=sys.stderr)
            return 1
    for failure, count in failures.most_common(MAX_NAMED_FAILURES):
        print(f"{count} times {failure}", file=sys.stderr)
    return report(f"{options.readers} readers, p50 / p95 in ms", rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
