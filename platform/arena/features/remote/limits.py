"""Limits of remote bots, and their clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from arena.features.remote.models import RemoteSeat

BOTS_PER_ACCOUNT = 20
VERSIONS_PER_BOT = 200
MAX_TABLES = 2
"""Maximum tables of a version at once."""
MAX_ANSWER_BYTES = 4096
HEARTBEAT_S = 10.0
ANSWER_RATE = "remote_answers"
"""Key in ``settings.API_RATES``: answers and signs of life, instead of the general rate."""
STREAM_RATE = "remote_streams"
"""Key in ``settings.API_RATES``: streams that are opened."""
GRACE_MS = 300
"""Time of each decision that is never charged."""
DISCONNECT_MS = 60_000
"""Time per table, over all disconnections, before the version forfeits."""


class WallClock(NamedTuple):
    bank_ms: int
    """At the start of the table."""
    increment_ms: int
    """Added before each request."""


NORMAL_CLOCK = WallClock(120_000, 5_000)
SLOW_CLOCK = WallClock(1_200_000, 60_000)
PERSON_CLOCK = SLOW_CLOCK
"""Of a person at a table of a remote bot."""


def seat_clock(seat: RemoteSeat, *, is_slow: bool) -> WallClock:
    return PERSON_CLOCK if seat.version_id is None else wall_clock(is_slow=is_slow)


def wall_clock(*, is_slow: bool) -> WallClock:
    return SLOW_CLOCK if is_slow else NORMAL_CLOCK
