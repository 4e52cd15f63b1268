"""Limits of play by persons against bots, from ``RENSHO_PLAY_...``.

RENSHO_PLAY_TABLES  concurrent tables of one service (default 10)
RENSHO_PLAY_CPU_S   CPU-seconds that the bots of one account, or of one guest's address, may use in an hour
                    (default 600)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.settings.numbers import numbers_of

PREFIX = "RENSHO_PLAY_"
TABLES = "RENSHO_PLAY_TABLES"
CPU_S = "RENSHO_PLAY_CPU_S"
MAX_VALUE = 100_000


class PlayLimits(NamedTuple):
    """Limits of the play service."""

    tables: int = 10
    cpu_s: int = 600


VARIABLES = {TABLES: "tables", CPU_S: "cpu_s"}


def play_limits_of(environment: Mapping[str, str]) -> PlayLimits:
    """Return the limits of an environment.

    Raise ``SystemExit`` if a value is not an integer in its range, or a variable is unknown.
    """
    defaults = {name: PlayLimits._field_defaults[field] for name, field in VARIABLES.items()}
    values = numbers_of(environment, PREFIX, defaults, range(1, MAX_VALUE + 1))
    return PlayLimits(**{VARIABLES[name]: number for name, number in values.items()})
