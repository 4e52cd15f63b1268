# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Refutation tables: cards that decided a test before the first card in order; tried first next time.

The best card is mostly the same when the same hand faces the same winning card; for a lead, when the leader
and its partner have the same hands. With many tricks left, such a situation rarely returns, so the rough key
ignores part of the hand. Answers do not depend on this table.
"""

from __future__ import annotations

_BITS = 14
_WORD = (1 << 64) - 1
_GENERATIONS = 1 << 16
_CARD = 63
_COMPARED = (1 << 48) - 64
"""Bits of a key that are compared."""
_HAND_FACTOR = 0x9E3779B97F4A7C15
_BEST_FACTOR = 0xD6E8FEB86659FD93
_TURN_FACTOR = 0x9FB21C651E98DF25
_PARTNER_FACTOR = 0xC2B2AE3D27D4EB4F


class ReplyTable:
    """Deciding cards by situation. A new entry replaces the old one in its slot."""

    def __init__(self) -> None:
        self.cards = [0] * 16384
        """16 bits of the generation, 42 of a key, 6 of a card."""
        self.generation = 1

    def clear(self) -> None:
        self.generation += 1
        if self.generation == _GENERATIONS:
            self.generation = 1
            for index in range(16384):
                self.cards[index] = 0

    def key(self, hand: int, partners: int, size: int, best: int, winner: int) -> int:
        """Return the key of a hand after ``size`` cards; for a lead, with the partner's hand. Never 0."""
        mixed = hand * _HAND_FACTOR & _WORD
        if size:
            turn = size * 4 + winner
            mixed ^= best * _BEST_FACTOR & _WORD ^ turn * _TURN_FACTOR & _WORD
        else:
            mixed ^= partners * _PARTNER_FACTOR & _WORD
        mixed = (mixed ^ mixed >> 32) * _HAND_FACTOR & _WORD
        return mixed ^ mixed >> 29 | 1

    def rough_key(self, hand: int, suit: int, size: int, best: int, winner: int) -> int:
        """Return a key from the cards of the suit led; for a lead, from the hand without the partner's."""
        if size == 0:
            return self.key(hand, 0, 0, 0, 0)
        return self.key(hand & suit, 0, size, best, winner)

    def card(self, key: int) -> int:
        noted = self.cards[key >> 64 - _BITS]
        if noted >> 48 != self.generation or (noted ^ key) & _COMPARED:
            return 0
        card = 1
        return card << (noted & _CARD)

    def note(self, key: int, number: int) -> None:
        """Store the deciding card, by the index of its bit."""
        self.cards[key >> 64 - _BITS] = self.generation << 48 | key & _COMPARED | number
