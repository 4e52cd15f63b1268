"""Scripted guests who play at a running site as a browser does: pages, forms, cookies and the event stream.

``bench_play`` measures with them. One event loop, a connection for the requests of each guest and one for its
stream; nothing is waited for without end.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from typing import NamedTuple
from urllib.parse import urlencode

CHUNK_BYTES = 1 << 20
SIT = re.compile(r"<div class=\"sit replay-columns\".*?>", re.DOTALL)
CHOICE = re.compile(r'<button type="submit" class="[^>]*sit-[^>]*name="action" value="([^"]+)"(?! disabled)')
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
N = re.compile(r'data-n="(\d+)"')
OVER = ("over", "left", "broken")
DEFAULTS = {"seats": "4", "opponents": "greedy", "partner": "rules", "deals": "1", "clock_s": "0"}


class Move(NamedTuple):
    """One choice of a person, until it is asked again or the deal is over. Moments are seconds of the
    monotonic clock."""

    table: str
    n: int
    """Its position."""
    upto: int
    """The awaited position."""
    called: float
    answered: float
    """The call was over, or its answer there."""
    first: float
    """The first event with a new position was there."""
    last: float
    """The awaited position was there."""


class Answer(NamedTuple):
    """Of a request."""

    status: int
    headers: list[tuple[str, str]]
    """Names in lower case."""
    text: str

    def header(self, name: str) -> str:
        """The first of this name; empty if there is none."""
        return next((value for key, value in self.headers if key == name), "")


class Guest:
    """A browser of one guest: its cookies, and a connection that is kept."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> Answer:
        """Send a request and read its whole answer."""
        if self._open is None:
            self._open = await asyncio.open_connection("127.0.0.1", self.port, limit=CHUNK_BYTES)
        reader, writer = self._open
        writer.write(self._request(method, path, urlencode(form) if form is not None else None))
        await writer.drain()
        status, headers = await _head(reader)
        body = await _body(reader, status, dict(headers))
        for name, value in headers:
            if name == "set-cookie":
                key, _, kept = value.partition(";")[0].partition("=")
                self.cookies[key] = kept
        return Answer(status, headers, body.decode())

    async def events(self, path: str, into: asyncio.Queue[tuple[float, str, str, str]]) -> None:
        """Put moment of arrival, id, name and data of each event of a stream into a queue until it ends."""
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
        """Close the connection."""
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
    if status == 204:
        return b""
    return await reader.readexactly(int(headers.get("content-length", "0")))


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    size = int(await reader.readuntil(b"\r\n"), 16)
    piece = await reader.readexactly(size + 2)
    return piece[:-2]


async def guest_plays(
    number: int, port: int, choice: dict[str, str], think_s: float, moves: list[Move], ready: asyncio.Barrier
) -> str:
    """One deal; appends to ``moves``. Returns the state in which the table ended.

    Raises:
        RuntimeError: the site refused something.
    """
    rng, guest = random.Random(number), Guest(port)
    page = await guest.ask("GET", "/play")
    token = TOKEN.search(page.text)
    if token is None:
        raise RuntimeError(f"/play answers {page.status}, without a form")
    form = {"csrfmiddlewaretoken": token.group(1)}
    opened = await guest.ask("POST", "/play", {**DEFAULTS, **choice, **form})
    path = opened.header("location")
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
                if json.loads(data)["state"] in OVER:
                    return str(json.loads(data)["state"])
                if not is_first or called is not None:
                    continue
                # Who is asked first of all gets no event of that position: the page has it.
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
                moves.append(Move(f"play-{table}", acted_at, int(event_id), called, answered, first, now))
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
