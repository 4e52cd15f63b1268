"""What a person waits for at a table with bots, with ten tables at once.

    python benchmarks/bench_play.py [--tables 10] [--deals 1] [--think 2.0] [--way services|http] [--json]

Starts a data folder of its own with SQLite and Valkey, and the service of play in a process of its own with
its bots in the real sandbox. Scripted persons, each at a table of one of the presets, play twice:

``services``  through ``arena.play.services`` and the hub of ``arena.play.live``, in this process
``http``      as guests of ``manage.py serve`` in a process of its own, by pages, forms and event streams

All begin once every table has its bots. A person is asked, thinks for between half and one and a half times
``--think`` seconds, and chooses; 0 is the worst case, of ten who choose the moment they are asked. For each
move, in milliseconds (p50, p95, p99, the longest):

``answer``   from the call of ``act``, or from sending its form, to its return or the answer
``first``    to the first event with a new position
``all``      to the event of the position in which the person is asked again, or the deal is over
``own``      the same, less the time in which the table's bots were asked: what has the bar

and the parts of ``all``: ``request``, until the choice is with the table's thread; ``table``, until the last
position is stored, without ``bots``, in which a bot was asked; ``stream``, from there to the person.

Then the CPU time that each process used for a move, everything else of it included, and how many cores were
in use altogether: what others use of the machine lengthens every figure above.

Status 0 if p95 of ``first`` and ``own`` is below 100 ms both ways and every deal was played to its end.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from arena.play.person import Person

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

from benchmarks.play_figures import PARTS, Usage, figures, parts_of, usage  # noqa: E402
from benchmarks.play_over_http import Move, guest_plays  # noqa: E402
from benchmarks.play_service import serve  # noqa: E402

BAR_MS = 100.0
BARRED = ("first", "own")
WAYS = ("services", "http")
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


async def person_plays(number: int, think_s: float, moves: list[Move], ready: asyncio.Barrier) -> str:
    """One deal; appends to ``moves``. Returns the state in which the table ended."""
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
    called: float | None = None
    first: float | None = None
    answered, acted_at = 0.0, 0
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
        if called is not None and b"event: at" in piece:
            first = first if first is not None else now
            is_newest = int(piece[4 : piece.index(b"\n")]) == at.n
            if is_newest and (at.is_mine or at.is_over):
                name = f"play-{table.public_id}"
                moves.append(Move(name, acted_at, at.n, called, answered, first, now))
                called = None
        if not table.is_active:
            receiving.cancel()
            stream.leave()
            return str(table.state)
        if called is None and at.is_mine:
            if is_first:
                is_first = False
                await ready.wait()
            await asyncio.sleep(think_s * (0.5 + rng.random()))
            called, first, acted_at = time.monotonic(), None, at.n
            await sync_to_async(act, thread_sensitive=False)(table.public_id, at.n, rng.choice(at.legal))
            answered = time.monotonic()


class Played(NamedTuple):
    """What came of one way."""

    moves: list[Move]
    ends: list[str]
    """State of every table at its end."""
    used: list[Usage]
    """Of each deal, from when all tables had their bots."""
    played_s: float
    """How long that was altogether."""


async def persons_play(
    tables: int, deals: int, think_s: float, port: int, processes: dict[str, int]
) -> Played:
    """So many persons at once, each so many deals one after the other; over HTTP if there is a port."""
    played = Played([], [], [], 0.0)
    for deal in range(deals):
        ready = asyncio.Barrier(tables + 1)
        numbers = [1 + number + deal * tables for number in range(tables)]
        begun = [
            guest_plays(number, port, _as_form(CHOICES[number % len(CHOICES)]), think_s, played.moves, ready)
            if port
            else person_plays(number, think_s, played.moves, ready)
            for number in numbers
        ]

        async def measure(ready: asyncio.Barrier = ready) -> tuple[float, Usage]:
            await ready.wait()
            return time.monotonic(), usage(processes)

        measured = asyncio.create_task(measure())
        ends = await asyncio.wait_for(asyncio.gather(*begun), PATIENCE_S)
        began, before = await measured
        played.used.append(usage(processes).since(before))
        played.ends.extend(ends)
        played = played._replace(played_s=played.played_s + time.monotonic() - began)
    return played


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


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a person waits for at a table with bots.")
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--deals", type=int, default=1)
    parser.add_argument("--think", type=float, default=2.0, help="seconds a person thinks, on average")
    parser.add_argument("--way", choices=WAYS, help="one of the two alone")
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
    path = folder / "notes.json"
    broker = subprocess.Popen(
        broker_argv(broker_binary_find(), folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    processes = [broker]
    ways: dict[str, Played] = {}
    load = [os.getloadavg()[0]]
    try:
        broker_wait(settings.REDIS_URL, 15.0)
        service = subprocess.Popen([sys.executable, __file__, "--serve", str(path)])
        processes.append(service)
        pids = {"persons": os.getpid(), "service": service.pid, "valkey": broker.pid}
        for way in (options.way,) if options.way else WAYS:
            port = 0
            if way == "http":
                site, port = site_start(folder)
                processes.append(site)
                pids["web"] = site.pid
            playing = persons_play(options.tables, options.deals, options.think, port, pids)
            ways[way] = asyncio.run(playing)
        service.terminate()
        service.wait(60)
        notes = json.loads(path.read_text())
    finally:
        for process in reversed(processes):
            if process.poll() is None:
                process.terminate()
                process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)
    load.append(os.getloadavg()[0])
    found = {
        "tables": options.tables,
        "think_s": options.think,
        "bar_ms": BAR_MS,
        "load": load,
        "ways": {way: measured(played, notes) for way, played in ways.items()},
    }
    print(json.dumps(found) if options.json else text_of(found))
    p95s = [of["ms"][name]["p95"] for of in found["ways"].values() for name in BARRED]
    return 0 if max(p95s) < BAR_MS and all({*played.ends} == {"over"} for played in ways.values()) else 1


def measured(played: Played, notes: dict[str, Any]) -> dict[str, Any]:
    """The figures of one way."""
    moves, ends = played.moves, played.ends
    tables = {move.table for move in moves}
    bots_s = sum(cpu_ms for table, _, _, cpu_ms in notes["asked"] if table in tables) / 1000
    names = played.used[0].by_process
    by_process = {name: sum(used.by_process[name] for used in played.used) for name in names}
    return {
        "moves": len(moves),
        "ends": {state: ends.count(state) for state in sorted(set(ends))},
        "ms": {name: figures(values) for name, values in parts_of(moves, notes).items()},
        "cpu_ms": {
            name: 1000 * value / len(moves) for name, value in (by_process | {"bots": bots_s}).items()
        },
        "cores": sum(used.machine for used in played.used) / played.played_s,
        "moves_s": len(moves) / played.played_s,
    }


def text_of(found: dict[str, Any]) -> str:
    """The same as lines to read."""
    lines = [f"{found['tables']} tables at once, {found['think_s']:g} s of thought on average"]
    for way, of in found["ways"].items():
        lines.append(f"{way}: {of['moves']} moves, {of['moves_s']:.1f} a second; {of['ends']}")
        for name in PARTS:
            figured = "  ".join(f"{key} {value:6.1f}" for key, value in of["ms"][name].items())
            lines.append(f"{name:>10}  {figured} ms")
        used = ", ".join(f"{name} {value:.1f}" for name, value in of["cpu_ms"].items())
        lines.append(f"{'CPU':>10}  {used} ms a move; {of['cores']:.2f} cores in use altogether")
    lines.append(f"load average {found['load'][0]:.1f} before, {found['load'][1]:.1f} after")
    lines.append(f"bar: p95 of {' and '.join(BARRED)} below {found['bar_ms']:.0f} ms")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
