"""Formatting of numbers, times and names."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

_MINUTE_S, _HOUR_S = 60, 3600
_MAX_VALUE_CHARS = 8


def count_text(count: int, noun: str, several: str = "") -> str:
    """Return a number with its noun.

    >>> count_text(1, "board"), count_text(0, "board"), count_text(2, "entry", "entries")
    ('1 board', '0 boards', '2 entries')
    """
    return f"{count:,} {noun if count == 1 else several or f'{noun}s'}"


def duration_text(seconds: float) -> str:
    """Return a duration in a suitable unit.

    >>> duration_text(42.25), duration_text(330), duration_text(7200)
    ('42 s', '6 min', '2.0 h')
    """
    if seconds < 2 * _MINUTE_S:
        return f"{seconds:,.0f} s"
    if seconds < 2 * _HOUR_S:
        return f"{seconds / _MINUTE_S:.0f} min"
    return f"{seconds / _HOUR_S:,.1f} h"


def minute_text(moment: str) -> str:
    """Return an ISO time of a server to the minute, in UTC: ``2027-05-01 18:00``."""
    return moment[:16].replace("T", " ")


def bytes_text(count: int) -> str:
    """Return a number of bytes in a suitable unit.

    >>> bytes_text(1881), bytes_text(1_449_000)
    ('1.9 kB', '1.4 MB')
    """
    if count < 100_000:
        return f"{count / 1000:.1f} kB"
    return f"{count / 1_000_000:.1f} MB"


def name_text(name: str) -> str:
    """Replace the underscores of an API name: ``board score``."""
    return name.replace("_", " ")


def interval_text(low: float, high: float) -> str:
    """Return both ends of an interval: ``+0.120 to +0.480``."""
    return f"{low:+.3f} to {high:+.3f}"


def numbers_text(values: Sequence[str | int | None]) -> list[str]:
    """Format the exact fractions of a column: with three decimals if any is not whole.

    >>> numbers_text(["319/2", 0, None]), numbers_text(["268", 0])
    (['159.500', '0.000', ''], ['268', '0'])
    """
    exact = [_fraction(value) for value in values]
    are_whole = all(number is None or number.denominator == 1 for number in exact)
    return [
        _other_value_text(value) if number is None else str(number) if are_whole else f"{float(number):.3f}"
        for value, number in zip(values, exact, strict=True)
    ]


def _fraction(value: str | int | None) -> Fraction | None:
    try:
        return None if value is None else Fraction(value)
    except (ValueError, ZeroDivisionError):
        return None


def _other_value_text(value: str | int | None) -> str:
    return "" if value is None else str(value)[:_MAX_VALUE_CHARS]
