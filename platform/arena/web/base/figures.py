"""Numbers as text: stones, points, times. Functions that round say so."""

from __future__ import annotations

from fractions import Fraction

from django.utils.translation import gettext as _

MINUS = "\N{MINUS SIGN}"
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
MAX_DECIMALS = 4
"""Maximum decimals; a fraction that needs more is written as a mixed number."""


def decimals_of(value: Fraction) -> int | None:
    """Return the decimals that write the value exactly; None if more than ``MAX_DECIMALS``."""
    for digits in range(MAX_DECIMALS + 1):
        if 10**digits % value.denominator == 0:
            return digits
    return None


def format_exact(value: Fraction, *, signed: bool = False, decimals: int = 0) -> str:
    r"""Format the exact value with at least ``decimals``: as a decimal if possible, else as a mixed number.

    >>> format_exact(Fraction(7, 2)), format_exact(Fraction(-3), signed=True, decimals=1)
    ('3.5', '−3.0')
    >>> format_exact(Fraction(10, 3))
    '3\xa01/3'
    """
    sign = MINUS if value < 0 else "+" if signed and value > 0 else ""
    size = abs(value)
    digits = decimals_of(size)
    if digits is not None:
        return f"{sign}{_decimal(size, max(digits, decimals))}"
    whole, remainder = divmod(size.numerator, size.denominator)
    part = f"{remainder}/{size.denominator}"
    return f"{sign}{whole}{NO_BREAK_SPACE}{part}" if whole else f"{sign}{part}"


def _decimal(size: Fraction, digits: int) -> str:
    """Write a value that has this many decimals, with integer arithmetic."""
    whole, fraction = divmod(int(size * 10**digits), 10**digits)
    return f"{whole}.{fraction:0{digits}d}" if digits else str(whole)


def format_column(values: list[Fraction], *, signed: bool = False) -> list[str]:
    """Format the values with the same number of decimals, so that their decimal points align."""
    decimals = max((decimals_of(value) or 0 for value in values), default=0)
    return [format_exact(value, signed=signed, decimals=decimals) for value in values]


def format_rounded(value: float, digits: int = 2) -> str:
    """Format a value with its sign, rounded to ``digits`` decimals; zero has no sign.

    >>> format_rounded(0.254), format_rounded(-0.25, 1), format_rounded(-0.001)
    ('+0.25', '−0.2', '0.00')
    """
    text = f"{value:+.{digits}f}"
    return text.replace("-", MINUS) if text.strip("+-0.") else text[1:]


def format_milliseconds(value: int) -> str:
    r"""Format milliseconds as ms or s.

    >>> format_milliseconds(20), format_milliseconds(3000), format_milliseconds(2500)
    ('20\xa0ms', '3\xa0s', '2.5\xa0s')
    """
    if value < 1000:
        return f"{value}{NO_BREAK_SPACE}ms"
    return f"{format_exact(Fraction(value, 1000))}{NO_BREAK_SPACE}s"


def format_duration(seconds: float) -> str:
    """Format a duration with its two largest units.

    >>> format_duration(42), format_duration(605), format_duration(7300), format_duration(200000)
    ('0:42', '10:05', '2 h 01 min', '2 d 7 h')
    """
    whole = max(0, int(seconds))
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return _("{days} d {hours} h").format(days=days, hours=hour)
    if hours:
        return _("{hours} h {minutes} min").format(hours=hours, minutes=f"{minute:02d}")
    return f"{minutes}:{second:02d}"


def format_tenths(milliseconds: float) -> str:
    r"""Format milliseconds, rounded to tenths.

    >>> format_tenths(19.96), format_tenths(12345.6)
    ('20\xa0ms', '12\xa0345.6\xa0ms')
    """
    text = f"{milliseconds:,.1f}".removesuffix(".0").replace(",", NO_BREAK_SPACE)
    return f"{text}{NO_BREAK_SPACE}ms"
