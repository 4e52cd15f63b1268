"""Maximum concurrent event streams of a machine's web processes, from ``RENSHO_STREAMS...``.

RENSHO_STREAMS              in total, of pages and programs (default 800)
RENSHO_STREAMS_PER_ACCOUNT  of one account (default 20)
RENSHO_STREAMS_PER_ADDRESS  of one address, or one /64 network of IPv6, signed in or not (default 400)

A stream takes a socket and some memory, but no thread and no database connection. One address may have half
of the total: enough for a hall of 300 spectators behind one router, without locking out others. Behind a
proxy that is not in RENSHO_TRUSTED_PROXIES, all clients share its address. Each of several web processes
(RENSHO_WEB_PROCESSES) counts its own streams, up to its part of the limits.
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
    """Maximum concurrent streams of the web processes of a machine."""

    total: int = 800
    per_account: int = 20
    per_address: int = 400

    def share(self, processes: int) -> StreamLimits:
        """Return the limits of one of several processes: its part, rounded up.

        The limit per account is too small to be divided, and applies in each process.
        """
        return self._replace(total=-(-self.total // processes), per_address=-(-self.per_address // processes))


VARIABLES = {TOTAL: "total", ACCOUNT: "per_account", ADDRESS: "per_address"}


def stream_limits_of(environment: Mapping[str, str]) -> StreamLimits:
    """Return the limits of an environment.

    Raise ``SystemExit`` if a value is not an integer in its range, or a variable is unknown.
    """
    defaults = {name: StreamLimits._field_defaults[field] for name, field in VARIABLES.items()}
    values = numbers_of(environment, TOTAL, defaults, range(MAX_STREAMS + 1))
    return StreamLimits(**{VARIABLES[name]: number for name, number in values.items()})
