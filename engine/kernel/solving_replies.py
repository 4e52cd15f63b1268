# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Cards that decided where the solver's order had another first; tried before all others the next time.

What a card has to do is much the same whenever the same hand faces the same winning card, whatever the others
hold; and a lead, whenever the leader and its partner hold the same. The order knows no such thing. With most
tricks still to be played such a position comes back too seldom, and less of it is asked for. Answers do not
depend on what is noted here.

Compiled where it can be: ``solving_replies.pxd`` gives the C types, and this file runs without them too.
"""

from __future__ import annotations

_BITS = 14
_WORD = (1 << 64) - 1
_GENERATIONS = 1 << 16
_CARD = 63
_COMPARED = (1 << 48) - 64
"""Of a key, what is compared."""
_HAND_FACTOR = 0x9E3779B97F4A7C15
_BEST_FACTOR = 0xD6E8FEB86659FD93
_TURN_FACTOR = 0x9FB21C651E98DF25
_PARTNER_FACTOR = 0xC2B2AE3D27D4EB4F


class ReplyTable:
    """Cards by what a hand faces; the last that was noted in a place takes it."""

    def __init__(self) -> None:
        self.cards = [0] * 16384
        """16 bits of the generation, 42 of a key, 6 of a card."""
        self.generation = 1

    def clear(self) -> None:
        """Forget all cards."""
        self.generation += 1
        if self.generation == _GENERATIONS:
            self.generation = 1
            for index in range(16384):
                self.cards[index] = 0

    def key(self, hand: int, partners: int, size: int, best: int, winner: int) -> int:
        """What a hand faces after ``size`` cards of a trick: the card that wins, and whose it is; never 0.

        For a lead it is the hand of its partner.
        """
        mixed = hand * _HAND_FACTOR & _WORD
        if size:
            turn = size * 4 + winner
            mixed ^= best * _BEST_FACTOR & _WORD ^ turn * _TURN_FACTOR & _WORD
        else:
            mixed ^= partners * _PARTNER_FACTOR & _WORD
        mixed = (mixed ^ mixed >> 32) * _HAND_FACTOR & _WORD
        return mixed ^ mixed >> 29 | 1

    def rough_key(self, hand: int, suit: int, size: int, best: int, winner: int) -> int:
        """As ``key``, by less of the hand: its cards of the suit led if it has any, else none; for a lead all
        of it, but nothing of its partner's.
        """
        if size == 0:
            return self.key(hand, 0, 0, 0, 0)
        return self.key(hand & suit, 0, size, best, winner)

    def card(self, key: int) -> int:
        """The card that decided the last time, or 0."""
        noted = self.cards[key >> 64 - _BITS]
        if noted >> 48 != self.generation or (noted ^ key) & _COMPARED:
            return 0
        card = 1
        return card << (noted & _CARD)

    def note(self, key: int, number: int) -> None:
        """That a card decided: the place of its bit."""
        self.cards[key >> 64 - _BITS] = self.generation << 48 | key & _COMPARED | number
