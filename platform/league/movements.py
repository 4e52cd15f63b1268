"""Movements: schedules in which all entries play with and against each other about equally often.

Entries stand in a circle, and in the next round the next entry takes each place. So pairs of entries at the
same distance are partners and opponents equally often. If the entries fill whole tables, one of them stands
still outside the circle.

If the entries fill whole tables, or one is left over, the schedule is exact: a whist tournament, in which
each entry partners every other once and opposes it twice (with three sides four times). Source: E. H. Moore,
Tactical memoranda, American Journal of Mathematics 18, 1896 (for prime numbers); I. Anderson, Combinatorial
designs and tournaments, Oxford 1997, chapter 11. ``movement_tables`` has rounds that a search found; for
other sizes, exchanges make a round as even as possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from math import gcd

from league.movement_tables import FIRST_ROUNDS, SYMBOLS

Table = tuple[int, ...]
"""Positions from 0, two per side, side by side."""

SEATS = 2
BALANCING_EXCHANGES = 20_000
"""Number of exchanges tried to balance a round that is not in the tables."""


def cycle_rounds(entries: int, sides: int) -> int:
    """Return the rounds of a full movement: the number of places on the circle.

    >>> cycle_rounds(8, 2), cycle_rounds(9, 2), cycle_rounds(10, 2), cycle_rounds(7, 3)
    (7, 9, 10, 7)
    """
    return entries if entries % (SEATS * sides) else entries - 1


@cache
def movement(entries: int, sides: int) -> tuple[tuple[Table, ...], ...]:
    """Return every round of a full movement: its tables by positions from 0; entries at no table sit out."""
    first = first_round(entries, sides)
    turning = cycle_rounds(entries, sides)
    if (entries, sides) == (9, 2):
        # A circle of nine has no exact movement, but three circles of three, rotated separately, do.
        return tuple(
            tuple(tuple(_rotate_nine(position, turn) for position in table) for table in first)
            for turn in range(9)
        )
    step = _even_step(turning, set(range(turning)) - {position for table in first for position in table})
    return tuple(
        tuple(
            tuple(
                (position + turn * step) % turning if position < turning else position for position in table
            )
            for table in first
        )
        for turn in range(turning)
    )


def _even_step(turning: int, out: set[int]) -> int:
    """Return the rotation per round with which sit-outs are most even after any number of rounds."""

    def unevenness(step: int) -> int:
        sat_out = [0] * turning
        worst = 0
        for turn in range(turning):
            for position in out:
                sat_out[(position + turn * step) % turning] += 1
            worst = max(worst, max(sat_out) - min(sat_out))
        return worst

    if unevenness(1) <= 1:
        return 1
    return min((step for step in range(1, turning) if gcd(step, turning) == 1), key=unevenness)


def _rotate_nine(position: int, turn: int) -> int:
    return (position // 3 + turn // 3) % 3 * 3 + (position + turn) % 3


@cache
def first_round(entries: int, sides: int) -> tuple[Table, ...]:
    """Return the tables of the round from which all others follow."""
    known = FIRST_ROUNDS.get(sides, {}).get(entries)
    if known is not None:
        return _tables([SYMBOLS.index(symbol) for symbol in known], sides)
    if sides == 2 and entries % 4 == 1 and all(entries % k for k in range(2, entries)):
        return moore_round(entries)
    return _balanced_round(entries, sides)


def moore_round(prime: int) -> tuple[Table, ...]:
    """Return the exact first round for a prime number 4k+1 of entries.

    >>> moore_round(5)
    ((1, 4, 2, 3),)
    """
    root = next(g for g in count(2) if len({pow(g, k, prime) for k in range(prime - 1)}) == prime - 1)
    quarter = (prime - 1) // 4
    return tuple(tuple(pow(root, k + step * quarter, prime) for step in (0, 2, 1, 3)) for k in range(quarter))


def _tables(places: Sequence[int], sides: int) -> tuple[Table, ...]:
    size = SEATS * sides
    return tuple(tuple(places[start : start + size]) for start in range(0, len(places), size))


def _balanced_round(entries: int, sides: int) -> tuple[Table, ...]:
    """Return a round in which exchanges have balanced distances of partners and of opponents."""
    round_ = _DistanceCounts(entries, sides)
    turns = _pseudo_random_numbers(entries)
    for _ in range(BALANCING_EXCHANGES):
        round_.exchange_unless_worse(next(turns) % entries, next(turns) % entries)
    return _tables(round_.places[: round_.playing], sides)


def _pseudo_random_numbers(seed: int) -> Iterator[int]:
    """Yield a fixed sequence of pseudo-random numbers. Source: D. E. Knuth's MMIX generator, upper bits."""
    state = seed
    while True:
        state = (6364136223846793005 * state + 1442695040888963407) % (1 << 64)
        yield state >> 33


class _DistanceCounts:
    """A round under construction, with the number of pairs at each distance on the circle."""

    def __init__(self, entries: int, sides: int) -> None:
        self.turning = cycle_rounds(entries, sides)
        self.size = SEATS * sides
        self.playing = entries - entries % self.size
        # Entries that sit out are spaced evenly around the circle, so that sit-outs stay even as it rotates.
        over = entries - self.playing
        out = [number * entries // over for number in range(over)] if over else []
        self.places = [position for position in range(entries) if position not in out] + out
        self.partners = [0] * (self.turning // 2 + 1)
        self.opponents = [0] * (self.turning // 2 + 1)
        self.uneven = 0  # sum of squared meetings of pairs, with partners counted four times
        for slot in range(self.playing):
            for other in range(slot + 1, (slot // self.size + 1) * self.size):
                self._count(slot, other, 1)

    def exchange_unless_worse(self, slot: int, other: int) -> None:
        """Exchange the entries of two slots; undo it if the round becomes less even."""
        if slot == other or max(slot, other) >= self.playing:
            return
        before = self.uneven
        self._exchange(slot, other)
        if self.uneven > before:
            self._exchange(slot, other)

    def _exchange(self, slot: int, other: int) -> None:
        self._count_around(slot, other, -1)
        self._count_around(other, slot, -1)
        self.places[slot], self.places[other] = self.places[other], self.places[slot]
        self._count_around(slot, other, 1)
        self._count_around(other, slot, 1)

    def _count_around(self, slot: int, but: int, times: int) -> None:
        """Count a slot with the others of its table, except the slot it is exchanged with."""
        first = slot - slot % self.size
        for near in range(first, first + self.size):
            if near not in (slot, but):
                self._count(slot, near, times)

    def _count(self, slot: int, near: int, times: int) -> None:
        entry, other = self.places[slot], self.places[near]
        if max(entry, other) >= self.turning:
            return  # the entry in the middle has the same distance to all others
        apart = min(abs(entry - other), self.turning - abs(entry - other))
        are_partners = slot // SEATS == near // SEATS
        counts = self.partners if are_partners else self.opponents
        # Pairs half a circle apart meet twice per occurrence.
        weight = (4 if are_partners else 1) * (2 if 2 * apart == self.turning else 1)
        self.uneven += weight * (2 * counts[apart] * times + 1)
        counts[apart] += times
