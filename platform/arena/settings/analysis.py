"""Limits of analysis, from ``RENSHO_ANALYSIS_...``.

RENSHO_ANALYSIS_NOTES_CPU_S    CPU-seconds per 24 hours for notes on played tables (default 14400); 0: none
RENSHO_ANALYSIS_GUEST_CPU_S    CPU-seconds per hour for positions that one address asks for (default 10)
RENSHO_ANALYSIS_ACCOUNT_CPU_S  the same for one account (default 120)
RENSHO_ANALYSIS_SITE_CPU_S     the same for all visitors together (default 1800); 0: none are solved
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arena.settings.numbers import numbers_of

PREFIX = "RENSHO_ANALYSIS_"
MAX_VALUE = 10_000_000


class AnalysisLimits(NamedTuple):
    notes_cpu_s: int = 14_400
    guest_cpu_s: int = 10
    account_cpu_s: int = 120
    site_cpu_s: int = 1800


VARIABLES = {PREFIX + field.upper(): field for field in AnalysisLimits._fields}


def analysis_limits_of(environment: Mapping[str, str]) -> AnalysisLimits:
    """Return the limits of an environment.

    Raise ``SystemExit`` if a value is not an integer in its range, or a variable is unknown.
    """
    defaults = {name: AnalysisLimits._field_defaults[field] for name, field in VARIABLES.items()}
    values = numbers_of(environment, PREFIX, defaults, range(MAX_VALUE + 1))
    return AnalysisLimits(**{VARIABLES[name]: number for name, number in values.items()})
