"""Seats around the table, numbered anticlockwise from 1: the next number is on the right.

Source: docs/rules/common.md#seats-and-direction; docs/rules/kakeya.md#pairs-seats-first-dealers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.game import Seat, Side


def seat_right_of(seat: Seat, seats: int) -> Seat:
    """Return the next seat, 1 after the last."""
    return seat % seats + 1


def seat_left_of(seat: Seat, seats: int) -> Seat:
    return (seat - 2) % seats + 1


def seats_from(first: Seat, among: Sequence[Seat]) -> tuple[Seat, ...]:
    """Return the seats of ``among``, ascending, rotated to begin with ``first``, which must be one of them.

    >>> seats_from(4, (1, 2, 4, 5))
    (4, 5, 1, 2)
    """
    start = among.index(first)
    return (*among[start:], *among[:start])


@cache
def opposite_pairs(seats: int) -> tuple[Side, ...]:
    """Return the pairs of opposite seats in the order of their lower seats; ``seats`` is even.

    >>> opposite_pairs(6)
    ((1, 4), (2, 5), (3, 6))
    """
    half = seats // 2
    return tuple((seat, seat + half) for seat in range(1, half + 1))
