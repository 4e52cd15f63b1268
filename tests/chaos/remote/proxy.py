"""A bad network between remote bots and the site: an HTTP proxy that drops, delays, repeats and reorders."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import threading
import time
from collections import Counter
from typing import NamedTuple

DELAY_S = 5.0
CUT_S = (3.0, 60.0)
"""Seconds after which a stream ends."""
SILENCE_S = 40.0
"""Seconds for which a silent stream stays open."""
CONNECT_S = 5.0
FATES = {"pass": 74, "drop": 5, "no_reply": 5, "delay": 5, "repeat": 6, "reorder": 5}
"""Fates of answers with their weights. ``drop`` loses the request, ``no_reply`` the response."""
STREAM_FATES = {"cut": 70, "silence": 30}


class Forwarded(NamedTuple):
    """An answer that the proxy passed to the site."""

    table: str
    request: str
    sent_at: float
    """Seconds since the epoch at which the site had the whole answer, at the latest."""
    status: int


class _Request(NamedTuple):
    method: str
    path: str
    head: bytes
    body: bytes


class Proxy:
    """Listens at a port of loopback in a thread of its own, until the process ends."""

    def __init__(self, seed: int, upstream: tuple[str, int]) -> None:
        self.port = 0
        self.counts: Counter[str] = Counter()
        """Number of answers and streams by fate."""
        self.forwarded: list[Forwarded] = []
        self.is_calm = False
        """Whether everything passes."""
        self._draw = random.Random(f"rensho-remote-chaos/1|{seed}")
        self._upstream = upstream
        self._passed = asyncio.Event()
        """Set when an answer has passed, for those that wait to be overtaken."""
        self._ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve()), name="proxy", daemon=True).start()
        assert self._ready.wait(10.0), "the proxy does not start"

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._handle, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await server.serve_forever()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
            request = await _read(reader)
            if request.path.partition("?")[0].endswith("/remote/stream"):
                await self._stream(request, writer)
            elif request.method == "POST" and request.path.endswith("/answers"):
                await self._answer(request, writer)
            else:
                writer.write(await self._forward(request))
                await writer.drain()
        writer.close()

    def _fate(self, fates: dict[str, int]) -> str:
        fate = next(iter(fates)) if self.is_calm else self._draw.choices([*fates], [*fates.values()])[0]
        self.counts[fate] += 1
        return fate

    async def _answer(self, request: _Request, writer: asyncio.StreamWriter) -> None:
        fate = self._fate(FATES)
        if fate == "drop":
            return
        if fate == "delay":
            await asyncio.sleep(self._draw.uniform(0.0, DELAY_S))
        if fate == "reorder":
            self._passed.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._passed.wait(), DELAY_S)
        response = await self._forward_answer(request)
        if fate == "repeat":
            response = await self._forward_answer(request)
        if fate != "no_reply":
            writer.write(response)
            await writer.drain()

    async def _forward_answer(self, request: _Request) -> bytes:
        response = await self._forward(request)
        table = request.path.split("/")[-2]
        with contextlib.suppress(ValueError, KeyError, IndexError):
            answered = str(json.loads(request.body)["id"])
            status = int(response.split(b" ", 2)[1])
            self.forwarded.append(Forwarded(table, answered, time.time(), status))
        self._passed.set()
        return response

    async def _forward(self, request: _Request) -> bytes:
        reader, writer = await asyncio.wait_for(asyncio.open_connection(*self._upstream), CONNECT_S)
        try:
            writer.write(request.head + request.body)
            await writer.drain()
            return await reader.read(-1)
        finally:
            writer.close()

    async def _stream(self, request: _Request, writer: asyncio.StreamWriter) -> None:
        fate = "" if self.is_calm else self._fate(STREAM_FATES)
        ends_at = time.monotonic() + self._draw.uniform(*CUT_S) if fate else float("inf")
        reader, upstream = await asyncio.wait_for(asyncio.open_connection(*self._upstream), CONNECT_S)
        try:
            upstream.write(request.head + request.body)
            while (left_s := ends_at - time.monotonic()) > 0:
                try:
                    data = await asyncio.wait_for(reader.read(65536), min(left_s, 1.0))
                except TimeoutError:
                    continue
                if not data:
                    return
                writer.write(data)
                await writer.drain()
            if fate == "silence":
                await asyncio.sleep(SILENCE_S)
        finally:
            upstream.close()


async def _read(reader: asyncio.StreamReader) -> _Request:
    """Read one request; the connection ends after its response."""
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head[:-4].split(b"\r\n")
    headers = [line for line in lines if not line.lower().startswith(b"connection:")]
    length = next(
        (int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length:")), 0
    )
    method, path, _ = first.decode("latin-1").split(" ")
    return _Request(
        method,
        path,
        b"\r\n".join([first, *headers, b"Connection: close", b"", b""]),
        await reader.readexactly(length) if length else b"",
    )
