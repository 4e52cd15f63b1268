# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Random walk through the deals of Kakkuri that a seat cannot distinguish, trying each action in each deal.

From one deal to the next, two hidden cards are exchanged ``EXCHANGES`` times, between other hands and the
box. An exchange is accepted by the likelihood of the new deal relative to the previous one (Metropolis et
al. 1953): for each pass of a seat whose hand has a card that fitted, wilds excluded, the likelihood is
``PASS_LIKELIHOOD`` / 65536. The end of a turn counts as a pass. The hand of a seat that declared sansoku
and the box with the three of clubs never change, and no other seat gets all three aces.

Source: docs/rules/kakkuri.md#looking, #turns.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import KAKKURI_PACK
from engine.game import Seat
from engine.kernel.shedding_deal import SheddingDeal
from engine.kernel.shedding_position import SheddingPosition

EXCHANGES = 24
PASS_LIKELIHOOD = 5243
"""Likelihood that a seat passes with a fitting card, relative to a seat without one, in 65536ths: 0.08.

The house bot ``rules`` passes 13 of 100 times that a single card fits, and ends 4 of 100 turns that it could
continue. With only a wild, these are 87 and 73, so wilds do not count.
"""
_EXCHANGES, _PASS_LIKELIHOOD = EXCHANGES, PASS_LIKELIHOOD
_MAX_PASSES = 16
_ALL = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_ONE = 1
_THREE_ACES = KAKKURI_PACK.mask(["AS", "AD", "AH"])
_THREE_OF_CLUBS = KAKKURI_PACK.bit["3C"]


# Repeated from playing_deal: C compilers inline functions only within a module.
def _mixed(z: int) -> int:
    z = (z ^ (z >> 30)) * _MIX_1 & _ALL
    z = (z ^ (z >> 27)) * _MIX_2 & _ALL
    return z ^ (z >> 31)


def _low(mask: int) -> int:
    return mask & ~(mask - 1)


def _count(mask: int) -> int:
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


class DealWalk:
    """The current deal of the walk, and the results of the actions."""

    def __init__(self, deal: SheddingDeal) -> None:
        self.deal = deal
        self.chance = 0
        self.cards = [0] * 48
        self.location = [0] * 48
        self.passed = [0] * 144
        self.passes = [0] * 9
        self.results = [0] * 64
        self.totals = [0] * 64
        self.margins = [0] * 64
        self.squares = [0] * 64

    def load(self, position: SheddingPosition, passes: Sequence[tuple[Seat, int]]) -> None:
        """Set the first deal, which must be checked, and each pass with the cards that fitted."""
        deal = self.deal
        deal.load(position)
        deal.follow_policy(1)
        self.seats = deal.seats
        for s in range(self.seats + 1):
            self.passes[s] = 0
        for seat, fitting in passes:
            if self.passes[seat] < _MAX_PASSES:
                self.passed[seat * _MAX_PASSES + self.passes[seat]] = fitting
                self.passes[seat] += 1
        self._list_hidden_cards()

    def clear(self) -> None:
        for index in range(64):
            self.totals[index] = self.margins[index] = self.squares[index] = 0

    def run(self, own: int, alive: int, first: int, n: int, seed: int) -> None:
        """Try the actions in ``alive`` in the next ``n`` deals; margins are relative to action ``own``."""
        self._run(own, alive, first, n, seed)

    def result_of(self, index: int) -> tuple[int, int, int]:
        """Return stones of the seat to act, summed margin, and sum of squares of margins of an action."""
        return self.totals[index], self.margins[index], self.squares[index]

    def _list_hidden_cards(self) -> None:
        """List the cards that may be exchanged, with the seat, or 9 plus the index in the box."""
        deal = self.deal
        self.size = 0
        for s in range(1, self.seats + 1):
            if s != deal.seat_0 and not deal.sansoku_0 >> s & 1:
                remaining = deal.hands_0[s]
                while remaining:
                    self.cards[self.size] = _count(_low(remaining) - 1)
                    self.location[self.size] = s
                    self.size += 1
                    remaining &= remaining - 1
        for k in range(deal.box_size):
            self.cards[self.size] = deal.box[k]
            self.location[self.size] = 9 + k
            self.size += 1

    def _unlikely_passes(self, s: int, hand: int) -> int:
        unlikely = 0
        for k in range(self.passes[s]):
            if hand & self.passed[s * _MAX_PASSES + k]:
                unlikely += 1
        return unlikely

    def _draw(self) -> int:
        self.chance = self.chance + _GOLDEN & _ALL
        return _mixed(self.chance) >> 32

    def _try_exchange(self) -> None:
        deal = self.deal
        i = self._draw() * self.size >> 32
        j = self._draw() * self.size >> 32
        s, t = self.location[i], self.location[j]
        if s == t:
            return
        a, b = self.cards[i], self.cards[j]
        if s < 9 or t < 9:
            bits = _ONE << a | _ONE << b
            if self.seats == 8 and bits & _THREE_OF_CLUBS:
                return
            before = 0
            after = 0
            if s < 9:
                before += self._unlikely_passes(s, deal.hands_0[s])
                after += self._unlikely_passes(s, deal.hands_0[s] ^ bits)
                if (deal.hands_0[s] ^ bits) & _THREE_ACES == _THREE_ACES:
                    return
            if t < 9:
                before += self._unlikely_passes(t, deal.hands_0[t])
                after += self._unlikely_passes(t, deal.hands_0[t] ^ bits)
                if (deal.hands_0[t] ^ bits) & _THREE_ACES == _THREE_ACES:
                    return
            while after > before:
                if self._draw() >> 16 >= _PASS_LIKELIHOOD:
                    return
                after -= 1
            if s < 9:
                deal.hands_0[s] ^= bits
            if t < 9:
                deal.hands_0[t] ^= bits
        if s >= 9:
            deal.box[s - 9] = b
        if t >= 9:
            deal.box[t - 9] = a
        self.cards[i] = b
        self.cards[j] = a

    def _run(self, own: int, alive: int, first: int, n: int, seed: int) -> None:
        deal = self.deal
        seat = deal.seat_0
        i = first
        until = first + n
        while i < until:
            self.chance = _mixed(seed + (i + 1) * _GOLDEN & _ALL)
            if self.size:
                for _ in range(_EXCHANGES):
                    self._try_exchange()
            for index in range(64):
                if alive >> index & 1:
                    deal._run(index, i, 1, seed)
                    self.results[index] = deal.stones[seat]
            for index in range(64):
                if alive >> index & 1:
                    margin = self.results[index] - self.results[own]
                    self.totals[index] += self.results[index]
                    self.margins[index] += margin
                    self.squares[index] += margin * margin
            i += 1
