"""Start the web server with its limits."""

from __future__ import annotations

import dataclasses
import logging
import resource
from typing import Any

import uvicorn

from arena.server.connections import Connections
from arena.server.protocol import protocol_of
from arena.server.request_metrics import MeasuredApplication
from arena.server.requests import Application, BoundedApplication
from arena.settings.server import ServerLimits

log = logging.getLogger(__name__)

GRACE_S = 3
"""Seconds for open requests when the server stops; event streams would never end."""
OTHER_FILES = 256
"""File descriptors for everything but connections: database, cache, uploads, logs."""


def server_config(
    application: Application,
    limits: ServerLimits,
    *,
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
    limits = dataclasses.replace(
        limits, connections=min(limits.connections, _files_allow(limits.connections))
    )
    uvicorn.Server(server_config(application, limits, **where)).run()


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
