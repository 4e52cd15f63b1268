"""Shapes of values in an export: leaves with their ranges, objects with their keys, lists of rows.

Source: docs/fair-deals.md#the-export.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

MAX_NUMBER = 1 << 31
MAX_BOARDS = (1 << 15) - 1
"""Maximum boards of a set, the range of a site's database column. Each takes time to verify."""


class LeafShape(NamedTuple):
    """A value without parts."""

    allows: Callable[[Any], bool]
    expected: str
    """Allowed values, as text."""


class ObjectShape(NamedTuple):
    parts: Mapping[str, Any]
    optional: frozenset[str] = frozenset()


class ListShape(NamedTuple):
    of: Any
    least: int = 0


class MapShape(NamedTuple):
    of: Any


class Nullable(NamedTuple):
    of: Any


class TupleShape(NamedTuple):
    """A list of a fixed length with a shape for each position."""

    of: tuple[Any, ...]


Shape = LeafShape | ObjectShape | ListShape | MapShape | Nullable | TupleShape


def integer(least: int = 0, most: int = MAX_NUMBER) -> LeafShape:
    """Return the shape of a whole number within bounds; booleans are not numbers."""
    expected = (
        f"a whole number from {least} to {most}" if most < MAX_NUMBER else f"a whole number, {least} or more"
    )
    return LeafShape(lambda value: type(value) is int and least <= value <= most, expected)


def matching(pattern: str, expected: str) -> LeafShape:
    """Return the shape of a text that the pattern matches completely."""
    compiled = re.compile(pattern, re.ASCII)
    return LeafShape(lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None, expected)


def one_of(*values: str) -> LeafShape:
    return LeafShape(
        lambda value: isinstance(value, str) and value in values, f"one of {', '.join(map(repr, values))}"
    )


def text(most: int, least: int = 0) -> LeafShape:
    """Return the shape of a text with this number of characters."""
    expected = f"a text of {least} to {most} characters"
    return LeafShape(lambda value: isinstance(value, str) and least <= len(value) <= most, expected)


def is_fraction(value: Any) -> bool:
    """Return whether a value is a fraction in canonical form."""
    if not isinstance(value, str) or len(value) > 200 or not _FRACTION.fullmatch(value):
        return False
    upper, _, lower = value.partition("/")
    return lower != "0" and not lower.startswith("0") and str(Fraction(value)) == value and upper != "-0"


def is_time(value: Any) -> bool:
    """Return whether a value is a time with its offset, as written by ``isoformat``."""
    try:
        time = datetime.datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    return time.tzinfo is not None and time.isoformat() == value


_FRACTION = re.compile(r"-?[0-9]+(/[0-9]+)?", re.ASCII)
BOARDS = integer(1, MAX_BOARDS)
"""Number of boards of a set, or the number of one board."""
BOOLEAN = LeafShape(lambda value: isinstance(value, bool), "true or false")
SCALAR = LeafShape(
    lambda value: (
        value is None
        or isinstance(value, bool | str)
        or (isinstance(value, int) and abs(value) < MAX_NUMBER)
        or (isinstance(value, list) and all(isinstance(part, str | int) for part in value))
    ),
    "a text, a whole number, true, false, null, or a list of those",
)
OPTION = LeafShape(
    lambda value: (
        SCALAR.allows(value)
        or (
            isinstance(value, list)
            and all(isinstance(part, list) and all(type(seed) is int for seed in part) for part in value)
        )
    ),
    f"{SCALAR.expected}, or a list of lists of whole numbers",
)
SHA256 = matching(r"[0-9a-f]{64}", "64 lowercase hex digits")
NO_SHA256 = matching(r"([0-9a-f]{64})?", "64 lowercase hex digits, or nothing")
ID = matching(r"[^|\s]{1,64}", "an id")
FRACTION = LeafShape(is_fraction, "a whole number or a fraction in its lowest terms, as text")
TIME = LeafShape(is_time, "a time with its offset from UTC")
NAME = text(300)
REASON = text(500)
