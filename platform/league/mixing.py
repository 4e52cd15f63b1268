"""Who meets in a heat: splits a round so that meetings, sit-outs and neighbours stay even.

A round is drawn from the rounds before it alone. Wanted is the least sum of squares of the numbers of
meetings, so nobody meets twice while others could meet once; found by a tabu search over exchanges of
two entries, with whole numbers only and no chance: the same history gives the same round on every
machine. Within a heat the circular order with the least worn neighbours is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]

MAX_STALLED_EXCHANGES = 300
"""Exchanges without a better split before the search ends."""
MAX_EXCHANGES = 2000
_FORBIDDEN = np.int64(1) << 60


class MeetingHistory(NamedTuple):
    """The rounds so far, entries by their number in the seeded order."""

    meetings: Counts
    """How often every two met; symmetric, the diagonal 0."""
    neighbours: Counts
    """How often the second sat on the right of the first."""
    sat_out: Counts
    """Rounds each entry sat out."""
    rounds: int
    """Rounds so far."""

    def draw_round(self, sides: int) -> tuple[tuple[int, ...], ...]:
        """One round: heats of ``sides`` entries in circular order, then the sit-outs alone.

        As many heats as fit; those sit out who did so least often, so that sit-outs never differ by more
        than one. Each heat begins with its best seed, and heats come in the order of these.
        """
        heats = len(self.sat_out) // sides
        split = _split(self, sides, heats)
        drawn = [
            _best_circular_order(np.flatnonzero(split == heat), self.neighbours) for heat in range(heats)
        ]
        return (*sorted(drawn), *((int(entry),) for entry in np.flatnonzero(split == heats)))


def meeting_history(entries: int, rounds: Iterable[Sequence[Sequence[int]]]) -> MeetingHistory:
    """Counts over rounds, each the heats played, in circular order; entries in none sat out."""
    meetings, neighbours = (np.zeros((entries, entries), dtype=np.int64) for _ in range(2))
    sat_out = np.zeros(entries, dtype=np.int64)
    number = 0
    for number, drawn in enumerate(rounds, 1):  # noqa: B007 - how many there were
        sat_out += 1
        for heat in drawn:
            members = np.array(heat)
            sat_out[members] -= 1
            meetings[np.ix_(members, members)] += 1
            neighbours[members, np.roll(members, -1)] += 1
    np.fill_diagonal(meetings, 0)
    np.fill_diagonal(neighbours, 0)
    return MeetingHistory(meetings, neighbours, sat_out, number)


def _split(met: MeetingHistory, sides: int, heats: int) -> Counts:
    """The heat of every entry; those that sit out have the number ``heats``."""
    entries = len(met.sat_out)
    numbers = np.arange(entries)
    weights = _weights(met.meetings)
    split = _first_split(met, sides, heats)
    costs = _costs(weights, split, heats)
    now = int(costs[numbers, split].sum()) // 2
    best, best_split, since = now, split.copy(), 0
    least = _cost_lower_bound(weights, heats * sides * (sides - 1) // 2)
    barred_until = np.zeros(entries, dtype=np.int64)
    # An exchange with a sit-out is only for those who sat out equally often: so sit-outs stay even.
    uneven = met.sat_out[:, None] != met.sat_out[None, :]
    for step in range(1, MAX_EXCHANGES + 1):
        if best <= least or since >= MAX_STALLED_EXCHANGES:
            break
        plays = split < heats
        moved = costs[:, split] - weights * plays - costs[numbers, split][:, None]
        change = moved + moved.T
        change[(split[:, None] == split) | (uneven & (plays[:, None] != plays))] = _FORBIDDEN
        barred = barred_until >= step
        change[(barred[:, None] | barred) & (change + now >= best)] = _FORBIDDEN
        first, second = divmod(int(change.argmin()), entries)
        since += 1
        if change[first, second] >= _FORBIDDEN:
            continue
        now += int(change[first, second])
        split[[first, second]] = split[[second, first]]
        for entry, gone in ((first, second), (second, first)):
            if split[entry] < heats:
                costs[:, split[entry]] += weights[:, entry] - weights[:, gone]
        barred_until[[first, second]] = step + 4 + step % 7
        if now < best:
            best, best_split, since = now, split.copy(), 0
    return best_split


def _first_split(met: MeetingHistory, sides: int, heats: int) -> Counts:
    """Where the search starts: pots of seeds laid out over the heats, each pot shifted further a round.

    For a prime number of heats, as many rounds bring no two entries of different pots together twice.
    """
    entries = len(met.sat_out)
    by_sit_outs = sorted(range(entries), key=lambda entry: (met.sat_out[entry], -entry))
    out = set(by_sit_outs[: entries - heats * sides])
    split = np.full(entries, heats, dtype=np.int64)
    for place, entry in enumerate(entry for entry in range(entries) if entry not in out):
        pot, column = divmod(place, heats)
        split[entry] = (column + met.rounds * pot) % heats
    return split


def _costs(weights: Counts, split: Counts, heats: int) -> Counts:
    """For every entry and heat the weight of its meetings there; sitting out costs nothing."""
    members = np.zeros((len(split), heats + 1), dtype=np.int64)
    members[np.arange(len(split)), split] = 1
    members[:, heats] = 0
    return weights @ members


def _weights(meetings: Counts) -> Counts:
    """What one more meeting costs: the square of how often two met more than those who met least."""
    more: Counts = meetings - meetings[~np.eye(len(meetings), dtype=bool)].min()
    np.fill_diagonal(more, 0)
    return np.square(more)


def _cost_lower_bound(weights: Counts, pairs: int) -> int:
    """No split into so many meetings costs less."""
    return int(np.sort(weights[np.triu_indices(len(weights), 1)])[:pairs].sum())


def _best_circular_order(members: Counts, neighbours: Counts) -> tuple[int, ...]:
    """The members from the best seed on, in the circular order whose neighbours met least as such."""
    orders = _orders(len(members))
    worn = neighbours[np.ix_(members, members)]
    cost = worn[orders, np.roll(orders, -1, axis=1)].sum(axis=1)
    return tuple(int(entry) for entry in members[orders[int(cost.argmin())]])


@cache
def _orders(size: int) -> Counts:
    """Every circular order of so many, one a row, in lexical order."""
    return np.array([(0, *rest) for rest in permutations(range(1, size))], dtype=np.int64)
