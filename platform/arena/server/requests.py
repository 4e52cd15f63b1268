"""ASGI middleware that limits the size of request bodies and enforces a minimum rate.

Django reads the whole body before a view runs. Responses are not limited, since event streams are long.
"""

from __future__ import annotations

import asyncio
import collections
import json
import re
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

from django.conf import settings

from arena.common.client_address import forwarded_address, network_of
from arena.common.errors import problem_body
from arena.common.log_context import REQUEST_ID, bound_log_fields
from arena.common.request_ids import HEADER, SCOPE_KEY, scope_request_id
from arena.server.connections import Connection
from arena.settings.server import ServerLimits

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]

STATE_KEY = "rensho.connection"
"""Key of ``scope["state"]`` with the ``Connection`` of a request."""
UPLOAD_PATH = re.compile(r"/api/v1/bots/[0-9a-z]{1,16}/versions|/bots/[0-9a-z]{1,16}/submit|/imports/new")
UPLOAD_FORM_BYTES = 1 << 20
"""Maximum bytes of an upload form in addition to the bundle."""
LINGER_S = 2.0
LINGER_BYTES = 64 << 20
"""Bytes read after a rejection, without which the client would not see the response."""
API = "/api/"
CLOSE = (b"connection", b"close")
DISCONNECT: Message = {"type": "http.disconnect"}


class Refusal(NamedTuple):
    status: int
    code: str
    detail: str
    retry_after_s: int | None = None


class BoundedApplication:
    def __init__(self, application: Application, limits: ServerLimits) -> None:
        self._application = application
        self._limits = limits
        self._uploads: collections.Counter[str] = collections.Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request, or respond with 408, 413, 429 or 431 and close the connection.

        Every response has the id of the request, which also every log record has.
        """
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        scope[SCOPE_KEY] = request_id = scope_request_id(scope)
        connection: Connection | None = (scope.get("state") or {}).get(STATE_KEY)
        with bound_log_fields(**{REQUEST_ID: request_id}):
            await self._process(scope, receive, _sender_with_headers(send, request_id, connection))

    async def _process(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send, self._limits)
        try:
            refusal = exchange.refusal()
            if refusal is None and exchange.is_large:
                with self._upload(network_of_scope(scope)) as refusal:
                    if refusal is None:
                        await self._application(scope, exchange.receive, exchange.send)
            elif refusal is None:
                await self._application(scope, exchange.receive, exchange.send)
            if refusal is not None:
                await exchange.refuse(refusal)
        finally:
            exchange.ended()

    @contextmanager
    def _upload(self, network: str) -> Iterator[Refusal | None]:
        """Acquire a slot for an upload, released at the end, or return the reason why none is free."""
        limits, uploads = self._limits, self._uploads
        if uploads[network] >= limits.uploads_per_address or uploads.total() >= limits.uploads:
            whose = "from your address" if uploads[network] >= limits.uploads_per_address else "in all"
            most = limits.uploads_per_address if whose == "from your address" else limits.uploads
            yield Refusal(
                429,
                "too_many_uploads",
                f"{most} uploads {whose} are in progress, which is the limit. Wait until one has ended.",
                retry_after_s=10,
            )
            return
        uploads[network] += 1
        try:
            yield None
        finally:
            uploads[network] -= 1
            if not uploads[network]:
                del uploads[network]


class Exchange:
    def __init__(self, scope: Scope, receive: Receive, send: Send, limits: ServerLimits) -> None:
        self._scope, self._receive, self._send, self._limits = scope, receive, send, limits
        self._connection: Connection | None = (scope.get("state") or {}).pop(STATE_KEY, None)
        if self._connection is not None:
            self._connection.request_begun()
        self._headers = {bytes(name).lower(): bytes(value) for name, value in scope["headers"]}
        self._most_bytes = body_bytes_of(scope["path"], limits)
        self._received_bytes = 0
        self._body_since: float | None = None
        self._is_body_complete = False
        self._has_begun = self._is_refused = self._has_ended = False

    @property
    def is_large(self) -> bool:
        """Whether the body may exceed the usual limit."""
        return self._scope["method"] == "POST" and self._most_bytes > self._limits.other_body_bytes

    def refusal(self) -> Refusal | None:
        """Return the reason for rejecting the request before its body arrives, or None."""
        scope = self._scope
        head = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        head += sum(len(name) + len(value) + 4 for name, value in scope["headers"])
        if head > self._limits.head_bytes:
            return Refusal(
                431,
                "header_too_large",
                f"Request line and header have {head} bytes, {self._limits.head_bytes} are allowed: send "
                "shorter ones.",
            )
        announced = self._headers.get(b"content-length", b"")
        if announced.isdigit() and int(announced[:20]) > self._most_bytes:
            return self._too_large()
        return None

    async def receive(self) -> Message:
        """Return the next part of the body within time and size; afterwards, the server's messages."""
        if self._is_refused:
            return DISCONNECT
        if self._is_body_complete:
            return await self._receive()
        self._body_since = self._body_since or asyncio.get_running_loop().time()
        limits = self._limits
        until = self._body_since + limits.body_s + self._received_bytes / limits.body_bytes_per_s
        try:
            async with asyncio.timeout_at(until):
                message = await self._receive()
        except TimeoutError:
            return await self._give_up(self._too_slow())
        if message["type"] == "http.request":
            self._received_bytes += len(message.get("body", b""))
            self._is_body_complete = not message.get("more_body", False)
            if self._received_bytes > self._most_bytes:
                return await self._give_up(self._too_large())
        return message

    async def send(self, message: Message) -> None:
        if self._is_refused:
            return
        self._has_begun = True
        await self._send(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self.ended()

    async def refuse(self, refusal: Refusal) -> None:
        """Respond with a rejection and close the connection, after reading some of the request."""
        self._is_refused = True
        if self._has_begun:
            return
        body, headers = self._answer(refusal)
        await self._send({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body, "more_body": True})
        await self._linger()
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    def ended(self) -> None:
        """End the exchange, with or without a complete response. Idempotent."""
        if not self._has_ended and self._connection is not None:
            self._connection.request_ended()
        self._has_ended = True

    async def _give_up(self, refusal: Refusal) -> Message:
        await self.refuse(refusal)
        return DISCONNECT

    async def _linger(self) -> None:
        if self._is_body_complete or b"expect" in self._headers:
            return
        left = LINGER_BYTES
        try:
            async with asyncio.timeout(LINGER_S):
                while left > 0:
                    message = await self._receive()
                    left -= len(message.get("body", b""))
                    if message["type"] != "http.request" or not message.get("more_body", False):
                        return
        except TimeoutError:
            return

    def _answer(self, refusal: Refusal) -> tuple[bytes, list[tuple[bytes, bytes]]]:
        if self._scope["path"].startswith(API):
            kind = b"application/problem+json"
            body = json.dumps(problem_body(refusal.status, refusal.code, refusal.detail)).encode()
        else:
            kind, body = b"text/plain; charset=utf-8", refusal.detail.encode()
        headers = [
            (b"content-type", kind),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"connection", b"close"),
        ]
        if refusal.retry_after_s is not None:
            headers.append((b"retry-after", str(refusal.retry_after_s).encode()))
        return body, headers

    def _too_large(self) -> Refusal:
        return Refusal(
            413,
            "body_too_large",
            f"The body of a request to this address may have {self._most_bytes} bytes; send less.",
        )

    def _too_slow(self) -> Refusal:
        limits = self._limits
        return Refusal(
            408,
            "body_too_slow",
            f"The body arrived too slowly: {self._received_bytes} bytes so far. The limit is {limits.body_s} "
            f"s plus 1 s per {limits.body_bytes_per_s} bytes. Send it without pauses.",
        )


def _sender_with_headers(send: Send, request_id: str, connection: Connection | None) -> Send:
    """Return ``send`` with the request id in each response, and ``close`` if the server is stopping."""
    header = (HEADER.lower().encode(), request_id.encode())

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", ()), header]
            if connection is not None and connection.is_draining and CLOSE not in headers:
                headers.append(CLOSE)
            message = {**message, "headers": headers}
        await send(message)

    return send_with_headers


def body_bytes_of(path: str, limits: ServerLimits) -> int:
    """Return the maximum body of any request to this path, in bytes."""
    if UPLOAD_PATH.fullmatch(path):
        return max(settings.BUNDLE_UPLOAD_BYTES_MAX + UPLOAD_FORM_BYTES, limits.other_body_bytes)
    return limits.other_body_bytes


def network_of_scope(scope: Scope) -> str:
    """Return the sender's network, as ``arena.common.client_address`` does for Django requests."""
    peer = scope["client"][0] if scope.get("client") else ""
    hops = [bytes(value).decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    return network_of(forwarded_address(peer, ",".join(hops)))
