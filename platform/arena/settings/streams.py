"""How many streams of events a web process serves at once, from ``RENSHO_STREAMS...``.

RENSHO_STREAMS              in all, of pages and programs together (default 800)
RENSHO_STREAMS_PER_ACCOUNT  of one account (default 20)
RENSHO_STREAMS_PER_ADDRESS  of one address, or one /64 network of IPv6, signed in or not (default 400)

A stream costs a socket and some memory, no thread and no connection to the database. Half of all for one
address: a hall of 300 spectators behind one router gets in, and nobody alone shuts the others out. Behind a
proxy that is not named in RENSHO_TRUSTED_PROXIES everybody has its address. Each web process counts its own.
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
    """Streams at once in one web process."""

    total: int = 800
    per_account: int = 20
    per_address: int = 400


VARIABLES = {TOTAL: "total", ACCOUNT: "per_account", ADDRESS: "per_address"}


def stream_limits_of(environment: Mapping[str, str]) -> StreamLimits:
    """The limits an environment asks for.

    Raises:
        SystemExit: one of them is no whole number in its range, or has a name that is none.
    """
    defaults = {name: StreamLimits._field_defaults[field] for name, field in VARIABLES.items()}
    found = numbers_of(environment, TOTAL, defaults, range(MAX_STREAMS + 1))
    return StreamLimits(**{VARIABLES[name]: number for name, number in found.items()})
