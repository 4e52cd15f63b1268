"""Starts the web server within its limits."""

from __future__ import annotations

import dataclasses
import logging
import resource
from typing import Any

import uvicorn

from arena.server.connections import Connections
from arena.server.protocol import protocol_of
from arena.server.requests import Application, BoundedApplication
from arena.settings.server import ServerLimits

log = logging.getLogger(__name__)

GRACE_S = 3
"""What requests get to end when the server stops; an open stream of events would hold it for ever."""
OTHER_FILES = 256
"""File descriptors for all but connections: database, cache, uploads on their way in, logs."""


def server_config(
    application: Application,
    limits: ServerLimits,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    uds: str | None = None,
    grace_s: int = GRACE_S,
) -> uvicorn.Config:
    """How uvicorn serves an application within limits; ``uds``, a unix socket's path, replaces the port."""
    return uvicorn.Config(
        BoundedApplication(application, limits),
        host=host,
        port=port,
        uds=uds,
        http=protocol_of(Connections(limits)),
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


def server_run(application: Application, limits: ServerLimits, **where: Any) -> None:
    """Serve until SIGINT or SIGTERM; ``where`` are the other arguments of ``server_config``."""
    limits = dataclasses.replace(
        limits, connections=min(limits.connections, _files_allow(limits.connections))
    )
    uvicorn.Server(server_config(application, limits, **where)).run()


def _files_allow(connections: int) -> int:
    """How many connections the limit of open files has room for, after it was raised as far as it may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
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
