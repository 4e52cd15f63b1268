"""The end of a web process: it finishes its requests, ends its event streams and then closes.

Connections without a request are kept for a moment, since a request may be on its way. With a socket of
systemd, later connections wait for the next process, so that a restart refuses none.
"""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from arena.server.connections import Connections
from arena.server.service_manager import READY, STOPPING, notify

GRACE_S = 20
"""Seconds for running requests when the server stops; as long as one may wait for a slot."""


class DrainingServer(uvicorn.Server):
    """uvicorn's server, which tells the service manager that it is ready, and that it stops.

    ``on_stop`` is called in the event loop when the server begins to stop.
    """

    def __init__(self, config: uvicorn.Config, connections: Connections, on_stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._connections_of_process = connections
        self._on_stop = on_stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            notify(READY)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        notify(STOPPING)
        self._connections_of_process.is_draining = True
        self._on_stop()
        await super().shutdown(sockets)
