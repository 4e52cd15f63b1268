# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""A deal of Kakeya or Etori that is played to its last card again and again.

Compiled where it can be: ``playing_deal.pxd`` gives the C types, and this file runs without them too, with
the same numbers. Legal cards are counted in ascending order, as the engine lists them.

Playout *i* under a seed draws from SplitMix64 started at ``mix(seed + (i + 1) * GOLDEN)``, so that it does
not depend on the others; where *n* > 1 cards are legal it takes number ``(draw >> 32) * n >> 32``.

Source: docs/rules/kakeya.md#play; docs/rules/etori.md#meiji-etori.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import KAKEYA_PACK
from engine.games.kakeya.scoring import PICTURE_MASK, PICTURES_IN_ALL
from engine.games.kakeya.state import TRICKS
from engine.kernel.position import PLACES, SUIT_MASKS, KernelError, Position

_ALL = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_PICTURES = PICTURE_MASK
_NO_CARD = len(KAKEYA_PACK)
"""Stands for the best card of a trick in which none is played yet; every card beats it."""


# As in shedding_deal: C puts a function in the place of its call only within a module.
def _mixed(z: int) -> int:
    z = (z ^ (z >> 30)) * _MIX_1 & _ALL
    z = (z ^ (z >> 27)) * _MIX_2 & _ALL
    return z ^ (z >> 31)


def _count(mask: int) -> int:
    # C compilers know this loop and take the processor's instruction instead.
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


def _allowed(hand: int, led: int, free: int) -> int:
    """The legal cards of a hand; before a lead every card counts as of the suit led."""
    follow = hand & led
    return follow | hand & free if follow else hand


class Deal:
    """A deal being played out; ``engine.kernel.moves`` says in plainer words what each card does."""

    def __init__(self) -> None:
        self.suit = [0] * 53
        self.above = [0] * 53
        self.hands_0 = [0] * 4
        self.hands = [0] * 4
        self.tally = [0] * 17
        self.chance = 0
        for card in range(_NO_CARD):
            self.suit[card] = SUIT_MASKS[card // TRICKS]

    def load(self, position: Position) -> None:
        """Take a position, which has been checked, as what every playout starts from."""
        trumps, rensho = SUIT_MASKS[position.trump], 1 << position.rensho
        for card in range(_NO_CARD):
            bit = 1 << card
            suit = SUIT_MASKS[card // TRICKS]
            higher = suit & ~(bit | (bit - 1))
            if bit == rensho:
                self.above[card] = 0
            elif bit & trumps:
                self.above[card] = higher | rensho
            else:
                self.above[card] = higher | trumps | rensho
        self.above[_NO_CARD] = _ALL
        self.free = rensho if position.is_free else 0
        self.cards_0 = len(position.trick)
        for place in range(PLACES):
            self.hands_0[place] = position.hands[place]
            self.cards_0 += position.hands[place].bit_count()
        self.turn_0 = position.turn
        self.taken_0 = position.captured[0]
        self.size_0 = len(position.trick)
        self.cards_0 -= self.size_0
        self.led_0, self.trick_0, self.best_0, self.winner_0 = _ALL, 0, _NO_CARD, 0
        for index, card in enumerate(position.trick):
            if index == 0:
                self.led_0 = self.suit[card]
            self.trick_0 |= 1 << card
            if self.above[self.best_0] >> card & 1:
                self.best_0, self.winner_0 = card, (position.turn - self.size_0 + index) % PLACES
        self._begin()

    def legal(self) -> tuple[int, ...]:
        """The legal cards of the position loaded, ascending."""
        self._begin()
        return self._listed()

    def run(self, index: int, first: int, n: int, seed: int) -> tuple[int, ...]:
        """How many of so many playouts gave side 0 each number of pictures.

        Each begins with legal card ``index`` unless it is -1.
        """
        self._run(index, first, n, seed)
        return tuple([self.tally[pictures] for pictures in range(PICTURES_IN_ALL + 1)])

    def line(self, number: int, seed: int) -> tuple[tuple[int, ...], int]:
        """The cards of one playout, and the pictures of side 0 at its end."""
        self._begin()
        self._start(number, seed)
        cards = []
        for _ in range(self.cards_0):
            self._advance(-1, 1)
            cards.append(self.card)
        return tuple(cards), self.taken

    def replayed(self, cards: Sequence[int]) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...], int]:
        """What was legal before each of these cards, whose turn it was, and the pictures of side 0."""
        self._begin()
        found, turns = [], []
        for number, card in enumerate(cards):
            legal = self._listed()
            if card not in legal:
                allowed = ", ".join(map(str, legal)) or "none, no card is left"
                raise KernelError(f"card {number} cannot be {card}; allowed: {allowed}")
            found.append(legal)
            turns.append(self.turn)
            self._advance(legal.index(card), 1)
        return tuple(found), tuple(turns), self.taken

    def _listed(self) -> tuple[int, ...]:
        legal = _allowed(self.hands[self.turn], self.led, self.free)
        return tuple([card for card in range(_NO_CARD) if legal >> card & 1])

    def _begin(self) -> None:
        for place in range(4):
            self.hands[place] = self.hands_0[place]
        self.turn = self.turn_0
        self.taken = self.taken_0
        self.size = self.size_0
        self.led = self.led_0
        self.trick = self.trick_0
        self.best = self.best_0
        self.winner = self.winner_0

    def _start(self, number: int, seed: int) -> None:
        self.chance = _mixed(seed + (number + 1) * _GOLDEN & _ALL)

    def _run(self, index: int, first: int, n: int, seed: int) -> None:
        for pictures in range(17):
            self.tally[pictures] = 0
        i = first
        until = first + n
        while i < until:
            self._begin()
            self._start(i, seed)
            self._advance(index, self.cards_0)
            self.tally[self.taken] += 1
            i += 1

    def _advance(self, index: int, cards: int) -> None:
        """Play so many cards, the first of them number ``index`` of the legal ones unless it is -1."""
        chance, free = self.chance, self.free
        turn, taken, size = self.turn, self.taken, self.size
        led, trick, best, winner = self.led, self.trick, self.best, self.winner
        card = _NO_CARD
        while cards > 0:
            hand = self.hands[turn]
            legal = _allowed(hand, led, free)
            n = _count(legal)
            if index >= 0:
                pick = index
                index = -1
            else:
                if n > 1:
                    chance = chance + _GOLDEN & _ALL
                # With one card the number is 0, whatever is drawn.
                pick = (_mixed(chance) >> 32) * n >> 32
            while pick:
                legal &= legal - 1
                pick -= 1
            bit = legal & ~(legal - 1)
            card = _count(bit - 1)
            self.hands[turn] = hand ^ bit
            trick |= bit
            if self.above[best] & bit:
                best = card
                winner = turn
            if size == 0:
                led = self.suit[card]
            size += 1
            turn = turn + 1 & 3
            if size == 4:
                # The pictures count if the winner is of side 0: places 0 and 2.
                taken += _count(trick & _PICTURES) * (1 - (winner & 1))
                turn = winner
                size = 0
                led = _ALL
                trick = 0
                best = _NO_CARD
            cards -= 1
        self.chance = chance
        self.turn, self.taken, self.size = turn, taken, size
        self.led, self.trick, self.best, self.winner = led, trick, best, winner
        self.card = card
