"""Pairings of a Swiss round: a maximum-weight matching among entries that have not met.

Each entry is first connected to its nearest possible opponents in pairing order, then, if not all can be
paired, to more, and finally to all that it has not met. Weights are whole numbers, so the same input gives
the same round on every machine.

Source of the matching: Z. Galil, Efficient algorithms for finding maximum matching in graphs, ACM Computing
Surveys 18, 1986, as in networkx.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import networkx as nx

NEAREST_OPPONENTS = 20
"""Number of opponents in the first attempt."""
WIDENING_FACTOR = 4
"""Factor for the number of opponents in each further attempt."""
_MAX_DISTANCE = 127
"""Maximum distance in pairing order that is distinguished."""

# Costs of a pairing in ascending weight: distance in order, the same side more often for both, distance in
# score levels. Each outweighs all lesser ones of the pairing together.
_SIDE_WEIGHT = _MAX_DISTANCE**2
_LEVEL_WEIGHT = 8 * _SIDE_WEIGHT

Edges = list[tuple[int, int, int]]
"""Two entries by number, the lower first, and the weight of their meeting."""


class PairingEntry(NamedTuple):
    """An entry before a round."""

    entry: int
    """Its position among the entries by seed."""
    level: int
    """0 for the highest score, increasing with every lower score in the field."""
    first: int
    """Number of times it was first side, less the times it was second."""
    last: int
    """1 if it was first side last time, -1 if second, 0 before its first meeting."""
    had_bye: bool
    owner: str | None
    """Equal values are one owner; None: an owner without other entries."""


def pairing_order(players: Sequence[PairingEntry]) -> list[PairingEntry]:
    """Sort by level, each level folded, so that neighbours are preferred pairings.

    >>> [p.entry for p in pairing_order([PairingEntry(k, k // 4, 0, 0, False, None) for k in range(8)])]
    [0, 2, 1, 3, 4, 6, 5, 7]
    """
    order: list[PairingEntry] = []
    for _, together in groupby(sorted(players, key=lambda p: (p.level, p.entry)), key=lambda p: p.level):
        members = list(together)
        half = -(-len(members) // 2)
        order += [members[position // 2 + (half if position % 2 else 0)] for position in range(len(members))]
    return order


class PairedRound(NamedTuple):
    pairs: tuple[tuple[int, int], ...]
    byes: tuple[int, ...]


def pair_round(
    players: Sequence[PairingEntry], met: Mapping[int, frozenset[int]], *, owners_apart: bool = True
) -> PairedRound | None:
    """Return the round; None if no two entries can meet, or only with a second bye for an entry.

    ``met`` has for each entry the entries it met. Criteria, most important first: as many pairs as possible,
    and first byes for the others; owners apart; no entry three times more often on one side than on the
    other; the bye to the lowest entry; scores as near as possible.
    """
    if len(players) < 2:
        return None
    if (near := _pair_nearby(players, met, owners_apart)) is not None:
        return near
    order = pairing_order(players)
    pairs = Candidates(order, met, owners_apart).best_pairs()
    paired = {number for pair in pairs for number in pair}
    byes = [player for number, player in enumerate(order) if number not in paired]
    if not pairs or any(player.had_bye for player in byes):
        return None
    return _paired_round(order, pairs, byes)


def _pair_nearby(
    players: Sequence[PairingEntry], met: Mapping[int, frozenset[int]], owners_apart: bool
) -> PairedRound | None:
    """Pair all entries with near opponents; with an odd number, the lowest without a bye gets the bye."""
    bye = []
    if len(players) % 2:
        without_bye = [player for player in players if not player.had_bye]
        if not without_bye:
            return None
        bye = [max(without_bye, key=_rank)]
    order = pairing_order([player for player in players if player not in bye])
    pairs = Candidates(order, met, owners_apart).near_pairs()
    return _paired_round(order, pairs, bye) if pairs else None


def _paired_round(
    order: Sequence[PairingEntry], pairs: Iterable[tuple[int, int]], byes: Iterable[PairingEntry]
) -> PairedRound:
    return PairedRound(
        tuple(_sides(order[a], order[b], board) for board, (a, b) in enumerate(sorted(pairs))),
        tuple(sorted(player.entry for player in byes)),
    )


def is_round_guaranteed(players: Sequence[PairingEntry], met: Mapping[int, frozenset[int]]) -> bool:
    """Return whether each entry has enough opponents left to guarantee a round, without drawing it.

    A graph whose vertices are connected to at least half of the others has a perfect matching (Dirac). The
    bye is one more vertex, connected to the entries that had none.
    """
    playing = {player.entry for player in players}
    odd = len(players) % 2
    free = [
        len(playing) - 1 - len(met.get(player.entry, frozenset()) & playing) + (odd and not player.had_bye)
        for player in players
    ]
    if odd:
        free.append(sum(not player.had_bye for player in players))
    return len(players) > 1 and 2 * min(free) >= len(players) + odd


def _sides(a: PairingEntry, b: PairingEntry, board: int) -> tuple[int, int]:
    """Return the first side: the entry that was it less often, then not last time, then by board."""
    for of_a, of_b in ((a.first, b.first), (a.last, b.last)):
        if of_a != of_b:
            return (a.entry, b.entry) if of_a < of_b else (b.entry, a.entry)
    best, other = sorted((a, b), key=_rank)
    return (other.entry, best.entry) if board % 2 else (best.entry, other.entry)


def _rank(player: PairingEntry) -> tuple[int, int]:
    return player.level, player.entry


class Candidates:
    def __init__(
        self, order: Sequence[PairingEntry], met: Mapping[int, frozenset[int]], owners_apart: bool
    ) -> None:
        self.order = order
        self.owners_apart = owners_apart
        number = {player.entry: position for position, player in enumerate(order)}
        self.met = [
            {number[other] for other in met.get(player.entry, ()) if other in number} for player in order
        ]

    def near_pairs(self) -> list[tuple[int, int]] | None:
        """Pair all entries with near opponents without any conflict; None if that is not possible."""
        pairs = maximum_matching(self.near_edges())
        return pairs if 2 * len(pairs) == len(self.order) else None

    def near_edges(self) -> Edges:
        """Return near pairings without a conflict, with weights that decrease with distance."""
        top = self._max_cost()
        return [
            (*pair, top - self._cost(*pair))
            for pair in sorted(self._near(NEAREST_OPPONENTS, only_wanted=True))
        ]

    def _near(self, nearest: int, *, only_wanted: bool) -> set[tuple[int, int]]:
        """Return each entry with its nearest opponents that it has not met, the lower number first."""
        chosen: set[tuple[int, int]] = set()
        for number, met in enumerate(self.met):
            count = 0
            for distance in range(1, len(self.met)):
                for other in (number + distance, number - distance):
                    if not 0 <= other < len(self.met) or other in met or count >= nearest:
                        continue
                    if not (only_wanted and self._is_unwanted(number, other)):
                        chosen.add((number, other) if number < other else (other, number))
                        count += 1
                if count >= nearest:
                    break
        return chosen

    def best_pairs(self) -> list[tuple[int, int]]:
        """Return the best pairs by the criteria of ``pair_round``; they may not include all entries.

        The search widens until no wider one can be better.
        """
        players = len(self.order)
        for nearest in _search_widths(players):
            near = self._near(nearest, only_wanted=False) | self._near(nearest, only_wanted=True)
            pairs = maximum_matching(self._weighted_edges(near))
            if len(pairs) == players // 2 and self._is_optimal(pairs):
                break
        return pairs

    def _weighted_edges(self, pairs: Iterable[tuple[int, int]]) -> Edges:
        """Weight the pairs so that each criterion outweighs all lesser ones of the whole round together."""
        players, top = len(self.order), self._max_cost()
        lowest = players * top  # weight of one rank of the entry left over
        same_side = lowest * (players * players + 1)
        one_owner = same_side * (players + 1)
        paired = one_owner * (players + 1)
        second_bye = paired * (players + 1)
        by_rank = sorted(range(players), key=lambda number: _rank(self.order[number]), reverse=True)
        worth = [0] * players
        for height, number in enumerate(by_rank):
            worth[number] = paired + height * lowest + self.order[number].had_bye * second_bye
        return [
            (
                player,
                other,
                worth[player]
                + worth[other]
                + top
                - self._cost(player, other)
                - one_owner * self._is_one_owner(player, other)
                - same_side * self._is_same_side(player, other),
            )
            for player, other in sorted(pairs)
        ]

    def _is_optimal(self, pairs: Sequence[tuple[int, int]]) -> bool:
        """Return whether no wider search could keep owners further apart, or balance sides better."""
        if any(self._is_same_side(player, other) for player, other in pairs):
            return False
        owned = Counter(player.owner for player in self.order if player.owner is not None)
        most = max(owned.values(), default=0)
        # If an owner has more entries than all others together, the surplus entries must meet each other,
        # except one with a bye.
        surplus = most - (len(self.order) - most)
        needed = max(0, surplus // 2) if self.owners_apart else 0
        return sum(self._is_one_owner(player, other) for player, other in pairs) <= needed

    def _is_unwanted(self, player: int, other: int) -> bool:
        return self._is_one_owner(player, other) or self._is_same_side(player, other)

    def _is_one_owner(self, player: int, other: int) -> bool:
        owner = self.order[player].owner
        return self.owners_apart and owner is not None and owner == self.order[other].owner

    def _is_same_side(self, player: int, other: int) -> bool:
        """Return whether one of them would have been on a side three times more often than on the other."""
        a, b = self.order[player].first, self.order[other].first
        return min(a, b) >= 2 or max(a, b) <= -2

    def _max_cost(self) -> int:
        """Return a bound that exceeds the cost of any pairing."""
        return _LEVEL_WEIGHT * (1 + self.order[-1].level ** 2)

    def _cost(self, player: int, other: int) -> int:
        a, b = self.order[player], self.order[other]
        same_side = min(abs(a.first), abs(b.first), 3) if a.first * b.first > 0 else 0
        apart = min(other - player, _MAX_DISTANCE)
        return _LEVEL_WEIGHT * (a.level - b.level) ** 2 + _SIDE_WEIGHT * same_side + apart**2


def _search_widths(players: int) -> list[int]:
    """Return the number of nearest opponents for each attempt; the last one includes all."""
    attempts = [NEAREST_OPPONENTS]
    while attempts[-1] < players:
        attempts.append(attempts[-1] * WIDENING_FACTOR)
    return attempts


def maximum_matching(edges: Edges) -> list[tuple[int, int]]:
    """Return as many pairs as possible with the greatest total weight."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from(edges)
    return sorted((min(pair), max(pair)) for pair in nx.max_weight_matching(graph, maxcardinality=True))
