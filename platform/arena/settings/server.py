"""What one connection may cost the web server, from the environment: ``RENSHO_SERVER_<FIELD>``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from arena.settings.numbers import numbers_of

PREFIX = "RENSHO_SERVER_"
MAX_VALUE = 1 << 30


@dataclasses.dataclass(frozen=True)
class ServerLimits:
    """Limits of ``manage.py serve``. Names carry the units: ``_s`` seconds, ``_bytes`` bytes."""

    connections: int = 2000
    """Open at once; one more takes the place of the oldest that waits for a request, or is refused (503)."""
    connections_per_address: int = 512
    """Of them, from one address or /64 network. Trusted proxies and unix sockets are not counted."""
    head_s: int = 10
    """From the first byte of a request, or from connecting, to the end of its header."""
    head_bytes: int = 16384
    """Request line and header."""
    body_s: int = 10
    """For a body, whatever its size,"""
    body_bytes_per_s: int = 16384
    """and one second more for each so many bytes that have arrived."""
    other_body_bytes: int = 2 << 20
    """Body of any request but an upload of a bot."""
    uploads: int = 32
    """Uploads of bots on their way in at once; each may lie on the disk meanwhile."""
    uploads_per_address: int = 4
    write_s: int = 30
    """For a client to take what waits to be sent, and a second more for each ``body_bytes_per_s`` of it."""
    idle_s: int = 5
    """Between two requests of one connection."""


def server_limits_of(environment: Mapping[str, str]) -> ServerLimits:
    """The limits an environment asks for; what is not named keeps its default.

    Raises:
        SystemExit: one of them is no whole number of at least 1, or has a name that is none.
    """
    fields = {PREFIX + field.name.upper(): field for field in dataclasses.fields(ServerLimits)}
    defaults = {name: int(field.default) for name, field in fields.items()}  # type: ignore[arg-type]
    found = numbers_of(environment, PREFIX, defaults, range(1, MAX_VALUE + 1))
    return ServerLimits(**{fields[name].name: number for name, number in found.items()})
