"""Pairings of a Swiss round: a maximum-weight matching among entries that have not met.

Entries come as players in pairing order (see ``pairing_order``), so that a good opponent is a near one.
Every player is joined to the nearest few it may meet; if not all can be paired so, to more, and at last
to everybody it has not met. Weights are whole numbers and players are numbered, so the same input gives
the same round everywhere.

Source of the matching: Z. Galil, Efficient algorithms for finding maximum matching in graphs, ACM
Computing Surveys 18, 1986, as in networkx.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import networkx as nx

NEAREST_OPPONENTS = 20
"""Opponents a player is joined to at first."""
WIDENING_FACTOR = 4
"""How many times more at each attempt after it."""
_MAX_DISTANCE = 127
"""Distances in pairing order are distinguished up to this."""

# What makes a pairing bad, from the least: places apart, both having had the same side more often,
# levels of score apart; each weighs more than all of the former in a pairing together.
_SIDE_WEIGHT = _MAX_DISTANCE**2
_LEVEL_WEIGHT = 8 * _SIDE_WEIGHT

Edges = list[tuple[int, int, int]]
"""Two players by number, the lower first, and the weight of their meeting."""


class PairingEntry(NamedTuple):
    """An entry before a round."""

    entry: int
    """Its place among the entries by seed."""
    level: int
    """From 0 for those with the highest score; one more for every next score that anybody has."""
    first: int
    """How many more times it was first side than second."""
    last: int
    """1 if it was first side last time, -1 if second, 0 before its first meeting."""
    had_bye: bool
    owner: str | None
    """Equal values are one owner; None: nobody else's."""


def pairing_order(players: Sequence[PairingEntry]) -> list[PairingEntry]:
    """The players so that neighbours are the pairings wanted: by level, and within each folded.

    The best of the upper half of a level is followed by the best of the lower half, then the second
    best of each.

    >>> [p.entry for p in pairing_order([Player(k, k // 4, 0, 0, False, None) for k in range(8)])]
    [0, 2, 1, 3, 4, 6, 5, 7]
    """
    order: list[PairingEntry] = []
    for _, together in groupby(sorted(players, key=lambda p: (p.level, p.entry)), key=lambda p: p.level):
        members = list(together)
        half = -(-len(members) // 2)
        order += [members[place // 2 + (half if place % 2 else 0)] for place in range(len(members))]
    return order


class PairedRound(NamedTuple):
    """A round by places in the order by seed, first side first; byes apart."""

    pairs: tuple[tuple[int, int], ...]
    byes: tuple[int, ...]


def pair_round(
    players: Sequence[PairingEntry], met: Mapping[int, frozenset[int]], *, owners_apart: bool = True
) -> PairedRound | None:
    """The round of these players; None if nobody can meet anybody, or only with a second bye for somebody.

    ``met`` has for every player's entry the entries it met. Nobody meets anybody twice. Before all else
    as many as possible are paired and the others have their first bye; then owners are kept apart as far
    as possible, nobody is first or second side three times more often than the other while that can be
    helped, a bye goes to the lowest, and scores come as near as possible.
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
    """The usual case: everybody meets somebody near; of an odd number the lowest without a bye has one."""
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
    """Whether enough opponents are left to all that a round can be drawn, as seen without drawing it.

    A graph in which everybody is joined to at least half of the others can be paired (Dirac); with an odd
    number the bye counts as one more player, joined to those who had none.
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
    """Who is first side: who was it less often, then who was not last time, then in turns by board."""
    for of_a, of_b in ((a.first, b.first), (a.last, b.last)):
        if of_a != of_b:
            return (a.entry, b.entry) if of_a < of_b else (b.entry, a.entry)
    best, other = sorted((a, b), key=_rank)
    return (other.entry, best.entry) if board % 2 else (best.entry, other.entry)


def _rank(player: PairingEntry) -> tuple[int, int]:
    return player.level, player.entry


class Candidates:
    """Who may meet whom in one round, players by their number in pairing order."""

    def __init__(
        self, order: Sequence[PairingEntry], met: Mapping[int, frozenset[int]], owners_apart: bool
    ) -> None:
        self.order = order
        self.owners_apart = owners_apart
        number = {player.entry: place for place, player in enumerate(order)}
        self.met = [
            {number[other] for other in met.get(player.entry, ()) if other in number} for player in order
        ]

    def near_pairs(self) -> list[tuple[int, int]] | None:
        """Everybody paired with somebody near whom nothing speaks against, or None."""
        pairs = maximum_matching(self.near_edges())
        return pairs if 2 * len(pairs) == len(self.order) else None

    def near_edges(self) -> Edges:
        """Those near to each other whom nothing speaks against, the nearer the heavier."""
        top = self._max_cost()
        return [
            (*pair, top - self._cost(*pair))
            for pair in sorted(self._near(NEAREST_OPPONENTS, only_wanted=True))
        ]

    def _near(self, nearest: int, *, only_wanted: bool) -> set[tuple[int, int]]:
        """Every player with so many of the nearest it has not met, the lower number first."""
        chosen: set[tuple[int, int]] = set()
        for number, met in enumerate(self.met):
            found = 0
            for distance in range(1, len(self.met)):
                for other in (number + distance, number - distance):
                    if not 0 <= other < len(self.met) or other in met or found >= nearest:
                        continue
                    if not (only_wanted and self._is_unwanted(number, other)):
                        chosen.add((number, other) if number < other else (other, number))
                        found += 1
                if found >= nearest:
                    break
        return chosen

    def best_pairs(self) -> list[tuple[int, int]]:
        """The best pairs there are, by all that ``pair_round`` asks for; not always everybody in one.

        The search widens until it finds what no wider one could better; at last all who have not met are
        joined.
        """
        players = len(self.order)
        for nearest in _search_widths(players):
            near = self._near(nearest, only_wanted=False) | self._near(nearest, only_wanted=True)
            pairs = maximum_matching(self._weighted_edges(near))
            if len(pairs) == players // 2 and self._is_optimal(pairs):
                break
        return pairs

    def _weighted_edges(self, pairs: Iterable[tuple[int, int]]) -> Edges:
        """Weights in which each criterion outweighs all lesser ones of the whole round together."""
        players, top = len(self.order), self._max_cost()
        lowest = players * top  # what one place higher of the one left over weighs
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
        """No wider search could keep owners further apart, or sides better balanced."""
        if any(self._is_same_side(player, other) for player, other in pairs):
            return False
        owned = Counter(player.owner for player in self.order if player.owner is not None)
        most = max(owned.values(), default=0)
        # Who has more entries than all others together must let the surplus meet each other; a bye
        # takes one of them away.
        surplus = most - (len(self.order) - most)
        needed = max(0, surplus // 2) if self.owners_apart else 0
        return sum(self._is_one_owner(player, other) for player, other in pairs) <= needed

    def _is_unwanted(self, player: int, other: int) -> bool:
        return self._is_one_owner(player, other) or self._is_same_side(player, other)

    def _is_one_owner(self, player: int, other: int) -> bool:
        owner = self.order[player].owner
        return self.owners_apart and owner is not None and owner == self.order[other].owner

    def _is_same_side(self, player: int, other: int) -> bool:
        """One of the two would have been on one side three times more often than on the other."""
        a, b = self.order[player].first, self.order[other].first
        return min(a, b) >= 2 or max(a, b) <= -2

    def _max_cost(self) -> int:
        """More than any pairing costs."""
        return _LEVEL_WEIGHT * (1 + self.order[-1].level ** 2)

    def _cost(self, player: int, other: int) -> int:
        a, b = self.order[player], self.order[other]
        same_side = min(abs(a.first), abs(b.first), 3) if a.first * b.first > 0 else 0
        apart = min(other - player, _MAX_DISTANCE)
        return _LEVEL_WEIGHT * (a.level - b.level) ** 2 + _SIDE_WEIGHT * same_side + apart**2


def _search_widths(players: int) -> list[int]:
    """How many of the nearest each is joined to, one attempt after the other; at last everybody."""
    attempts = [NEAREST_OPPONENTS]
    while attempts[-1] < players:
        attempts.append(attempts[-1] * WIDENING_FACTOR)
    return attempts


def maximum_matching(edges: Edges) -> list[tuple[int, int]]:
    """As many pairs as possible, and of these the ones of the greatest weight."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from(edges)
    return sorted((min(pair), max(pair)) for pair in nx.max_weight_matching(graph, maxcardinality=True))
