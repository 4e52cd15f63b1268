"""What a commit that is held for two minutes does to those who hear of events: streams and webhooks.

On PostgreSQL alone: a server with the right to create databases, named by DATABASE_URL. In a database of its
own, dropped afterwards, one connection writes an event and holds its transaction open. Others write four
events a second; eight programs follow the stream of a real web process over HTTP, and events are queued for
a webhook once a second. Measured is the time from an event's commit until each has it.

    DATABASE_URL=postgres://... .venv/bin/python benchmarks/bench_late_commit.py
    ... --seconds 10    a shorter hold

Bars: nothing lost, nothing twice, everything in order, and no event of the others later than 2 s.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BAR_S = 2.0
STREAMS = 8
PAUSE_S = 0.25
"""Between two events of the others."""
QUEUE_S = 1.0
"""Between two looks of the webhooks; the tick looks every ten seconds, which is no stall but its rhythm."""
MARGIN_S = 4.0
"""Events are written this long before and after the hold."""
START_S = 60.0
LATE = 0
"""Number of the event whose commit is held."""


class Heard:
    """When which event reached one listener, by its number, and in which order of ids."""

    def __init__(self) -> None:
        self.at: dict[int, float] = {}
        self.ids: list[int] = []
        self.twice = 0

    def take(self, number: int, event_id: int, at: float) -> None:
        """Note one event."""
        self.twice += number in self.at
        self.at.setdefault(number, at)
        self.ids.append(event_id)


def main() -> int:
    """Measure, or say what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120.0, help="how long the commit is held")
    options = parser.parse_args()
    given = os.environ.get("DATABASE_URL", "")
    if not given.startswith("postgres"):
        print("skipped: set DATABASE_URL to a PostgreSQL server; SQLite has one writer at a time")
        return 0
    with postgresql(given) as address, tempfile.TemporaryDirectory(prefix="rensho-bench-") as data:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "arena.settings.base",
            "DATABASE_URL": address,
            "RENSHO_DATA": data,
            "RENSHO_LOG_LEVEL": "ERROR",
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "platform")]),
            "WEBHOOK_ALLOW_PRIVATE": "1",
        }
        sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
        return measured(options.seconds)


@contextlib.contextmanager
def postgresql(address: str) -> Iterator[str]:
    """A database of its own on this server, dropped at the end."""
    import psycopg

    name = f"rensho_bench_{os.getpid()}"
    base, _, _ = address.rpartition("/")
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"'.encode())
        try:
            yield f"{base}/{name}"
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


@contextlib.contextmanager
def web_process() -> Iterator[str]:
    """Address of a web process as `manage.py up` starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    argv = [sys.executable, "-m", "uvicorn", "arena.asgi:application", "--host", "127.0.0.1"]
    argv += ["--port", str(port), "--log-level", "warning", "--timeout-graceful-shutdown", "3"]
    server = subprocess.Popen(argv, cwd=ROOT)
    try:
        until = time.monotonic() + START_S
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            if server.poll() is not None or time.monotonic() > until:
                raise SystemExit("the web process did not start")
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def measured(held_s: float) -> int:
    """Write, hold, listen, and print what came of it."""
    import django

    django.setup()
    from django.core.management import call_command

    from arena.accounts.models import User
    from arena.competition.services import tournament_create, tournament_open
    from arena.webhooks.fanout import deliveries_queue
    from arena.webhooks.services import webhook_create

    call_command("migrate", verbosity=0)
    organiser = User.objects.create(username="organiser", is_organiser=True)
    tournament = tournament_create(organiser, name="Cup", preset="kakeya4")
    tournament_open(tournament, organiser)
    webhook, _ = webhook_create(organiser, url="http://127.0.0.1:9/hook", kinds=["round.closed"])
    deliveries_queue()
    committed: dict[int, float] = {}
    heard = [Heard() for _ in range(STREAMS)]
    is_over = threading.Event()
    with web_process() as address:
        begun = threading.Barrier(STREAMS + 1)
        for listener in heard:
            start(follow, address, listener, begun)
        begun.wait(START_S)
        queueing = start(queue, is_over)
        holding = start(hold, tournament, held_s, committed)
        number = LATE
        until = time.monotonic() + MARGIN_S + held_s + MARGIN_S
        while time.monotonic() < until:
            number += 1
            write(tournament, number)
            committed[number] = time.time()
            time.sleep(PAUSE_S)
        holding.join()
        time.sleep(MARGIN_S)
        is_over.set()
        queueing.join()
    delivered = Heard()
    for delivery in webhook.deliveries.order_by("event"):
        body = json.loads(delivery.payload)
        delivered.take(body["data"]["number"], body["id"], delivery.created_at.timestamp())
    print(f"{number} events of others and one whose commit was held for {held_s:.0f} s; {STREAMS} streams")
    status = report("streams", heard, committed)
    return max(status, report("webhook", [delivered], committed))


def start(work: Any, *values: Any) -> threading.Thread:
    """A thread that does it."""
    thread = threading.Thread(target=work, args=values, daemon=True)
    thread.start()
    return thread


def write(tournament: Any, number: int) -> None:
    """One event, committed at once unless a transaction is open."""
    from arena.accounts.events import event_add

    event_add("round.closed", tournament, tournament=tournament.public_id, number=number)


def hold(tournament: Any, held_s: float, committed: dict[int, float]) -> None:
    """Write an event and hold its transaction open."""
    from django.db import transaction

    time.sleep(MARGIN_S)
    with transaction.atomic():
        write(tournament, LATE)
        time.sleep(held_s)
    committed[LATE] = time.time()


def queue(is_over: threading.Event) -> None:
    """Turn events into deliveries until it is over, and once more."""
    from arena.webhooks.fanout import deliveries_queue

    while not is_over.wait(QUEUE_S):
        deliveries_queue()
    deliveries_queue()


def follow(address: str, heard: Heard, begun: threading.Barrier) -> None:
    """Listen to the stream until the server ends."""
    import httpx

    query = {"kinds": "round.closed"}
    headers = {"Accept": "text/event-stream"}
    with (
        contextlib.suppress(httpx.HTTPError),
        httpx.stream("GET", f"{address}/api/v1/events", params=query, headers=headers, timeout=60) as answer,
    ):
        answer.raise_for_status()
        lines = answer.iter_lines()
        next(line for line in lines if line.startswith("id: "))
        begun.wait(START_S)
        for line in lines:
            if line.startswith("data: "):
                body = json.loads(line.removeprefix("data: "))
                heard.take(body["data"]["number"], body["id"], time.time())


def report(name: str, listeners: list[Heard], committed: dict[int, float]) -> int:
    """Print what was lost, doubled, out of order, and late; 0 if the bars are kept."""
    lost = sum(len(committed.keys() - listener.at.keys()) for listener in listeners)
    twice = sum(listener.twice for listener in listeners)
    disordered = sum(listener.ids != sorted(listener.ids) for listener in listeners)
    waits = {
        number: max(listener.at[number] - at for listener in listeners if number in listener.at)
        for number, at in committed.items()
        if any(number in listener.at for listener in listeners)
    }
    late = waits.pop(LATE, float("inf"))
    longest = max(waits.values(), default=float("inf"))
    is_ok = not lost and not twice and not disordered and longest <= BAR_S
    print(
        f"{'ok' if is_ok else 'MISSED'}: {name}: {lost} lost, {twice} twice, {disordered} out of order; "
        f"longest stall of the others {longest:.2f} s (bar {BAR_S:.0f} s); "
        f"the late one {late:.2f} s after its commit"
    )
    return 0 if is_ok else 1


if __name__ == "__main__":
    sys.exit(main())
