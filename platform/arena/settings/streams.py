"""Maximum concurrent event streams of a web process, from ``RENSHO_STREAMS...``.

RENSHO_STREAMS              in total, of pages and programs (default 800)
RENSHO_STREAMS_PER_ACCOUNT  of one account (default 20)
RENSHO_STREAMS_PER_ADDRESS  of one address, or one /64 network of IPv6, signed in or not (default 400)

A stream takes a socket and some memory, but no thread and no database connection. One address may have half
of the total: enough for a hall of 300 spectators behind one router, without locking out others. Behind a
proxy that is not in RENSHO_TRUSTED_PROXIES, all clients share its address. Each web process counts its own
streams.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.settings.numbers import numbers_of

TOTAL = "RENSHO_STREAMS"
ACCOUNT = "RENSHO_STREAMS_PER_ACCOUNT"
ADDRESS = "RENSHO_STREAMS_PER_ADDRESS"
MAX_STREAMS = 100_000


class StreamLimits(NamedTuple):
    """Maximum concurrent streams in one web process."""

    total: int = 800
    per_account: int = 20
    per_address: int = 400


VARIABLES = {TOTAL: "total", ACCOUNT: "per_account", ADDRESS: "per_address"}


def stream_limits_of(environment: Mapping[str, str]) -> StreamLimits:
    """Return the limits of an environment.

    Raise ``SystemExit`` if a value is not an integer in its range, or a variable is unknown.
    """
    defaults = {name: StreamLimits._field_defaults[field] for name, field in VARIABLES.items()}
    values = numbers_of(environment, TOTAL, defaults, range(MAX_STREAMS + 1))
    return StreamLimits(**{VARIABLES[name]: number for name, number in values.items()})
