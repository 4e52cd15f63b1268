# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Information-set Monte Carlo tree search over the cards of Kakeya and Etori.

A simulation takes the next world, descends the tree by cards that are legal there, adds a node, and plays
the rest of the deal. It follows the child with the highest mean for the side of the player plus ``weight
* sqrt(log(offered) / visits)``, where ``offered`` counts the simulations in which the child was legal.

Source: Cowling, Powley, Whitehouse: Information Set Monte Carlo Tree Search, 2012 (SO-ISMCTS).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt

from engine.kernel.playing_deal import PlayoutDeal
from engine.kernel.position import Position

MAX_NODES = 131_072
"""Maximum nodes of a tree; a full tree is searched without growing."""
MAX_WORLDS = 4_096

_ONE = 1
_MAX_NODES = MAX_NODES
_is_plain = __file__.endswith(".py")
_TABLE = 1 << 12
_NEAR = 6
_ROOT_LOG = [0.0] * 4096
_ROOT_LOG_FAR = [0.0] * 4096
"""Square roots of the logarithm of 64 times the index."""
_INVERSE = [0.0] * 4096
for _n in range(1, _TABLE):
    _ROOT_LOG[_n] = sqrt(log(_n))
    _ROOT_LOG_FAR[_n] = sqrt(log(_n << _NEAR))
    _INVERSE[_n] = 1 / sqrt(_n)


def _root_log(n: int) -> float:
    """Return the square root of the logarithm; above 2**18, the value for 2**18."""
    if n < _TABLE:
        return _ROOT_LOG[n]
    n >>= _NEAR
    if n >= _TABLE:
        n = _TABLE - 1
    return _ROOT_LOG_FAR[n]


def _inverse_root(n: int) -> float:
    scale = 1.0
    while n >= _TABLE:
        n >>= 2
        scale *= 0.5
    return _INVERSE[n] * scale


# Repeated from playing_deal: C compilers inline functions only within a module.
def _allowed(hand: int, led: int, free: int) -> int:
    follow = hand & led
    return follow | hand & free if follow else hand


def _zeros(n: int) -> list[int]:
    return [0] * n


class SearchTree:
    def __init__(self) -> None:
        if _is_plain:
            self.hands, self.values = _zeros(4 * MAX_WORLDS), _zeros(17 * MAX_WORLDS)
            self.path = _zeros(64)
            self.card, self.child, self.sibling = _zeros(MAX_NODES), _zeros(MAX_NODES), _zeros(MAX_NODES)
            self.visits, self.offered, self.total = _zeros(MAX_NODES), _zeros(MAX_NODES), _zeros(MAX_NODES)
        self.deal = PlayoutDeal()

    def load(self, positions: Sequence[Position], policy: int) -> None:
        """Set at most ``MAX_WORLDS`` worlds and reset the tree, which is too large to be created each time.

        The worlds must be checked and differ only in what the player to move does not know.
        """
        self.worlds = len(positions)
        for number, position in enumerate(positions):
            for player in range(4):
                self.hands[4 * number + player] = position.hands[player]
            for pictures in range(17):
                self.values[17 * number + pictures] = position.values[pictures]
        self.deal.load(positions[0])
        self.deal.policy = policy
        # Node 0 means none, node 1 is the root.
        self.size = 2
        self.child[1] = 0
        self.sum = self.squares = 0

    def run(self, first: int, n: int, seed: int, weight: float) -> tuple[int, int]:
        self._run(first, n, seed, weight)
        return self.sum, self.squares

    def card_results(self) -> tuple[tuple[int, int, int], ...]:
        """Return number, visits and summed value to side 0 of each card at the root."""
        results = []
        node = self.child[1]
        while node:
            results.append((self.card[node], self.visits[node], self.total[node]))
            node = self.sibling[node]
        return tuple(sorted(results))

    def nodes(self) -> int:
        return self.size - 1

    def _run(self, first: int, n: int, seed: int, weight: float) -> None:
        deal = self.deal
        i = first
        until = first + n
        while i < until:
            world = i % self.worlds
            for player in range(4):
                deal.hands_0[player] = self.hands[4 * world + player]
            deal._begin()
            deal._start(i, seed)
            self._descend(deal.cards_0, weight)
            value = self.values[17 * world + deal.taken]
            self.sum += value
            self.squares += value * value
            for k in range(self.depth):
                self.visits[self.path[k]] += 1
                self.total[self.path[k]] += value
            i += 1

    def _descend(self, cards: int, weight: float) -> None:
        """Play a deal to its last card, down the tree and beyond it; ``path`` receives the nodes."""
        deal = self.deal
        node = 1
        self.depth = 0
        while cards > 0:
            legal = deal._distinct(_allowed(deal.hands[deal.turn], deal.led, deal.free))
            untried = legal & ~self._expanded(node)
            if untried:
                if self.size == _MAX_NODES:
                    break
                bit = deal._pick(untried)
                deal._play_card(bit)
                cards -= 1
                node = self._add_node(node, deal.card)
                self._visit(node)
                # A forced card needs no simulation of its own.
                if legal & legal - 1:
                    break
            else:
                node = self._select_child(node, legal, weight)
                deal._play_card(_ONE << self.card[node])
                cards -= 1
                self._visit(node)
        deal._play_on(-1, cards)

    def _visit(self, node: int) -> None:
        self.path[self.depth] = node
        self.depth += 1

    def _expanded(self, parent: int) -> int:
        expanded = 0
        node = self.child[parent]
        while node:
            expanded |= _ONE << self.card[node]
            node = self.sibling[node]
        return expanded

    def _add_node(self, parent: int, card: int) -> int:
        node = self.size
        self.size += 1
        self.card[node] = card
        self.child[node] = 0
        self.sibling[node] = self.child[parent]
        self.visits[node] = self.offered[node] = 0
        self.total[node] = 0
        self.child[parent] = node
        return node

    def _select_child(self, parent: int, legal: int, weight: float) -> int:
        sign = 1 - 2 * (self.deal.turn & 1)
        chosen, best_worth = 0, -1.0e30
        node = self.child[parent]
        while node:
            bit = _ONE << self.card[node]
            if legal & bit:
                self.offered[node] += 1
                # Without float(), C would divide integers.
                worth = float(sign * self.total[node]) / self.visits[node]
                worth += weight * _root_log(self.offered[node]) * _inverse_root(self.visits[node])
                if worth > best_worth:
                    best_worth, chosen = worth, node
            node = self.sibling[node]
        return chosen
