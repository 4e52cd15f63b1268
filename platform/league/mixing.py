"""Pairings of heats: splits a round so that meetings, sit-outs and neighbours stay even.

Minimises the sum of squares of the numbers of meetings, by a tabu search over exchanges of two entries
without randomness: the same history gives the same round on every machine. Within a heat, the circular order
with the least frequent neighbours is used.
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
"""Maximum exchanges without improvement before the search ends."""
MAX_EXCHANGES = 2000
_FORBIDDEN = np.int64(1) << 60


class MeetingHistory(NamedTuple):
    """Counts over the rounds so far, entries by their number in the seeded order."""

    meetings: Counts
    """Number of meetings of every two entries; symmetric, the diagonal 0."""
    neighbours: Counts
    """Number of times that the second sat on the right of the first."""
    sat_out: Counts
    """Rounds that each entry sat out."""
    rounds: int

    def draw_round(self, sides: int) -> tuple[tuple[int, ...], ...]:
        """Return one round: heats of ``sides`` entries in circular order, then the sit-outs alone.

        Entries with the fewest sit-outs sit out. Each heat begins with its best seed, and is ordered by it.
        """
        heats = len(self.sat_out) // sides
        split = _split(self, sides, heats)
        drawn = [
            _best_circular_order(np.flatnonzero(split == heat), self.neighbours) for heat in range(heats)
        ]
        return (*sorted(drawn), *((int(entry),) for entry in np.flatnonzero(split == heats)))


def meeting_history(entries: int, rounds: Iterable[Sequence[Sequence[int]]]) -> MeetingHistory:
    """Count over rounds, given as heats in circular order; entries in no heat sat out."""
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
    """Return the heat of every entry; entries that sit out have the number ``heats``."""
    entries = len(met.sat_out)
    numbers = np.arange(entries)
    weights = _weights(met.meetings)
    split = _first_split(met, sides, heats)
    costs = _costs(weights, split, heats)
    now = int(costs[numbers, split].sum()) // 2
    best, best_split, since = now, split.copy(), 0
    least = _cost_lower_bound(weights, heats * sides * (sides - 1) // 2)
    barred_until = np.zeros(entries, dtype=np.int64)
    # Exchanges with a sit-out need equal numbers of sit-outs, so that sit-outs stay even.
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
        for entry, other in ((first, second), (second, first)):
            if split[entry] < heats:
                costs[:, split[entry]] += weights[:, entry] - weights[:, other]
        barred_until[[first, second]] = step + 4 + step % 7
        if now < best:
            best, best_split, since = now, split.copy(), 0
    return best_split


def _first_split(met: MeetingHistory, sides: int, heats: int) -> Counts:
    """Return the start of the search: pots of seeds spread over the heats, shifted further every round.

    For a prime number of heats, this many rounds never pair two entries of different pots twice.
    """
    entries = len(met.sat_out)
    by_sit_outs = sorted(range(entries), key=lambda entry: (met.sat_out[entry], -entry))
    out = set(by_sit_outs[: entries - heats * sides])
    split = np.full(entries, heats, dtype=np.int64)
    for position, entry in enumerate(entry for entry in range(entries) if entry not in out):
        pot, column = divmod(position, heats)
        split[entry] = (column + met.rounds * pot) % heats
    return split


def _costs(weights: Counts, split: Counts, heats: int) -> Counts:
    """Return the weight of the meetings of every entry in every heat; sitting out costs nothing."""
    members = np.zeros((len(split), heats + 1), dtype=np.int64)
    members[np.arange(len(split)), split] = 1
    members[:, heats] = 0
    return weights @ members


def _weights(meetings: Counts) -> Counts:
    """Return the cost of one more meeting: the square of the surplus over the least frequent meeting."""
    more: Counts = meetings - meetings[~np.eye(len(meetings), dtype=bool)].min()
    np.fill_diagonal(more, 0)
    return np.square(more)


def _cost_lower_bound(weights: Counts, pairs: int) -> int:
    """Return a lower bound of the cost of any split with this number of meetings."""
    return int(np.sort(weights[np.triu_indices(len(weights), 1)])[:pairs].sum())


def _best_circular_order(members: Counts, neighbours: Counts) -> tuple[int, ...]:
    """Return the members from the best seed on, in the circular order with the least frequent neighbours."""
    orders = _orders(len(members))
    worn = neighbours[np.ix_(members, members)]
    cost = worn[orders, np.roll(orders, -1, axis=1)].sum(axis=1)
    return tuple(int(entry) for entry in members[orders[int(cost.argmin())]])


@cache
def _orders(size: int) -> Counts:
    """Return every circular order of this size, one per row, in lexical order."""
    return np.array([(0, *tail) for tail in permutations(range(1, size))], dtype=np.int64)
