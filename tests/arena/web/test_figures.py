"""Exact numbers as text."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.web.base.figures import (
    MINUS,
    NO_BREAK_SPACE,
    format_column,
    format_duration,
    format_exact,
    format_milliseconds,
)

pytestmark = pytest.mark.full


def read(text: str) -> Fraction:
    """What a written value says."""
    sign = -1 if text.startswith(MINUS) else 1
    whole, _, part = text.lstrip(f"{MINUS}+").rpartition(NO_BREAK_SPACE)
    return sign * (Fraction(whole or 0) + Fraction(part))


@given(st.fractions(max_denominator=1000))
def test_what_is_written_is_the_value_itself(value: Fraction) -> None:
    assert read(format_exact(value)) == read(format_exact(value, signed=True, decimals=2)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(7, 2), "+3.5"),
        (Fraction(-1, 4), "−0.25"),
        (Fraction(10, 3), "+3\N{NO-BREAK SPACE}1/3"),
        (Fraction(-1, 3), "−1/3"),
    ],
)
def test_signed_values(value: Fraction, text: str) -> None:
    assert format_exact(value, signed=True) == text


def test_a_column_has_its_points_in_line() -> None:
    assert format_column([Fraction(3), Fraction(-1, 2), Fraction(0)], signed=True) == ["+3.0", "−0.5", "0.0"]


def test_times() -> None:
    assert [format_milliseconds(ms) for ms in (20, 2500, 3000)] == ["20\xa0ms", "2.5\xa0s", "3\xa0s"]
    assert [format_duration(s) for s in (-1, 59, 61, 3700, 90000)] == [
        "0:00",
        "0:59",
        "1:01",
        "1 h 01 min",
        "1 d 1 h",
    ]
