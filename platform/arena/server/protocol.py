"""uvicorn's protocol, which reports to each connection's ``Connection``, however uvicorn parses requests."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from arena.server.connections import Connection, Connections
from arena.server.requests import STATE_KEY

UNUSED_S = 1.0
"""Seconds for which a stopping server keeps connections without a request: one may be on its way."""


class BoundedProtocol(H11Protocol):
    bounds: ClassVar[Connections]

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self.bounded = Connection(self.bounds)
        self._is_ending = False
        super().__init__(config, server_state, {**app_state, STATE_KEY: self.bounded}, _loop)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.bounded.opened(transport)
        if self.bounds.is_draining:
            self.shutdown()

    def data_received(self, data: bytes) -> None:
        """Receive bytes of a request; invalid data after the response has begun closes the connection."""
        self.bounded.received()
        try:
            super().data_received(data)
        except h11.ProtocolError:
            # uvicorn answers 400 to what it cannot read, which h11 refuses once another answer has begun.
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.bounded.lost()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close after the next response that begins, which says so, or a moment without a request."""
        self._is_ending = True
        if not self._is_in_request():
            self.loop.call_later(UNUSED_S, self._close_unused)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_ending and not self.transport.is_closing():
            # The response had begun before the end, so the client may send another request.
            self.loop.call_later(UNUSED_S, self._close_unused)

    def _close_unused(self) -> None:
        if not self._is_in_request() and not self.transport.is_closing():
            super().shutdown()

    def _is_in_request(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def pause_writing(self) -> None:
        super().pause_writing()
        self.bounded.write_paused()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.bounded.write_resumed()


def protocol_of(connections: Connections) -> type[BoundedProtocol]:
    return type("ServerProtocol", (BoundedProtocol,), {"bounds": connections})
