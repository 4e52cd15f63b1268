"""Limits of a connection to the web server, from the environment: ``RENSHO_SERVER_<FIELD>``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from arena.settings.numbers import number_of, numbers_of

PREFIX = "RENSHO_SERVER_"
PROCESSES = "RENSHO_WEB_PROCESSES"
PROCESSES_RANGE = range(1, 65)
MAX_VALUE = 1 << 30


@dataclasses.dataclass(frozen=True)
class ServerLimits:
    """Limits of ``manage.py serve``. Suffixes are units: ``_s`` seconds, ``_bytes`` bytes."""

    connections: int = 2000
    """Maximum open connections. A new one replaces the oldest idle one, or is refused (503)."""
    connections_per_address: int = 512
    """Maximum per address or /64 network. Trusted proxies and unix sockets do not count."""
    head_s: int = 10
    """Maximum seconds from the first byte of a request, or from connecting, to the end of its headers."""
    head_bytes: int = 16384
    """Maximum bytes of the request line and headers."""
    body_s: int = 10
    """Seconds to receive a body of any size."""
    body_bytes_per_s: int = 16384
    """Received bytes that extend this time by one second."""
    other_body_bytes: int = 2 << 20
    """Maximum bytes of a body, except uploads of bots."""
    uploads: int = 32
    """Maximum concurrent uploads of bots, each of which may be buffered on disk."""
    uploads_per_address: int = 4
    write_s: int = 30
    """Seconds for a client to read pending data, extended by one second per ``body_bytes_per_s`` of it."""
    idle_s: int = 5
    """Maximum idle seconds between two requests of one connection."""

    def share(self, processes: int) -> ServerLimits:
        """Return the limits of one of several processes: its part of the numbers, rounded up."""
        parts = ("connections", "connections_per_address", "uploads", "uploads_per_address")
        return dataclasses.replace(self, **{name: -(-getattr(self, name) // processes) for name in parts})


def web_processes_of(environment: Mapping[str, str]) -> int:
    """Return the number of web processes that one ``manage.py serve`` runs, or raise ``SystemExit``."""
    return number_of(environment, PROCESSES, 1, PROCESSES_RANGE)


def server_limits_of(environment: Mapping[str, str]) -> ServerLimits:
    """Return the limits of an environment. Unset variables keep their default.

    Raise ``SystemExit`` if a value is not an integer of at least 1, or a variable is unknown.
    """
    fields = {PREFIX + field.name.upper(): field for field in dataclasses.fields(ServerLimits)}
    defaults = {name: int(field.default) for name, field in fields.items()}  # type: ignore[arg-type]
    values = numbers_of(environment, PREFIX, defaults, range(1, MAX_VALUE + 1))
    return ServerLimits(**{fields[name].name: number for name, number in values.items()})
