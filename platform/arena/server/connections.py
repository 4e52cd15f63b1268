"""Every open connection of the web server: how many there may be, and how long each may keep us waiting.

uvicorn has a deadline between two requests and none within one: a header that never ends, or a client that
does not read its answer, would keep a connection for ever. Here each connection is looked at twice a second.
It is closed when its request's header is late, when it does not take what waits to be sent, or when it waits
for a request while its place is needed. What happens inside a request, ``arena.server.requests`` bounds.
"""

from __future__ import annotations

import asyncio
import collections
import enum
import logging
import time
from collections.abc import Iterator

from arena.common.client_address import UNKNOWN, is_trusted_proxy, network_of
from arena.settings.server import ServerLimits

log = logging.getLogger(__name__)

SWEEP_S = 0.5
"""From one look at all connections to the next; the slack of each deadline here."""


def _plain(status: bytes, text: bytes, *headers: bytes) -> bytes:
    """A whole answer as bytes, for a connection that has no request to answer."""
    lines = (
        b"HTTP/1.1 " + status,
        b"content-type: text/plain; charset=utf-8",
        b"connection: close",
        *headers,
    )
    return b"\r\n".join((*lines, b"content-length: %d" % len(text), b"", text))


LATE = _plain(b"408 Request Timeout", b"The header of the request did not end in time. Send it in one go.")
FULL = _plain(
    b"503 Service Unavailable",
    b"Too many connections are open. Close some of yours, or try again later.",
    b"retry-after: 5",
)


class Phase(enum.Enum):
    """What a connection is doing."""

    HEAD = "head"
    """A request's header is due, or has begun."""
    REQUEST = "request"
    """The application has it."""
    IDLE = "idle"
    """An answer is given, the next request has not begun."""


class Connection:
    """One connection, as the limits see it; a protocol tells it what happens."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._transport: asyncio.Transport | None = None
        self._is_empty = True
        self._requests = 0
        self._write_until: float | None = None
        self._closing_since: float | None = None
        self.phase = Phase.HEAD
        self.since = 0.0
        """When the phase began, in seconds of the monotonic clock."""
        self.network: str | None = None
        """Whom it is counted for; None: a trusted proxy or a unix socket."""

    def opened(self, transport: asyncio.Transport) -> None:
        """The connection is made; it may be refused and closed right here."""
        self._transport, self.since = transport, time.monotonic()
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        network = network_of(address)
        self.network = None if network == UNKNOWN or is_trusted_proxy(address) else network
        if not self._connections.admit(self):
            transport.write(FULL)
            transport.close()

    def received(self) -> None:
        """Bytes have come in."""
        self._is_empty = False
        if self.phase is Phase.IDLE:
            self.phase, self.since = Phase.HEAD, time.monotonic()

    def request_begun(self) -> None:
        """A header is complete and the application is called."""
        self._requests += 1
        self.phase, self.since = Phase.REQUEST, time.monotonic()

    def request_ended(self) -> None:
        """An answer is complete, or the application has ended without one."""
        self._requests -= 1
        if not self._requests:
            self.phase, self.since, self._is_empty = Phase.IDLE, time.monotonic(), True

    def write_paused(self) -> None:
        """More waits to be sent than the transport likes to hold."""
        if self._transport is not None:
            limits, waiting = self._connections.limits, self._transport.get_write_buffer_size()
            self._write_until = time.monotonic() + limits.write_s + waiting / limits.body_bytes_per_s

    def write_resumed(self) -> None:
        """The client has taken most of it."""
        self._write_until = None

    def lost(self) -> None:
        """The connection is gone."""
        self._connections.remove(self)

    def end(self) -> None:
        """Close at once; what has not been sent is dropped."""
        self._connections.remove(self)
        if self._transport is not None:
            self._transport.abort()

    def check(self, now: float) -> None:
        """Close it if it is late."""
        transport, limits = self._transport, self._connections.limits
        if transport is None:
            return
        if transport.is_closing():
            self._closing_since = self._closing_since or now
            if now - self._closing_since > limits.write_s:
                self.end()
        elif self._write_until is not None and now > self._write_until:
            log.info("closed a connection of %s: it does not read its answer", self.network)
            self.end()
        elif self.phase is Phase.HEAD and now - self.since > limits.head_s:
            if not self._is_empty:
                transport.write(LATE)
            transport.close()
        elif self.phase is Phase.IDLE and now - self.since > limits.idle_s + limits.head_s:
            transport.close()


class Connections:
    """All open connections of a process, within their limits. Of one event loop; not for threads."""

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self._open: dict[Connection, None] = {}
        self._by_network: collections.Counter[str] = collections.Counter()
        self._sweeper: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, connection: Connection) -> bool:
        """Whether it may stay. For its sake the oldest one that waits for a request may have to go."""
        network = connection.network
        if network is not None and self._by_network[network] >= self.limits.connections_per_address:
            self._make_room(network)
            if self._by_network[network] >= self.limits.connections_per_address:
                return False
        if len(self._open) >= self.limits.connections:
            self._make_room(None)
            if len(self._open) >= self.limits.connections:
                return False
        self._open[connection] = None
        if network is not None:
            self._by_network[network] += 1
        if self._sweeper is None:
            self._sweeper = asyncio.get_running_loop().call_later(SWEEP_S, self._sweep)
        return True

    def remove(self, connection: Connection) -> None:
        """Count it no more. Doing it again is harmless."""
        if connection not in self._open:
            return
        del self._open[connection]
        if connection.network is not None:
            self._by_network[connection.network] -= 1
            if not self._by_network[connection.network]:
                del self._by_network[connection.network]

    def _make_room(self, network: str | None) -> None:
        """End the oldest connection without a request, of this network or of any but trusted proxies."""
        if (oldest := next(self._waiting(network), None)) is not None:
            oldest.end()

    def _waiting(self, network: str | None) -> Iterator[Connection]:
        for connection in self._open:
            if connection.phase is Phase.REQUEST or connection.network is None:
                continue
            if network is None or connection.network == network:
                yield connection

    def _sweep(self) -> None:
        now = time.monotonic()
        for connection in list(self._open):
            connection.check(now)
        loop = asyncio.get_running_loop()
        self._sweeper = loop.call_later(SWEEP_S, self._sweep) if self._open else None
