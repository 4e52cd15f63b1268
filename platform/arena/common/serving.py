"""The ASGI handler of the web process: bounds concurrent requests and detaches event streams from them.

Django keeps a thread and its database connection until the last byte is sent. Here threads are reused, the
connection returns to the pool before the first byte, and an event stream starts after its request has ended.
"""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import IO, Any, cast

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from arena.common.database import connections_release
from arena.common.request_limits import Utf8Request

log = logging.getLogger(__name__)

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

STREAM_KEY, READING_KEY = "rensho.stream", "rensho.reading"
"""Keys in the ASGI scope: the stream to send after the request, and whether the request is a reader."""
ROUTE_KEY = "rensho.route"
"""Key in the ASGI scope: the name of the URL pattern, for the metrics."""
STREAM_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
MAX_READERS = 4
"""Maximum concurrent responses that read the database while being sent."""
SPARE_CONNECTIONS = 2
"""Connections reserved for event streams and background work."""
SLOT_WAIT_S = 20.0
"""Maximum seconds that a request waits for a slot, before it gets 503."""


@dataclasses.dataclass
class RequestSlot:
    is_needed: bool
    is_taken: bool = False
    is_refused: bool = False


_slot: contextvars.ContextVar[RequestSlot] = contextvars.ContextVar("turn")
"""Slot of the current request, shared by the tasks into which Django divides it."""


class EventStream(StreamingHttpResponse):
    """Server-sent events, or lines of JSON. The iterator must not depend on its request.

    ``leave`` is called when the stream ends, even if it never started; ``on_disconnect`` before it, if the
    client ended the stream. ``max_s`` ends one that is not read. ``farewell`` is sent if the process stops.
    """

    def __init__(
        self,
        pieces: AsyncIterator[bytes],
        leave: Callable[[], None],
        most_s: float,
        *,
        content_type: str = "text/event-stream",
        farewell: bytes = b"",
        on_disconnect: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(pieces, content_type=content_type, headers=STREAM_HEADERS)
        self.leave = leave
        self.max_s = most_s
        self.farewell = farewell
        self.on_disconnect = on_disconnect


class ReadingStream(StreamingHttpResponse):
    """A response that reads the database while it is sent, on its request's connection."""


class BoundedHandler(ASGIHandler):
    """Django's ASGI handler for a process with at most ``connections`` database connections.

    ``busy`` creates the response for a path without a slot. ``unbounded`` paths need no database.
    """

    request_class = Utf8Request

    def __init__(
        self,
        busy: Callable[[str], HttpResponse],
        *,
        connections: int,
        unbounded: Collection[str] = (),
        wait_s: float = SLOT_WAIT_S,
    ) -> None:
        super().__init__()
        self._make_busy_response = busy
        self._unbounded = frozenset(unbounded)
        self._wait_s = wait_s
        self._max_requests = max(1, connections - MAX_READERS - SPARE_CONNECTIONS)
        self._semaphore = asyncio.Semaphore(self._max_requests)
        self._idle: list[ThreadPoolExecutor] = []
        """Executors of one thread each, the most recently used last."""
        self._readers = 0
        self._draining = asyncio.Event()

    def drain(self) -> None:
        """End all event streams, whose clients reconnect, and refuse new ones. Only in the event loop."""
        self._draining.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Process a request, then send the event stream that it created, if any."""
        turn = _slot.set(RequestSlot(scope["path"] not in self._unbounded))
        try:
            async with self._thread():
                await super().__call__(scope, receive, send)
        finally:
            self._release_slot(_slot.get())
            _slot.reset(turn)
            if scope.pop(READING_KEY, False):
                self._readers -= 1
            stream: EventStream | None = scope.pop(STREAM_KEY, None)
        if stream is not None:
            await self._send_stream(stream, scope, receive, send)

    async def read_body(self, receive: Receive) -> IO[bytes]:
        """Read the body, then wait for the request's slot, as it needs a thread from here on."""
        body = await super().read_body(receive)
        turn = _slot.get()
        if turn.is_needed:
            try:
                async with asyncio.timeout(self._wait_s):
                    await self._semaphore.acquire()
                turn.is_taken = True
            except TimeoutError:
                turn.is_refused = True
        return body

    async def run_get_response(self, request: HttpRequest) -> HttpResponseBase:
        """Return the response, or 503 without a slot. Releases the slot."""
        scope, turn = cast("Scope", cast("ASGIRequest", request).scope), _slot.get()
        if turn.is_refused:
            return self._busy_response(request)
        try:
            response = await super().run_get_response(request)
            scope[ROUTE_KEY] = route_name(request)
            if isinstance(response, ReadingStream):
                if self._readers >= MAX_READERS:
                    await sync_to_async(response.close)()
                    return self._busy_response(request)
                self._readers += 1
                scope[READING_KEY] = True
                return response
        finally:
            self._release_slot(turn)
        if isinstance(response, EventStream):
            scope[STREAM_KEY] = response
        return response

    @asynccontextmanager
    async def _thread(self) -> AsyncIterator[None]:
        """Provide one thread for everything that the request does outside of the event loop."""
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, "request")
        try:
            async with ThreadSensitiveContext(executor=thread):
                yield
        finally:
            if len(self._idle) < self._max_requests:
                self._idle.append(thread)
            else:
                thread.shutdown(wait=False)

    def load_middleware(self, is_async: bool = False) -> None:
        """Load all middleware as synchronous, like the views, so that a request enters its thread once."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        return await sync_to_async(self._get_response_in_thread)(request)

    def _get_response_in_thread(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, ReadingStream):
            connections_release()
        return response

    async def send_response(self, response: HttpResponseBase, send: Send) -> None:
        """Send the response, except an event stream, which follows later."""
        if not isinstance(response, EventStream):
            await super().send_response(response, send)

    def _release_slot(self, turn: RequestSlot) -> None:
        if turn.is_taken:
            turn.is_taken = False
            self._semaphore.release()

    def _busy_response(self, request: HttpRequest) -> HttpResponse:
        response = self._make_busy_response(request.path)
        response._handler_class = self.__class__  # type: ignore[attr-defined]
        return response

    async def _send_stream(self, stream: EventStream, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the stream ends or the client disconnects."""
        if scope["method"] == "HEAD":
            stream.leave()
            empty = HttpResponse(headers=dict(stream.items()))
            await super().send_response(empty, send)
            return
        if self._draining.is_set():
            stream.leave()
            restarting = HttpResponse(status=503, headers={"Retry-After": "1", "Cache-Control": "no-store"})
            await super().send_response(restarting, send)
            return
        sending = asyncio.create_task(super().send_response(stream, send))
        leaving = asyncio.create_task(_wait_for_disconnect(receive))
        tasks = (sending, leaving, asyncio.create_task(self._draining.wait()))
        is_cut = False
        try:
            await asyncio.wait(tasks, timeout=stream.max_s, return_when=asyncio.FIRST_COMPLETED)
            is_cut = self._draining.is_set() and not sending.done()
        finally:
            if stream.on_disconnect is not None and (leaving.done() or _is_broken(sending)):
                stream.on_disconnect()
            stream.leave()
            for task in tasks:
                task.cancel()
            failures = await asyncio.gather(*tasks, return_exceptions=True)
        if is_cut:
            await send({"type": "http.response.body", "body": stream.farewell, "more_body": False})
        for failure in failures:
            # A disconnected client may cause an error of its socket.
            if isinstance(failure, Exception) and not isinstance(failure, OSError):
                log.error("a stream of events failed", exc_info=failure)


def route_name(request: HttpRequest) -> str:
    """Return the name of the URL pattern, never a path; empty if none matched.

    Files are ``static``, pages of the admin ``admin``.
    """
    if (match := request.resolver_match) is None:
        return "static" if request.path.startswith(settings.STATIC_URL) else ""
    return "admin" if match.app_name == "admin" else match.view_name


def _is_broken(sending: asyncio.Task[None]) -> bool:
    return sending.done() and not sending.cancelled() and isinstance(sending.exception(), OSError)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
