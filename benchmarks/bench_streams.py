"""Time until the readers of event streams receive a change, while workers play tables.

    python -m benchmarks.bench_streams [--readers 300] [--boards 10] [--entries 12] [--json]

Real processes: PostgreSQL, which writes through to the disk, Valkey, two workers of two processes, the
worker of the tick, beat, and the web server. While they play a league, half of the readers follow the
event's page as its script does, and the other half its log in the API, all from another process.

- log: from the time of an event, which is before its commit, until a reader receives it.
- page: from the time at which a poll of the database every ``POLL_S`` first sees a version of the event
  until a reader receives this version or a later one.

p50 and p95 in seconds over all readers and changes from the start of the event until its last report.
Status 0 if both p95 are at most 2 s, and all readers received everything.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from benchmarks.bench_platform import Site, event_lock, event_play, installed, versions_make
from benchmarks.bench_play import site_start
from benchmarks.bench_readers import parts_of_page
from benchmarks.harness import ROOT, Row, arguments, at_most, positive, report

BAR_S = 2.0
POLL_S = 0.02
OPEN_S = 60.0
END_S = 5.0
"""Time after the end of the event for the last messages."""
MAX_BYTES = 400
"""Stored bytes of a message: the version of a page is at its start."""
Arrivals = list[tuple[float, str]]
"""Time and data of each message that a reader received."""


async def read_streams(port: int, paths: Sequence[str]) -> None:
    """Role of a process: follow streams until the input ends, then print the arrivals of each as JSON."""
    from tests.system.readers import Reader, until_open

    arrivals: list[Arrivals] = [[] for _ in paths]

    def follow(path: str, received: Arrivals) -> Reader:
        return Reader(port, path, lambda data: received.append((time.time(), data[:MAX_BYTES].decode())))

    readers = [follow(path, received) for path, received in zip(paths, arrivals, strict=True)]
    await until_open(readers, OPEN_S)
    print("open", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(json.dumps(arrivals), flush=True)
    for reader in readers:
        await reader.close()


@contextmanager
def readers_started(port: int, paths: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    argv = [sys.executable, "-m", "benchmarks.bench_streams", "--read", str(port), *paths]
    with subprocess.Popen(
        argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline().strip() != "open":
                raise SystemExit("the streams do not open")
            yield process
        finally:
            process.kill()


def versions_watch(event_pk: int, first_times: dict[str, float], is_over: threading.Event) -> None:
    """Record when each version of the event is first seen."""
    from django.db import connection

    from arena.matches.changes import change_of

    while not is_over.wait(POLL_S):
        change = change_of(event_pk)
        assert change is not None
        first_times.setdefault(change.version, time.time())
    connection.close()


def page_delays(received: Arrivals, first_times: dict[str, float]) -> list[float]:
    """Return the seconds from each version to the first message with it or a later one. A version without
    such a message has an infinite delay.
    """
    order = {version: number for number, version in enumerate(first_times)}
    arrived = {
        order[version]: time_s for time_s, text in reversed(received) if (version := _version(text)) in order
    }
    delays, next_s = [], float("inf")
    for number, time_s in reversed(list(enumerate(first_times.values()))):
        next_s = arrived.get(number, next_s)
        delays.append(next_s - time_s)
    return delays


def _version(text: str) -> str:
    return text.partition('"version":"')[2].partition('"')[0]


def log_delays(received: Arrivals, events: dict[int, float]) -> list[float]:
    """Return the seconds from each of these events, by id, to its message, infinite without one."""
    arrived = {int(text.removeprefix('{"id":').partition(",")[0]): time_s for time_s, text in received}
    return [arrived.get(pk, float("inf")) - time_s for pk, time_s in events.items()]


def measure(options: argparse.Namespace) -> list[Row]:
    with ExitStack() as stack:
        server_id = stack.enter_context(installed("postgresql"))
        from django.utils import timezone

        from arena.accounts.models import Event

        versions = versions_make(options.entries)
        site = Site(stack, workers=2, processes=2, postgres=server_id)
        web, port = site_start()
        stack.callback(web.wait)
        stack.callback(web.terminate)
        site.wait(2)
        event_play(event_lock(versions, options.boards))  # bundles are staged, caches are warm
        event = event_lock(versions, options.boards)
        page = f"/tournaments/{event.public_id}"
        streams = (f"{page}/events?{asyncio.run(parts_of_page(port, page))}", "/api/v1/events")
        first_times: dict[str, float] = {}
        is_over = threading.Event()
        watcher = threading.Thread(target=versions_watch, args=(event.pk, first_times, is_over))
        began = timezone.now()
        with readers_started(port, [streams[n % 2] for n in range(options.readers)]) as readers:
            watcher.start()
            played = event_play(event)
            time.sleep(END_S)
            is_over.set()
            watcher.join()
            output, _ = readers.communicate()
        arrivals: list[Arrivals] = json.loads(output)
        events = Event.objects.filter(created_at__gte=began, tournament=event.public_id, user=None)
        times = {pk: created_at.timestamp() for pk, created_at in events.values_list("pk", "created_at")}
    delays = {
        "page": [delay for received in arrivals[::2] for delay in page_delays(received, first_times)],
        "log": [delay for received in arrivals[1::2] for delay in log_delays(received, times)],
    }
    rows = [
        Row("tables per hour", {"": 3600 * played.tables / played.seconds}),
        Row("changes", {"": len(first_times)}),
        Row("events", {"": len(times)}),
    ]
    for name, values in delays.items():
        p95 = sorted(values)[int(0.95 * (len(values) - 1))]
        cells: dict[str, float | str] = {"p50": statistics.median(values), "p95": p95, "max": max(values)}
        rows.append(Row(name, cells, *at_most(p95, BAR_S)))
        rows.append(Row(f"{name}, not received", {"": values.count(float("inf"))}))
    return rows


def main() -> int:
    if sys.argv[1:2] == ["--read"]:
        asyncio.run(read_streams(int(sys.argv[2]), sys.argv[3:]))
        return 0
    parser = arguments(__doc__)
    parser.add_argument("--readers", type=positive, default=300)
    parser.add_argument("--boards", type=positive, default=10, help="boards a table")
    parser.add_argument("--entries", type=positive, default=12)
    options = parser.parse_args()
    return report(f"{options.readers} readers, seconds", measure(options), as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
