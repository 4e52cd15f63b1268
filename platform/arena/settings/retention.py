"""Days that an installation keeps data which results do not depend on, from ``RENSHO_KEEP_...``.

RENSHO_KEEP_LOGS_DAYS          standard error of bots, and logs of remote bots (default 0: always)
RENSHO_KEEP_TIMINGS_DAYS       times of decisions: 0 for always (default), otherwise at least 60, because the
                               times of a paused tournament are still needed
RENSHO_KEEP_EVENTS_DAYS        events of streams and webhooks (default 14)
RENSHO_KEEP_GUEST_TABLES_DAYS  tables that guests and deleted accounts played against bots, and unrated
                               tables of remote bots (default 30)

Days of logs and times count from the last table with the same content. Records of tournaments are kept for
ever: exports, audits and ratings need them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.settings.numbers import number_of, numbers_of

PREFIX = "RENSHO_KEEP_"
LOGS = "RENSHO_KEEP_LOGS_DAYS"
TIMINGS = "RENSHO_KEEP_TIMINGS_DAYS"
EVENTS = "RENSHO_KEEP_EVENTS_DAYS"
GUEST_TABLES = "RENSHO_KEEP_GUEST_TABLES_DAYS"
MAX_DAYS = 36_500
TIMINGS_DAYS_MIN = 60


class Retention(NamedTuple):
    """Days; 0 for always."""

    logs_days: int = 0
    timings_days: int = 0
    events_days: int = 14
    guest_tables_days: int = 30


VARIABLES = {
    LOGS: "logs_days",
    TIMINGS: "timings_days",
    EVENTS: "events_days",
    GUEST_TABLES: "guest_tables_days",
}
ALWAYS = ("logs_days", "timings_days")
"""Fields in which 0 is allowed."""


def retention_of(environment: Mapping[str, str]) -> Retention:
    """Return the days of an environment. SystemExit for wrong numbers and unknown variables."""
    defaults = {name: Retention._field_defaults[field] for name, field in VARIABLES.items()}
    numbers_of({name: "" for name in environment if name.startswith(PREFIX)}, PREFIX, defaults, range(1))
    values = {
        field: number_of(environment, name, defaults[name], range(field not in ALWAYS, MAX_DAYS + 1))
        for name, field in VARIABLES.items()
    }
    if 0 < values["timings_days"] < TIMINGS_DAYS_MIN:
        raise SystemExit(
            f"rensho: {TIMINGS}={values['timings_days']} is neither 0 nor at least "
            f"{TIMINGS_DAYS_MIN}. Correct it or leave it out: the default is 0, for always."
        )
    return Retention(**values)
