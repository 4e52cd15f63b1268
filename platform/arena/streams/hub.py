"""One hub for all streams of a process: counts listeners and polls the database for all of them.

One task polls once a second in one thread and with one connection, which it releases after each poll. It ends
with the last listener.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from asgiref.sync import sync_to_async
from django.db import DatabaseError

from arena.common.database import connections_release, pool_refresh
from arena.common.outage import Outage
from arena.common.serving import EventStream
from arena.streams.slots import BEGIN_TIMEOUT_S, Caller, StreamSlots

log = logging.getLogger(__name__)

POLL_S = 1.0
MAX_BACKOFF_S = 5.0
"""Maximum seconds between two polls while the database is down."""
HEARTBEAT_S = 15.0
STREAM_S = 1800.0
"""Maximum seconds of a stream; the client reconnects, and its permissions are checked again."""
STUCK_S = 60.0
"""Seconds after the end of a stream until a client that does not read the last bytes is disconnected."""
RETRY_MS = 3000
WAKE_BATCH, PAUSE_S = 8, 0.002
"""Listeners notified together, and seconds of pause before the next batch."""


class StreamFormat(NamedTuple):
    """The bytes that a stream has besides the messages of its listener."""

    content_type: str
    opening: bytes
    heartbeat: bytes
    farewell: bytes
    """Sent last if the client is to reconnect."""


SERVER_SENT_EVENTS = StreamFormat(
    "text/event-stream", f"retry: {RETRY_MS}\n\n".encode(), b": still here\n\n", b""
)
JSON_LINES = StreamFormat("application/x-ndjson", b"", b'{"type":"heartbeat"}\n', b'{"type":"bye"}\n')

T = TypeVar("T")
Look = Callable[[], Any]


class Listener(ABC):
    """One connected client with its slot, which is released when the stream ends, or never begins."""

    kind: ClassVar[str]
    format: ClassVar[StreamFormat] = SERVER_SENT_EVENTS

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.joined_at = time.monotonic()
        self.has_begun = False
        self.news = asyncio.Event()

    @property
    def takes_heartbeats(self) -> bool:
        """Whether heartbeats may be sent. False until a first message that the protocol prescribes."""
        return True

    @abstractmethod
    async def pending(self, hub: Hub) -> list[bytes]:
        """Return the messages to send now, in order. The hub calls this again after a ``DatabaseError``."""

    @property
    @abstractmethod
    def is_over(self) -> bool: ...

    def on_disconnect(self) -> None:  # noqa: B027 - optional
        """Called in the event loop when the client ends the stream, but not when the server does."""


L = TypeVar("L", bound=Listener)


class StreamSource(ABC, Generic[L]):
    """Shared state of one kind of stream. Only the poll function runs outside the event loop."""

    @property
    @abstractmethod
    def listener_type(self) -> type[L]: ...

    @abstractmethod
    def look(self, listeners: Sequence[L]) -> Look | None:
        """Return a function that polls in the thread with few queries; None without listeners."""

    @abstractmethod
    def take(self, result: Any, listeners: Sequence[L]) -> tuple[Sequence[L], bool]:
        """Store the result of the poll; return the listeners to notify, and whether to poll again at once."""


class Hub:
    def __init__(
        self,
        sources: Iterable[StreamSource[Any]] = (),
        poll_s: float = POLL_S,
        heartbeat_s: float = HEARTBEAT_S,
        stream_s: float = STREAM_S,
        begin_s: float = BEGIN_TIMEOUT_S,
        places: StreamSlots | None = None,
    ) -> None:
        """``places``: the slots of another hub of the process, to count the streams of both together."""
        self.sources = tuple(sources)
        self.poll_s = poll_s
        self.heartbeat_s = heartbeat_s
        self.stream_s = stream_s
        self.places = StreamSlots(begin_s) if places is None else places
        self.looks = 0
        self._task: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._outage = Outage(log, "the look for streams of events")
        self._reads = Outage(log, "reading what one stream of events missed")

    def stream(self, listener: Listener) -> EventStream:
        """Return the response for a new client, or raise ``Unavailable``; thread-safe."""
        self.places.take(listener)
        return EventStream(
            self._messages(listener),
            lambda: self.places.leave(listener),
            self.stream_s + STUCK_S,
            content_type=listener.format.content_type,
            farewell=listener.format.farewell,
            on_disconnect=listener.on_disconnect,
        )

    def counts(self) -> dict[str, int]:
        """Return the number of listeners by kind, also of other hubs with the same slots."""
        counts = {source.listener_type.kind: 0 for source in self.sources}
        for listener in self._listeners():
            counts[listener.kind] = counts.get(listener.kind, 0) + 1
        return counts

    async def _messages(self, listener: Listener) -> AsyncIterator[bytes]:
        """Yield new messages at once, then as they occur, with heartbeats in between."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self.stream_s
        listener.has_begun = True
        try:
            if listener.format.opening:
                yield listener.format.opening
            while True:
                # Cleared before reading, so that news during the read are not lost.
                listener.news.clear()
                try:
                    messages = await listener.pending(self)
                except DatabaseError as error:
                    self._reads.record_failure(error)
                    messages = []
                for message in messages:
                    yield message
                if listener.is_over:
                    return
                if loop.time() >= until:
                    if listener.format.farewell:
                        yield listener.format.farewell
                    return
                if messages:
                    continue
                self._watch()
                try:
                    async with asyncio.timeout(self.heartbeat_s):
                        await listener.news.wait()
                except TimeoutError:
                    if listener.takes_heartbeats:
                        yield listener.format.heartbeat
        finally:
            self.places.leave(listener)

    @property
    def is_polling(self) -> bool:
        return self._task is not None and not self._task.done()

    def wake(self) -> None:
        """Poll now, for a listener whose data was not read yet. Only in the event loop."""
        self._wake.set()

    def _watch(self) -> None:
        if not self.is_polling:
            self._wake = asyncio.Event()
            # An empty context: the task outlives the request that started it.
            self._task = asyncio.create_task(self._poll(), context=contextvars.Context())

    async def _poll(self) -> None:
        pause_s = self.poll_s
        while self._listeners():
            self._wake.clear()
            try:
                has_more = await self._look()
            except Exception as error:  # an outage or a defect of ours: the streams stay open
                self._outage.record_failure(error)
                pause_s = min(2 * pause_s, MAX_BACKOFF_S)
                await asyncio.sleep(pause_s)
                continue
            pause_s = self.poll_s
            if self._outage.record_success():
                # Listeners whose reads failed during the outage retry.
                await _notify(self._listeners())
            if has_more:
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._wake.wait()

    async def _look(self) -> bool:
        looks = {
            source: look
            for source in self.sources
            if (look := source.look(self._listeners_of(source))) is not None
        }
        if not looks:
            return False
        self.looks += 1
        results = await in_thread(lambda: {source: look() for source, look in looks.items()})
        has_more = False
        for source, rows in results.items():
            concerned, is_more = source.take(rows, self._listeners_of(source))
            has_more = has_more or is_more
            await _notify(concerned)
        return has_more

    def _listeners(self) -> list[Listener]:
        return [listener for listener in self.places.listeners() if isinstance(listener, Listener)]

    def _listeners_of(self, source: StreamSource[L]) -> list[L]:
        return [taken for taken in self.places.listeners() if isinstance(taken, source.listener_type)]


async def _notify(listeners: Sequence[Listener]) -> None:
    """Notify listeners in small batches: hundreds of messages at once would delay other requests."""
    for number, listener in enumerate(listeners, 1):
        listener.news.set()
        if number % WAKE_BATCH == 0:
            await asyncio.sleep(PAUSE_S)


async def in_thread(function: Callable[[], T]) -> T:
    """Run a function in the thread in which all queries of the hub run, one after the other."""

    def called() -> T:
        try:
            return function()
        except DatabaseError:
            pool_refresh()
            raise
        finally:
            connections_release()

    return await sync_to_async(called)()
