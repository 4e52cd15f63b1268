"""Limits on open connections: their number, and deadlines within a request.

uvicorn has a deadline between two requests but none within one. A sweep twice a second closes connections
whose header is late, that do not read the answer, or that are idle while their slot is needed.
"""

from __future__ import annotations

import asyncio
import collections
import enum
import logging
import time
from collections.abc import Iterator

from arena.common.client_address import UNKNOWN_ADDRESS, is_trusted_proxy, network_of
from arena.settings.server import ServerLimits

log = logging.getLogger(__name__)

SWEEP_S = 0.5
"""Interval of the sweep in seconds, the tolerance of each deadline here."""


def _plain(status: bytes, text: bytes, *headers: bytes) -> bytes:
    """Return a complete response as bytes, for a connection without a request."""
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
    """Phase of a connection."""

    HEAD = "head"
    """The header of a request is incomplete."""
    REQUEST = "request"
    """The application handles a request."""
    IDLE = "idle"
    """A response was sent, and the next request has not begun."""


class Connection:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._transport: asyncio.Transport | None = None
        self._is_empty = True
        self._requests = 0
        self._write_until: float | None = None
        self._closing_since: float | None = None
        self.phase = Phase.HEAD
        self.since = 0.0
        """Start of the phase, in seconds of the monotonic clock."""
        self.network: str | None = None
        """Network for which it counts; None for a trusted proxy or a unix socket."""

    def opened(self, transport: asyncio.Transport) -> None:
        """Register the connection; it may be rejected and closed here."""
        self._transport, self.since = transport, time.monotonic()
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        network = network_of(address)
        self.network = None if network == UNKNOWN_ADDRESS or is_trusted_proxy(address) else network
        if not self._connections.admit(self):
            transport.write(FULL)
            transport.close()

    def received(self) -> None:
        self._is_empty = False
        if self.phase is Phase.IDLE:
            self.phase, self.since = Phase.HEAD, time.monotonic()

    def request_begun(self) -> None:
        self._requests += 1
        self.phase, self.since = Phase.REQUEST, time.monotonic()

    def request_ended(self) -> None:
        self._requests -= 1
        if not self._requests:
            self.phase, self.since, self._is_empty = Phase.IDLE, time.monotonic(), True

    @property
    def is_draining(self) -> bool:
        return self._connections.is_draining

    def write_paused(self) -> None:
        """Note that the transport's write buffer is full."""
        if self._transport is not None:
            limits, waiting = self._connections.limits, self._transport.get_write_buffer_size()
            self._write_until = time.monotonic() + limits.write_s + waiting / limits.body_bytes_per_s

    def write_resumed(self) -> None:
        """Note that the client has read most of the buffer."""
        self._write_until = None

    def lost(self) -> None:
        self._connections.remove(self)

    def end(self) -> None:
        """Close the connection and drop unsent data."""
        self._connections.remove(self)
        if self._transport is not None:
            self._transport.abort()

    def check(self, now: float) -> None:
        transport, limits = self._transport, self._connections.limits
        if transport is None:
            return
        if transport.is_closing():
            self._closing_since = self._closing_since or now
            if now - self._closing_since > limits.write_s:
                self.end()
        elif self._write_until is not None and now > self._write_until:
            log.info("closed a connection of %s: the client does not read the response", self.network)
            self.end()
        elif self.phase is Phase.HEAD and now - self.since > limits.head_s:
            if not self._is_empty:
                transport.write(LATE)
            transport.close()
        elif self.phase is Phase.IDLE and now - self.since > limits.idle_s + limits.head_s:
            transport.close()


class Connections:
    """All open connections of a process and their limits. For one event loop; not thread-safe."""

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self.is_draining = False
        """Whether the server stops: every response closes its connection."""
        self._open: dict[Connection, None] = {}
        self._by_network: collections.Counter[str] = collections.Counter()
        self._sweeper: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, connection: Connection) -> bool:
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
        if connection not in self._open:
            return
        del self._open[connection]
        if connection.network is not None:
            self._by_network[connection.network] -= 1
            if not self._by_network[connection.network]:
                del self._by_network[connection.network]

    def _make_room(self, network: str | None) -> None:
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
