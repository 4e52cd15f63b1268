"""Play of persons with bots, from ``RENSHO_PLAY_...``.

RENSHO_PLAY_TABLES  tables that one service runs at once (default 10)
RENSHO_PLAY_CPU_S   seconds of CPU that the bots of one account, or of one guest's address, may use in an hour
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
    """What play may use."""

    tables: int = 10
    cpu_s: int = 600


VARIABLES = {TABLES: "tables", CPU_S: "cpu_s"}


def play_limits_of(environment: Mapping[str, str]) -> PlayLimits:
    """The limits an environment asks for.

    Raises:
        SystemExit: one of them is no whole number in its range, or has a name that is none.
    """
    defaults = {name: PlayLimits._field_defaults[field] for name, field in VARIABLES.items()}
    found = numbers_of(environment, PREFIX, defaults, range(1, MAX_VALUE + 1))
    return PlayLimits(**{VARIABLES[name]: number for name, number in found.items()})
