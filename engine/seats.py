"""Places around the table.

Seats are numbered anticlockwise from 1, so the next number (wrapping) sits on one's right.

Source: docs/rules/common.md#seats-and-direction; docs/rules/kakeya.md#pairs-seats-first-dealers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.game import Seat, Side


def seat_right_of(seat: Seat, seats: int) -> Seat:
    """The seat on the right: the next number, 1 after the last.

    >>> seat_right_of(4, 4)
    1
    """
    return seat % seats + 1


def seat_left_of(seat: Seat, seats: int) -> Seat:
    """The seat on the left: the number before, the last before 1."""
    return (seat - 2) % seats + 1


def seats_from(first: Seat, among: Sequence[Seat]) -> tuple[Seat, ...]:
    """The seats of ``among``, ascending, in turn anticlockwise from ``first``, which must be one of them.

    >>> seats_from(4, (1, 2, 4, 5))
    (4, 5, 1, 2)
    """
    at = among.index(first)
    return (*among[at:], *among[:at])


@cache
def opposite_pairs(seats: int) -> tuple[Side, ...]:
    """Pairs of seats facing each other, in the order of their lower seats; ``seats`` is even.

    >>> opposite_pairs(6)
    ((1, 4), (2, 5), (3, 6))
    """
    half = seats // 2
    return tuple((seat, seat + half) for seat in range(1, half + 1))
