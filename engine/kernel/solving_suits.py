# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Suits of an ending in the representation of the solver: the owner of each card, by the cards left.

Cards are bits of a 64-bit word, 16 per suit (a *lane*). Trumps are the lowest lane, and the highest card left
of a suit is its lowest bit. The word of cards left and the leader identify a position between two tricks.
"""

from __future__ import annotations

from engine.games.kakeya.scoring import PICTURE_MASK
from engine.kernel.position import Position

_LANE = 0x1FFF
_SUIT = 8192
_OWNERS = (1 << 26) - 1
_ABSENT = 64
_PICTURES = PICTURE_MASK


class Suits:
    def __init__(self) -> None:
        self.own = [0] * 4
        """Cards by player: the hand in the position plus its card of the trick."""
        self.words = [0] * (4 * 8192)
        """By lane and its cards left: owners from the top, 2 bits each; from bit 26, cards of each player, 4
        bits each; from bit 42, pictures of each player, 3 bits each.
        """
        self.tops = [0] * (4 * 8192)
        """By lane and its cards left: the highest card of each run.

        A run is a set of adjacent, equivalent cards in one hand, all pictures or none, never with Rensho.
        """
        self.numbers = [0] * 52
        """By card: 16 x lane + number of higher cards of its suit; ``_ABSENT`` if not in the position."""
        self.first = [0] * 4
        """As ``own``, in cards of the pack."""

    def load(self, position: Position) -> None:
        hands, trump, rensho, is_free, turn, trick, _, _ = position
        for player, hand in enumerate(hands):
            self.first[player] = hand
        player = turn - len(trick)
        unit = 1
        for card in trick:
            self.first[player & 3] |= unit << card
            player += 1
        self._reset()
        for lane in range(4):
            suit = trump
            if lane:
                suit = lane - 1 if lane <= trump else lane
            self._fill(lane, self._number_cards(lane, suit, rensho))
        self.all_cards = self.own[0] | self.own[1] | self.own[2] | self.own[3]
        self.free = self.rensho if is_free else 0

    def keep(self, cards: int) -> None:
        """Reduce the position to these cards of the pack; a later call may restore others."""
        self.all_cards = 0
        unit = 1
        for card in range(52):
            if cards >> card & 1 and self.numbers[card] != _ABSENT:
                self.all_cards |= unit << self.numbers[card]

    def same_run(self, player: int, card: int) -> int:
        """Return the highest card of the card's run, which is equivalent to it."""
        number = self.numbers[card]
        lane = number >> 4
        tops = self.tops[_SUIT * lane + (self.all_cards >> 16 * lane & _LANE)]
        while not tops >> (number & 15) & 1:
            number -= 1
            while not self.own[player] >> number & 1:
                number -= 1
        other = 0
        while self.numbers[other] != number:
            other += 1
        return other

    def _reset(self) -> None:
        for player in range(4):
            self.own[player] = 0
        self.pictures = 0
        self.rensho = 0
        self.rensho_holder = 4
        self.rensho_lane = 4

    def _number_cards(self, lane: int, suit: int, rensho: int) -> int:
        """Assign the cards of a suit to a lane, and return their number."""
        left = self.first[0] | self.first[1] | self.first[2] | self.first[3]
        number = 16 * lane
        # Number the cards from the highest.
        card = 13 * suit + 13
        for _ in range(13):
            card -= 1
            self.numbers[card] = _ABSENT
            if left >> card & 1:
                player = 0
                while not self.first[player] >> card & 1:
                    player += 1
                bit = 1
                bit = bit << number
                self.own[player] |= bit
                self.numbers[card] = number
                if _PICTURES >> card & 1:
                    self.pictures |= bit
                if card == rensho:
                    self.rensho = bit
                    self.rensho_holder = player
                    self.rensho_lane = lane
                number += 1
        return number - 16 * lane

    def _fill(self, lane: int, cards: int) -> None:
        """Fill the tables of a lane, each set from its highest card and a set of lower cards."""
        start = lane * _SUIT
        self.words[start] = 0
        self.tops[start] = 0
        pictures = self.pictures >> 16 * lane & _LANE
        end = 1
        end = end << cards
        bit = end
        while bit > 1:
            bit = bit >> 1
            owner = 0
            while not self.own[owner] >> 16 * lane & bit:
                owner += 1
            same = self.own[owner] >> 16 * lane & _LANE
            unit = 1
            word = owner << 24 | unit << (26 + 4 * owner)
            # Only non-pictures follow below a card that is not a picture.
            if bit & pictures:
                word |= unit << (42 + 3 * owner)
                same &= pictures
            # Rensho is the highest card of its suit.
            if lane == self.rensho_lane and bit == 1:
                same = 0
            lower = 0
            while lower < end:
                lower_word = self.words[start + lower]
                self.words[start + lower + bit] = (
                    lower_word - (lower_word & _OWNERS) + ((lower_word & _OWNERS) >> 2) + word
                )
                # The next lower card is no longer a top if it is in the same run.
                self.tops[start + lower + bit] = (
                    self.tops[start + lower] & ~(lower & (~lower + 1) & same) | bit
                )
                lower += bit << 1
