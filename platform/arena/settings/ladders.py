"""Ladders of an installation, from ``RENSHO_LADDER...``.

RENSHO_LADDERS               presets with a ladder, comma separated, ``kakkuri.league:5`` for five seats
                             only; ``all`` (default) or ``none``
RENSHO_LADDER_CPU_S          CPU-seconds that the bots of a ladder may use in 24 hours (default 3600)
RENSHO_LADDER_BOARDS         boards of a round (default 8)
RENSHO_LADDER_PAUSE_S        seconds from the end of a round to the next one, unless a bot is new
                             (default 1800)
RENSHO_LADDER_HOURS          hours after which an unfinished round is cancelled (default 24)
RENSHO_LADDER_BOTS           bots of one player on a ladder (default 3)
RENSHO_LADDER_SEASON_MONTHS  months of a season: 1, 3, 6 or 12 (default 3)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.settings.numbers import number_of, numbers_of

PREFIX = "RENSHO_LADDER_"
LADDERS = "RENSHO_LADDERS"
CPU_S = "RENSHO_LADDER_CPU_S"
BOARDS = "RENSHO_LADDER_BOARDS"
PAUSE_S = "RENSHO_LADDER_PAUSE_S"
HOURS = "RENSHO_LADDER_HOURS"
BOTS = "RENSHO_LADDER_BOTS"
SEASON_MONTHS = "RENSHO_LADDER_SEASON_MONTHS"
VARIABLES = {
    CPU_S: "cpu_s",
    BOARDS: "boards",
    PAUSE_S: "pause_s",
    HOURS: "hours",
    BOTS: "bots",
    SEASON_MONTHS: "season_months",
}
MAX_VALUES = {
    CPU_S: 10_000_000,
    BOARDS: 200,
    PAUSE_S: 30 * 24 * 3600,
    HOURS: 30 * 24,
    BOTS: 50,
    SEASON_MONTHS: 12,
}
MIN_VALUES = {PAUSE_S: 0, BOARDS: 2}
"""Minimum values, 1 for other variables. A set of one board says nothing in a rating."""
SEASON_LENGTHS = (1, 3, 6, 12)
"""Months of a season, which begins with a month, quarter, half or year."""


class LadderSettings(NamedTuple):
    presets: frozenset[str] | None = None
    """Names of presets, or presets with seats (``kakkuri.league:5``); None: all."""
    cpu_s: int = 3600
    boards: int = 8
    pause_s: int = 1800
    hours: int = 24
    bots: int = 3
    season_months: int = 3

    def includes(self, preset: str, seats: int) -> bool:
        """Return whether a preset with this number of seats has a ladder."""
        return self.presets is None or bool({preset, f"{preset}:{seats}"} & self.presets)


def ladder_settings_of(environment: Mapping[str, str]) -> LadderSettings:
    """Return the ladders of an environment; SystemExit for wrong numbers. Presets are validated later."""
    defaults = {name: LadderSettings._field_defaults[field] for name, field in VARIABLES.items()}
    numbers_of({name: "" for name in environment if name.startswith(PREFIX)}, PREFIX, defaults, range(1))
    values = {
        field: number_of(
            environment, name, defaults[name], range(MIN_VALUES.get(name, 1), MAX_VALUES[name] + 1)
        )
        for name, field in VARIABLES.items()
    }
    if values["season_months"] not in SEASON_LENGTHS:
        raise SystemExit(
            f"rensho: {SEASON_MONTHS}={values['season_months']} is not one of "
            f"{', '.join(map(str, SEASON_LENGTHS))}."
        )
    text = environment.get(LADDERS, "").strip() or "all"
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    return LadderSettings(presets=None if text == "all" else names - {"none"}, **values)
