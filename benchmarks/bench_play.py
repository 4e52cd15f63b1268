"""Waiting time of guests at tables with bots, with ten concurrent tables.

    python benchmarks/bench_play.py [--tables 10] [--deals 1] [--think 2.0] [--json]

Starts a data folder with SQLite and Valkey, the service of play with its bots in the real sandbox, and
``manage.py serve``, each in its own process. Scripted guests, each at a table of one of the presets, play
over HTTP as a browser does: by pages, forms and event streams. All begin once every table has its bots.
On its turn, a guest thinks for between half and one and a half times ``--think`` seconds, then chooses. 0
is the worst case: ten guests who choose immediately. For each move, in milliseconds:

``answer``   from the sending of the form to its answer
``first``    to the first event with a new position
``all``      to the event of the guest's next turn, or the end of the deal
``own``      the same, minus the time that the table's bots took

Then the CPU time per move of each process, and the number of cores in use: load on the machine increases
every figure above.

Status 0 if p95 of ``first`` and ``own`` is below 100 ms and every deal was played to its end.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from benchmarks.harness import ROOT, Row, arguments, at_most, installation, report

if TYPE_CHECKING:
    from referee.contract import SeatOrder, TableOrder
    from referee.driver import Driver, Reply

BAR_MS = 100.0
PARTS_WITH_BAR = ("first", "own")
CHOICES = (
    {"preset": "kakeya4"},
    {"preset": "kakeya6"},
    {"preset": "kakkuri", "seats": "4"},
    {"preset": "etori.meiji"},
    {"preset": "kakeya4.league", "opponents": "rules"},
)
DEFAULTS = {"seats": "4", "opponents": "greedy", "partner": "rules", "deals": "1", "clock_s": "0"}
ENDED = ("finished", "abandoned", "failed")
PATIENCE_S = 180.0
UNLIMITED_RATES = {"RENSHO_RATE_PLAY_GUESTS": "100000/s", "RENSHO_PLAY_CPU_S": "100000"}
"""Rate limits for guests that share one address."""
CHUNK_BYTES = 1 << 20
TICKS_S = 1 / os.sysconf("SC_CLK_TCK")
SIT = re.compile(r"<div class=\"play-table replay-columns\".*?>", re.DOTALL)
CHOICE = re.compile(
    r'<button type="submit" class="[^"]*play-[^"]*" name="action" value="([^"]+)"(?! disabled)'
)
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
N = re.compile(r'data-n="(\d+)"')

Usage = dict[str, float]
"""Seconds of CPU time of each process, without its children, and of the whole machine."""


class Move(NamedTuple):
    """A choice of a guest, in seconds of the monotonic clock."""

    table: str
    called: float
    answered: float
    first: float
    """Arrival of the first event with a new position."""
    last: float
    """Arrival of the guest's next turn, or of the end of the deal."""


class GuestResults(NamedTuple):
    moves: list[Move]
    ends: list[str]
    used: list[Usage]
    """CPU time of each deal, measured once all tables have their bots."""
    seconds: list[float]


class BotQuestion(NamedTuple):
    """A request to a bot, in seconds of the monotonic clock, which all processes share."""

    table: str
    began: float
    ended: float
    cpu_ms: float


class TimedDriver:
    asked: list[BotQuestion]

    def __init__(self, inner: Driver, table: str) -> None:
        self._inner = inner
        self._table = table

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def collect(self, *, cpu_limit_ms: float, wall_limit_ms: float) -> Reply:
        began, cpu_ms = time.monotonic(), 0.0
        try:
            reply = self._inner.collect(cpu_limit_ms=cpu_limit_ms, wall_limit_ms=wall_limit_ms)
            cpu_ms = reply.cpu_ms
            return reply
        finally:
            self.asked.append(BotQuestion(self._table, began, time.monotonic(), cpu_ms))


class GuestResponse(NamedTuple):
    status: int
    headers: list[tuple[str, str]]
    """Headers with names in lower case."""
    text: str


class GuestClient:
    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> GuestResponse:
        if self._open is None:
            self._open = await asyncio.open_connection("127.0.0.1", self.port, limit=CHUNK_BYTES)
        reader, writer = self._open
        writer.write(self._request(method, path, urlencode(form) if form is not None else None))
        await writer.drain()
        status, headers = await _head(reader)
        body = await _body(reader, status, dict(headers))
        for name, value in headers:
            if name == "set-cookie":
                key, _, cookie_value = value.partition(";")[0].partition("=")
                self.cookies[key] = cookie_value
        return GuestResponse(status, headers, body.decode())

    async def events(self, path: str, into: asyncio.Queue[tuple[float, str, str, str]]) -> None:
        """Put arrival time, id, name and data of each event of a stream into a queue until the stream
        ends.
        """
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=CHUNK_BYTES)
        try:
            writer.write(self._request("GET", path, None))
            status, headers = await _head(reader)
            if status != 200:
                raise RuntimeError(f"the stream {path} answers {status}")
            is_chunked = dict(headers).get("transfer-encoding") == "chunked"
            text = b""
            while piece := await (_chunk(reader) if is_chunked else reader.read(CHUNK_BYTES)):
                now = time.monotonic()
                text += piece
                *events, text = text.split(b"\n\n")
                for event in events:
                    fields = dict(line.partition(": ")[::2] for line in event.decode().splitlines())
                    if "data" in fields:
                        into.put_nowait((now, fields.get("id", ""), fields.get("event", ""), fields["data"]))
        finally:
            writer.close()

    def close(self) -> None:
        if self._open is not None:
            self._open[1].close()

    def _request(self, method: str, path: str, body: str | None) -> bytes:
        lines = [f"{method} {path} HTTP/1.1", f"Host: localhost:{self.port}"]
        if self.cookies:
            lines.append("Cookie: " + "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        if body is not None:
            lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
        return ("\r\n".join(lines) + "\r\n\r\n" + (body or "")).encode()


async def _head(reader: asyncio.StreamReader) -> tuple[int, list[tuple[str, str]]]:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
    pairs = (line.partition(":") for line in lines)
    return int(first.split()[1]), [(name.lower(), value.strip()) for name, _, value in pairs]


async def _body(reader: asyncio.StreamReader, status: int, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding") == "chunked":
        pieces = []
        while piece := await _chunk(reader):
            pieces.append(piece)
        return b"".join(pieces)
    return b"" if status == 204 else await reader.readexactly(int(headers.get("content-length", "0")))


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    size = int(await reader.readuntil(b"\r\n"), 16)
    return (await reader.readexactly(size + 2))[:-2]


async def guest_plays(
    number: int, port: int, choice: dict[str, str], think_s: float, moves: list[Move], ready: asyncio.Barrier
) -> str:
    """Play one deal, appending to ``moves``. Return the final state of the table.

    Raises:
        RuntimeError: the site refused a request.
    """
    rng, guest = random.Random(number), GuestClient(port)
    page = await guest.ask("GET", "/play")
    token = TOKEN.search(page.text)
    if token is None:
        raise RuntimeError(f"/play answers {page.status}, without a form")
    form = {"csrfmiddlewaretoken": token.group(1)}
    opened = await guest.ask("POST", "/play", {**DEFAULTS, **choice, **form})
    path = dict(opened.headers).get("location", "")
    if opened.status != 302:
        raise RuntimeError(f"no table: /play answers {opened.status}")
    table = path.rpartition("/")[2]
    await guest.ask("GET", path)
    arrived: asyncio.Queue[tuple[float, str, str, str]] = asyncio.Queue()
    receiving = asyncio.create_task(guest.events(f"{path}/events?from=0", arrived))
    called: float | None = None
    first: float | None = None
    answered = 0.0
    is_first = True
    acted_at = -1
    try:
        while True:
            now, event_id, name, data = await arrived.get()
            if name == "state":
                if json.loads(data)["state"] in ENDED:
                    return str(json.loads(data)["state"])
                if not is_first or called is not None:
                    continue
                # The first turn of the deal is on the page, not in an event.
                html = (await guest.ask("GET", f"{path}?part=table")).text
                event_id = N.findall(html)[-1]
            else:
                html = json.loads(data)["html"]
            if int(event_id) <= acted_at:
                continue
            first = first if first is not None else now
            head = SIT.findall(html)[-1]
            is_mine, is_last = "data-mine" in head, "data-last" in head
            if called is not None and (is_mine or is_last):
                moves.append(Move(f"play-{table}", called, answered, first, now))
                called = None
            if not is_mine:
                continue
            if is_first:
                is_first = False
                await ready.wait()
            await asyncio.sleep(think_s * (0.5 + rng.random()))
            act = {**form, "part": "1", "n": event_id, "action": rng.choice(CHOICE.findall(html))}
            called, first, acted_at = time.monotonic(), None, int(event_id)
            done = await guest.ask("POST", f"{path}/act", act)
            answered = time.monotonic()
            if done.status != 204:
                raise RuntimeError(
                    f"{act['action']} after {event_id} actions: {done.status} {done.text[:300]}"
                )
    finally:
        receiving.cancel()
        guest.close()


async def guests_play(
    tables: int, deals: int, think_s: float, port: int, processes: dict[str, int]
) -> GuestResults:
    played = GuestResults([], [], [], [])
    for deal in range(deals):
        ready = asyncio.Barrier(tables + 1)
        begun = [
            guest_plays(
                1 + number + deal * tables, port, CHOICES[number % len(CHOICES)], think_s, played.moves, ready
            )
            for number in range(tables)
        ]

        async def measure(ready: asyncio.Barrier = ready) -> tuple[float, Usage]:
            await ready.wait()
            return time.monotonic(), usage(processes)

        measured = asyncio.create_task(measure())
        played.ends.extend(await asyncio.wait_for(asyncio.gather(*begun), PATIENCE_S))
        began, before = await measured
        after = usage(processes)
        played.used.append({name: after[name] - before[name] for name in after})
        played.seconds.append(time.monotonic() - began)
    return played


def usage(processes: Mapping[str, int]) -> Usage:
    used_s = {}
    for name, pid in processes.items():
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        used_s[name] = TICKS_S * (int(fields[11]) + int(fields[12]))
    times = [int(text) for text in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    return used_s | {"machine": TICKS_S * (sum(times[:8]) - times[3] - times[4])}


def serve(path: Path) -> None:
    from arena.features.play.runner.kind import CASUAL
    from arena.tables.live.drivers import sandbox_driver
    from arena.tables.live.service import Service
    from arena.tables.readiness import readiness_find

    TimedDriver.asked = []

    def make(order: TableOrder, seat: SeatOrder) -> Any:
        return TimedDriver(sandbox_driver(order, seat), order.table)

    readiness = readiness_find()
    if not readiness.is_ready:
        raise SystemExit(readiness.refusal)
    service = Service([CASUAL], make)
    signal.signal(signal.SIGTERM, lambda number, frame: service.stop())
    thread = threading.Thread(target=service.run)
    gc.collect()
    gc.freeze()
    thread.start()
    while thread.is_alive():
        thread.join(0.5)
    path.write_text(json.dumps(TimedDriver.asked))


def house_bots_make() -> None:
    from django.db.models import F

    from arena.operations.house import house_bots_submit
    from arena.roster.models import Bot, BotVersion

    house_bots_submit()
    BotVersion.objects.update(state=BotVersion.State.READY)
    for version in BotVersion.objects.annotate(owner=F("bot_id")):
        Bot.objects.filter(pk=version.bot_id).update(active_version=version)


def site_start() -> tuple[subprocess.Popen[bytes], int]:
    """Start the web server of the data folder. Return it with its port once it listens.

    Raises:
        RuntimeError: it does not start.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    command = [sys.executable, str(ROOT / "manage.py"), "serve", "--port", str(port)]
    process = subprocess.Popen(command, env={**os.environ, **UNLIMITED_RATES}, stdout=subprocess.DEVNULL)
    for _ in range(600):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return process, port
        if process.poll() is not None:
            break
        time.sleep(0.1)
    process.kill()
    raise RuntimeError("the web server does not start")


def play(folder: Path, tables: int, deals: int, think_s: float) -> tuple[GuestResults, list[BotQuestion]]:
    from django.conf import settings

    from arena.operations.broker import broker_argv, broker_binary_find, broker_wait

    house_bots_make()
    notes = folder / "notes.json"
    broker = subprocess.Popen(
        broker_argv(broker_binary_find(), folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    processes = [broker]
    try:
        broker_wait(settings.REDIS_URL, 15.0)
        service = subprocess.Popen([sys.executable, __file__, "--serve", str(notes)])
        site, port = site_start()
        processes += [service, site]
        pids = {"guests": os.getpid(), "service": service.pid, "valkey": broker.pid, "web": site.pid}
        played = asyncio.run(guests_play(tables, deals, think_s, port, pids))
        service.terminate()
        service.wait(60)
        return played, [BotQuestion(*question) for question in json.loads(notes.read_text())]
    finally:
        for process in reversed(processes):
            if process.poll() is None:
                process.terminate()
                process.wait(30)


def parts_of(moves: Sequence[Move], questions: Sequence[BotQuestion]) -> dict[str, list[float]]:
    by_table: dict[str, list[BotQuestion]] = defaultdict(list)
    for question in questions:
        by_table[question.table].append(question)
    parts: dict[str, list[float]] = {name: [] for name in ("answer", "first", "all", "own", "bots")}
    for move in moves:
        bots = sum(
            max(0.0, min(question.ended, move.last) - max(question.began, move.called))
            for question in by_table[move.table]
        )
        ends = {"answer": move.answered, "first": move.first, "all": move.last, "own": move.last - bots}
        for name, end in ends.items():
            parts[name].append(1000 * (end - move.called))
        parts["bots"].append(1000 * bots)
    return parts


def rows_of(played: GuestResults, questions: Sequence[BotQuestion]) -> list[Row]:
    rows = []
    for name, values in parts_of(played.moves, questions).items():
        cuts = statistics.quantiles(values, n=100)
        cells: dict[str, float | str] = {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98]}
        verdict = at_most(cuts[94], BAR_MS) if name in PARTS_WITH_BAR else ("", None)
        rows.append(Row(f"{name}, ms", cells | {"most": max(values)}, *verdict))
    moves = len(played.moves)
    used = {name: sum(deal[name] for deal in played.used) for name in played.used[0]}
    cores = used.pop("machine") / sum(played.seconds)
    used["bots"] = sum(question.cpu_ms for question in questions) / 1000
    rows += [Row(f"CPU of {name}, ms a move", {"": 1000 * value / moves}) for name, value in used.items()]
    rows.append(Row("cores in use", {"": cores}))
    finished = played.ends.count("finished")
    rows.append(
        Row(
            "deals played to their end",
            {"": finished},
            f"all {len(played.ends)}",
            finished == len(played.ends),
        )
    )
    return rows


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--deals", type=int, default=1)
    parser.add_argument("--think", type=float, default=2.0, help="seconds a guest thinks, on average")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        import django

        django.setup()
        serve(options.serve)
        return 0
    with installation(RENSHO_LOG_LEVEL="WARNING") as folder:
        rows = rows_of(*play(folder, options.tables, options.deals, options.think))
    head = f"{options.tables} tables at once, {options.think:g} s of thought on average"
    return report(head, rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
