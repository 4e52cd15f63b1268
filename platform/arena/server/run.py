"""Start the web server with its limits."""

from __future__ import annotations

import dataclasses
import logging
import resource
import socket
from collections.abc import Callable
from typing import Any

import uvicorn

from arena.server.connections import Connections
from arena.server.draining import GRACE_S, DrainingServer
from arena.server.protocol import protocol_of
from arena.server.request_metrics import MeasuredApplication
from arena.server.requests import Application, BoundedApplication
from arena.settings.server import ServerLimits

log = logging.getLogger(__name__)

OTHER_FILES = 256
"""File descriptors for everything but connections: database, cache, uploads, logs."""


def server_config(
    application: Application,
    limits: ServerLimits,
    *,
    connections: Connections | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    uds: str | None = None,
    grace_s: int = GRACE_S,
) -> uvicorn.Config:
    """Return the uvicorn configuration of an application; ``uds``, a unix socket, replaces the port."""
    return uvicorn.Config(
        MeasuredApplication(BoundedApplication(application, limits)),
        host=host,
        port=port,
        uds=uds,
        http=protocol_of(Connections(limits) if connections is None else connections),
        ws="none",
        lifespan="off",
        # X-Forwarded-For and X-Forwarded-Proto are read by arena.common alone.
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=None,
        timeout_keep_alive=limits.idle_s,
        timeout_graceful_shutdown=grace_s,
        h11_max_incomplete_event_size=limits.head_bytes,
    )


def server_run(
    application: Application,
    limits: ServerLimits,
    *,
    listening: socket.socket | None = None,
    on_stop: Callable[[], None] = lambda: None,
    **where: Any,
) -> None:
    """Serve until SIGTERM or SIGINT. ``listening`` replaces the address of ``where``."""
    limits = dataclasses.replace(
        limits, connections=min(limits.connections, _files_allow(limits.connections))
    )
    connections = Connections(limits)
    config = server_config(application, limits, connections=connections, **where)
    sockets = None if listening is None else [listening]
    DrainingServer(config, connections, on_stop).run(sockets)


def listening_socket(host: str, port: int, uds: str | None) -> socket.socket:
    """Return a socket bound to an address that was claimed, for several processes."""
    return uvicorn.Config("", host=host, port=port, uds=uds, log_config=None).bind_socket()


def _files_allow(connections: int) -> int:
    """Raise the limit of open files as far as possible, and return how many connections it allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    required = connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < required:
        soft = required if hard == resource.RLIM_INFINITY else min(required, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    room = max(1, soft - OTHER_FILES) if soft != resource.RLIM_INFINITY else connections
    if room < connections:
        log.warning(
            "%d open files have room for %d connections, not %d: raise the limit (LimitNOFILE= of the unit)",
            soft,
            room,
            connections,
        )
    return room
