"""What a person waits for at a table with bots, with ten tables at once.

    python benchmarks/bench_play.py [--tables 10] [--deals 1] [--think 0.4] [--json]

Starts a data folder of its own with SQLite and Valkey, and the service of play in a process of its own with
its bots in the real sandbox. Scripted persons, each at a table of one of the presets, play twice:

``services``  through ``arena.play.services`` and the hub of ``arena.play.live``, in this process
``http``      as guests of ``manage.py serve`` in a process of its own, by pages, forms and event streams

All begin once every table has its bots. For each action: the time from the call of ``act``, or from sending
its form, to the first event with a new position (``answered``), and to that of the position in which the
person is asked again or the deal is over, less the time in which the table's bots were asked (``delivered``).
p50, p95 and the longest, in milliseconds.

Status 0 if all four p95 are below 100 ms and every deal was played to its end.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.play.person import Person
    from referee.contract import SeatOrder, TableOrder
    from referee.driver import Driver, DriverReport, Reply

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

from benchmarks.play_over_http import Wait, guest_plays  # noqa: E402

BAR_MS = 100.0
MEASURED = ("answered_ms", "delivered_ms")
CHOICES = (
    {"preset": "kakeya4"},
    {"preset": "kakeya6"},
    {"preset": "kakkuri", "seats": 4},
    {"preset": "etori.meiji"},
    {"preset": "kakeya4.league", "opponents": "rules"},
)
PATIENCE_S = 180.0
GENEROUS = {"RENSHO_RATE_PLAY_GUESTS": "100000/s", "RENSHO_PLAY_CPU_S": "100000"}
"""All guests come from one address here."""


class Timed:
    """A driver that notes when its bot was asked: table, begin and end in seconds of the monotonic clock."""

    asked: list[tuple[str, float, float]] = []

    def __init__(self, inner: Driver, table: str) -> None:
        self._inner = inner
        self._table = table

    @property
    def is_alive(self) -> bool:
        """See ``Driver``."""
        return self._inner.is_alive

    def start(self) -> None:
        """See ``Driver``."""
        self._inner.start()

    def post(self, line: bytes) -> None:
        """See ``Driver``."""
        self._inner.post(line)

    def collect(self, *, cpu_limit_ms: float, wall_limit_ms: float) -> Reply:
        """See ``Driver``."""
        began = time.monotonic()
        try:
            return self._inner.collect(cpu_limit_ms=cpu_limit_ms, wall_limit_ms=wall_limit_ms)
        finally:
            self.asked.append((self._table, began, time.monotonic()))

    def log_tail(self) -> bytes:
        """See ``Driver``."""
        return self._inner.log_tail()

    def close(self) -> DriverReport:
        """See ``Driver``."""
        return self._inner.close()


def serve(notes: Path) -> None:
    """The service, until SIGTERM; then the times of its bots as JSON."""
    import threading

    from arena.jobs.readiness import readiness_find
    from arena.play.runner.drivers import sandboxed
    from arena.play.runner.service import Service

    def make(order: TableOrder, seat: SeatOrder) -> Driver:
        return Timed(sandboxed(order, seat), order.table)

    found = readiness_find()
    if not found.is_ready:
        raise SystemExit(found.refusal)
    service = Service(make)
    signal.signal(signal.SIGTERM, lambda number, frame: service.stop())
    thread = threading.Thread(target=service.run)
    thread.start()
    while thread.is_alive():
        thread.join(0.5)
    notes.write_text(json.dumps(Timed.asked))


def prepare() -> None:
    """An installation with checked house bots."""
    from django.core.management import call_command
    from django.db.models import F

    from arena.operations.house import house_bots_submit
    from arena.roster.models import Bot, BotVersion

    call_command("migrate", interactive=False, verbosity=0)
    house_bots_submit()
    BotVersion.objects.update(state=BotVersion.State.READY)
    for version in BotVersion.objects.annotate(owner=F("bot_id")):
        Bot.objects.filter(pk=version.bot_id).update(active_version=version)


async def person_plays(number: int, think_s: float, waits: list[Wait], ready: asyncio.Barrier) -> str:
    """One deal; appends table, call, first and last moment of each action. Returns the end's state."""
    from asgiref.sync import sync_to_async

    from arena.common.serving import EventStream
    from arena.play import live, services
    from arena.play.models import CasualTable
    from arena.play.person import Person
    from arena.play.position import Seen, seen
    from arena.streams.places import Caller

    rng = random.Random(number)
    person: Person = Person(None, f"guest {number}", f"192.0.2.{number}")
    choice: dict[str, Any] = dict(CHOICES[number % len(CHOICES)])

    def opened() -> CasualTable:
        return services.open_table(person, **choice)

    def position(pk: int) -> tuple[CasualTable, Seen]:
        table = CasualTable.objects.get(pk=pk)
        return table, seen(table)

    def act(public_id: str, n: int, action: str) -> None:
        services.act(person, public_id, n, action)

    table = await sync_to_async(opened, thread_sensitive=False)()
    caller = Caller(None, person.address)
    stream: EventStream = live.hub.stream(live.Listener(live.tables, caller, table, 0, None))
    asked: tuple[float, float | None] | None = None
    is_first = True
    arrived: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def receive() -> None:
        async for piece in stream:
            arrived.put_nowait((time.monotonic(), piece))

    receiving = asyncio.create_task(receive())
    while True:
        # When it came, not when the script of the person before got round to it.
        now, piece = await arrived.get()
        if not piece.startswith(b"id: ") and b"event: state" not in piece:
            continue
        table, at = await sync_to_async(position, thread_sensitive=False)(table.pk)
        if asked is not None and b"event: at" in piece:
            called, first = asked
            asked = (called, first if first is not None else now)
            is_newest = int(piece[4 : piece.index(b"\n")]) == at.n
            if is_newest and (at.is_mine or at.is_over):
                waits.append((f"play-{table.public_id}", called, asked[1] or now, now))
                asked = None
        if not table.is_active:
            receiving.cancel()
            stream.leave()
            return str(table.state)
        if asked is None and at.is_mine:
            if is_first:
                is_first = False
                await ready.wait()
            await asyncio.sleep(think_s * (0.5 + rng.random()))
            asked = (time.monotonic(), None)
            await sync_to_async(act, thread_sensitive=False)(table.public_id, at.n, rng.choice(at.legal))


async def persons_play(tables: int, deals: int, think_s: float, port: int) -> tuple[list[Wait], list[str]]:
    """So many persons at once, each so many deals one after the other; over HTTP if there is a port."""
    waits: list[Wait] = []
    ends: list[str] = []
    for deal in range(deals):
        ready = asyncio.Barrier(tables)
        numbers = [1 + number + deal * tables for number in range(tables)]
        begun = [
            guest_plays(number, port, _as_form(CHOICES[number % len(CHOICES)]), think_s, waits, ready)
            if port
            else person_plays(number, think_s, waits, ready)
            for number in numbers
        ]
        ends += await asyncio.wait_for(asyncio.gather(*begun), PATIENCE_S)
    return waits, ends


def _as_form(choice: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in choice.items()}


def site_start(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """The web server of the data folder, once it listens, and its port.

    Raises:
        RuntimeError: it does not start.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    command = [sys.executable, str(ROOT / "manage.py"), "serve", "--port", str(port)]
    process = subprocess.Popen(command, env={**os.environ, **GENEROUS}, stdout=subprocess.DEVNULL)
    for _ in range(600):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return process, port
        if process.poll() is not None:
            break
        time.sleep(0.1)
    process.kill()
    raise RuntimeError("the web server does not start")


def figures(values: list[float]) -> dict[str, float]:
    """In milliseconds."""
    ordered = sorted(1000 * value for value in values)
    p95 = statistics.quantiles(ordered, n=20)[-1]
    return {"p50": statistics.median(ordered), "p95": p95, "most": ordered[-1]}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a person waits for at a table with bots.")
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--deals", type=int, default=1)
    parser.add_argument("--think", type=float, default=0.4, help="seconds a person thinks, on average")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = Path(os.environ.get("RENSHO_DATA") or tempfile.mkdtemp(prefix="rensho-bench-play-"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.base")
    os.environ.setdefault("RENSHO_LOG_LEVEL", "WARNING")
    os.environ["RENSHO_DATA"] = str(folder)
    import django

    django.setup()
    if options.serve:
        serve(options.serve)
        return 0
    from django.conf import settings

    from arena.operations.broker import broker_argv, broker_binary_find, broker_wait

    prepare()
    notes = folder / "asked.json"
    processes = [
        subprocess.Popen(
            broker_argv(broker_binary_find(), folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    ]
    ways: dict[str, tuple[list[Wait], list[str]]] = {}
    try:
        broker_wait(settings.REDIS_URL, 15.0)
        service = subprocess.Popen([sys.executable, __file__, "--serve", str(notes)])
        processes.append(service)
        ways["services"] = asyncio.run(persons_play(options.tables, options.deals, options.think, 0))
        site, port = site_start(folder)
        processes.append(site)
        ways["http"] = asyncio.run(persons_play(options.tables, options.deals, options.think, port))
        service.terminate()
        service.wait(60)
        asked = json.loads(notes.read_text())
    finally:
        for process in reversed(processes):
            if process.poll() is None:
                process.terminate()
                process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)
    found = {"tables": options.tables, "bar_ms": BAR_MS} | {
        way: measured(waits, ends, asked) for way, (waits, ends) in ways.items()
    }
    print(json.dumps(found) if options.json else text_of(found, list(ways)))
    p95s = [found[way][name]["p95"] for way in ways for name in MEASURED]
    return 0 if max(p95s) < BAR_MS and all({*ends} == {"over"} for _, ends in ways.values()) else 1


def measured(waits: list[Wait], ends: list[str], asked: list[list[Any]]) -> dict[str, Any]:
    """The figures of one way. ``asked``: table, begin and end of each question to a bot."""
    delivered = []
    for table, called, _, last in waits:
        own = sum(
            max(0.0, min(end, last) - max(begin, called)) for name, begin, end in asked if name == table
        )
        delivered.append(last - called - own)
    return {
        "actions": len(waits),
        "ends": {state: ends.count(state) for state in sorted(set(ends))},
        "answered_ms": figures([first - called for _, called, first, _ in waits]),
        "delivered_ms": figures(delivered),
    }


def text_of(found: dict[str, Any], ways: list[str]) -> str:
    """The same as lines to read."""
    lines = []
    for way in ways:
        of = found[way]
        lines.append(f"{way}: {found['tables']} tables at once, {of['actions']} actions; {of['ends']}")
        for name in MEASURED:
            figured = "  ".join(f"{key} {value:6.1f} ms" for key, value in of[name].items())
            lines.append(f"{name.removesuffix('_ms'):>10}  {figured}")
    lines.append(f"bar: p95 below {found['bar_ms']:.0f} ms, bots' own time taken off")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
