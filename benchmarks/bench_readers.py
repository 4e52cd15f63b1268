"""What many readers of event streams cost everybody else, on PostgreSQL as it comes.

    python benchmarks/bench_readers.py [--readers 300] [--seconds 12] [--rounds 3] [--json]

Starts a PostgreSQL server of its own with the default 100 connections (as an ordinary user; root starts it
as ``nobody``), fills it with ``benchmarks.seeding``, and starts the web process as the unit does. Then
phases without and with readers take turns: half of them follow a tournament's page as its script does, nobody
signed in, and fetch what the stream does not bring; half follow the log of the API, all from one address of
loopback, and every second the tournament changes and an event is logged for them. In the phases without, it
changes as often.

Meanwhile one caller asks for the page, for standings and the list, for an end point of the API and for
``/metrics`` in turn, at an even pace, and another process makes the queries of a worker: a sign of life, a
heartbeat of a table, and a new connection as the worker's main process needs one. p50 and p95 in
milliseconds, all phases of a kind together, each request in the phase in which it began; ``after`` are the
phases after the readers left. Also shown: most connections to the server at any moment, and most threads
of the web process.

Status 0 if with readers no p95 is more than twice that without, nor after they left; if no request, query or
stream failed; and if the connections stayed within the pool's and the worker's share. Whatever fails is
counted, and named at the end. Nothing is waited for without end.
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
"""Of the caller and the worker, from one request or query to the next."""
CONNECT_INTERVAL_S = 2.5
"""From a message that does not bring all to the fetch, at least (live.js)."""
PAGE_REQUEST = "a page asked"
"""Is counted with the failures, but none."""
CHECK_INTERVAL_S = 0.5
"""Between two looks of a reader at what its stream brought."""
STREAM_VERSION = re.compile(r'name="have" value="([a-z]+)\.([0-9a-f]+)"')
SETTLE_S = 2.0
"""From the start of a phase to its first measurement."""
REQUEST_S = 30.0
"""A request without an answer by then has failed."""
OPEN_S = 60.0
"""All streams are open by then, or that has failed."""
END_S = 15.0
"""And so long a process may take to end."""
MAX_NAMED_FAILURES = 10
"""Kinds of failures named at the end."""
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


class Samples:
    """Times by phase and name, and what went wrong."""

    def __init__(self) -> None:
        self.phase = ""
        self.times_ms: dict[tuple[str, str], list[float]] = {}
        self.failures: collections.Counter[str] = collections.Counter()
        self.asked = 0
        """How often a page that follows the tournament had to ask for what its stream did not bring."""

    def add(self, phase: str, name: str, seconds: float) -> None:
        """A measurement that began in this phase, if in any."""
        if phase:
            self.times_ms.setdefault((phase, name), []).append(1000 * seconds)

    def fail(self, what: str) -> None:
        """Count a failure."""
        self.failures[what] += 1

    def row(self, name: str) -> Row:
        """All phases of one kind of request, p50 / p95 in ms; nothing where none was answered."""
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
    """One client that asks again and again, and counts what fails."""

    def __init__(self, port: int, samples: Samples) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=REQUEST_S)
        self._samples = samples

    def ask(self, path: str) -> float | None:
        """Seconds until the whole answer was there; None if there was none, or another than 200."""
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
        """Go away."""
        self._connection.close()


def poll_paths(port: int, paths: dict[str, str], samples: Samples, is_over: threading.Event) -> None:
    """Ask for each path in turn until told to stop."""
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
    """In a process of its own: a worker's queries until the input ends, one line of JSON each."""
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
    shown = Table.objects.filter(tournament=event, fixture__board_set__state=BoardSet.State.OPEN)
    assert shown.exists(), "no round of the event is being played"
    shown = Table.objects.filter(pk__in=list(shown.order_by("pk").values_list("pk", flat=True)[:3]))
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
                # Something that its page shows.
                turn += 1
                shown.update(boards_done=turn % 2)
                tournament_touch(event)
                event_add("round.opened", event, tournament=event.public_id)
        except DatabaseError as error:
            failure = f"worker: {type(error).__name__}: {error}"
            connection.close()
        print(json.dumps([spent, failure]), flush=True)
        time.sleep(PAUSE_S)


async def follow_stream(port: int, reader: Reader, failures: collections.Counter[str]) -> None:
    """Do as the script of a page does: take the parts that the stream brings, fetch what it does not."""
    have = set(parse_qs(urlsplit(reader.path).query)["have"])
    seen = 0
    while True:
        await asyncio.sleep(CHECK_INTERVAL_S)
        if reader.messages == seen:
            continue
        is_next, seen = reader.messages == seen + 1, reader.messages
        data = json.loads(reader.data)
        brought = STREAM_VERSION.findall(data.get("html", ""))
        have = {part for part in have if part.partition(".")[0] not in dict(brought)}
        have |= {".".join(part) for part in brought}
        # A page misses no message; this reader, which looks now and then, may.
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
    """The text of one answer.

    Raises:
        ValueError: it is no 200.
    """
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
    """What the page tells its stream that it has."""
    found = STREAM_VERSION.findall(await fetch(port, path, is_part=False))
    return urlencode([("have", ".".join(part)) for part in found])


async def hold_streams(port: int, paths: list[str]) -> None:
    """In a process of its own: hold streams open until the input ends; says what came of them."""
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
    """This file in another role, ended afterwards: by the end of its input, or by a signal."""
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
    """The next line it writes, which it writes alone; empty if none comes in time, or it has ended."""
    assert started.stdout is not None
    ready, _, _ = select.select([started.stdout], [], [], patience_s)
    return started.stdout.readline().strip() if ready else ""


def worker_results(worker: subprocess.Popen[str], samples: Samples, is_over: threading.Event) -> None:
    """Take what the worker measures."""
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
    """One phase beside readers of these streams; none if they cannot be opened."""
    with start_role("--read", str(port), *streams, env=env) as readers:
        said = line_from(readers, 2 * OPEN_S)
        if said != "open":
            samples.fail(f"readers: {said or 'said nothing'}")
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
    """All phases on one installation: the figures, and what failed how often."""
    import psycopg

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
        have = asyncio.run(parts_of_page(site.port, paths["page"]))
        streams = [f"{paths['page']}/events?{have}", "/api/v1/events"]
        wanted = [streams[number % 2] for number in range(options.readers)]
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
                # So that nothing measured is the first of its kind.
                first.ask(path)
            first.close()
            for thread in threads:
                thread.start()
            try:
                for _ in range(options.rounds):
                    phase("without")
                    with_readers(site.port, wanted, site.env, samples, phase)
                    phase("after")
            finally:
                is_over.set()
                if worker.stdin is not None:
                    worker.stdin.close()
                for thread in threads:
                    thread.join(2 * REQUEST_S)
    rows = [samples.row(name) for name in (*paths, "worker")]
    limit = POOL + WORKER_CONNECTIONS
    rows.append(Row("most connections", {"": most["connections"]}, *at_most(most["connections"], limit)))
    rows.append(Row("most threads of the web process", {"": most["threads"]}))
    failed = samples.failures.total()
    rows.append(Row("failures", {"": failed}, *at_most(failed, 0)))
    rows.append(Row("fetches of what a stream did not bring", {"": samples.asked}))
    return rows, samples.failures


def main() -> int:
    """Measure and print; status 1 if a bar is missed."""
    if sys.argv[1:2] == ["--work"]:
        run_worker()
    if sys.argv[1:2] == ["--read"]:
        asyncio.run(hold_streams(int(sys.argv[2]), sys.argv[3:]))
        return 0
    parser = arguments(__doc__, rounds=3)
    parser.add_argument("--readers", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=12, help="of each phase")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as folder:
        try:
            rows, failures = measure(wanted, Path(folder))
        except (AssertionError, OSError, RuntimeError, subprocess.SubprocessError) as error:
            print(f"nothing measured: {type(error).__name__}: {error}", file=sys.stderr)
            return 1
    for failure, count in failures.most_common(MAX_NAMED_FAILURES):
        print(f"{count} times {failure}", file=sys.stderr)
    return report(f"{wanted.readers} readers, p50 / p95 in ms", rows, as_json=wanted.json)


if __name__ == "__main__":
    sys.exit(main())
