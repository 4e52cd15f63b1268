# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""The suits of an ending as the solver sees them: whose each card is, by what is left.

Cards are bits of a 64-bit word, 16 for each suit (a *lane*): trumps lowest, in a suit the highest card left
lowest. What a player holds is what is left of what it held at first, so a position between two tricks is one
word and whose lead it is, and all about a suit is looked up by what is left of it.

Compiled where it can be: ``solving_suits.pxd`` gives the C types, and this file runs without them too.
"""

from __future__ import annotations

from engine.games.kakeya.scoring import PICTURE_MASK
from engine.kernel.position import PLACES, Position

_LANE = 0x1FFF
_SUIT = 8192


def _count(mask: int) -> int:
    # C compilers know this loop and take the processor's instruction instead.
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


class Suits:
    """The suits of one position after the other."""

    def __init__(self) -> None:
        self.own = [0] * 4
        """By place: what it held in the position, and its card of the trick."""
        self.words = [0] * (4 * 8192)
        """By lane and what is left of it: owners from the top, 2 bits each; from bit 26 how many each place
        holds, 4 bits each; from bit 42 how many pictures, 3 bits each."""
        self.tops = [0] * (4 * 8192)
        """By lane and what is left of it: the tops of runs.

        A run are cards next to each other in one hand, all pictures or none: it does not matter which of them
        is played. Rensho stands alone.
        """
        self.number_of: dict[int, int] = {}

    def load(self, position: Position) -> None:
        """Take a position, which has been checked, as what the next tests are about."""
        left = sum(position.hands) + sum(1 << card for card in position.trick)
        suits = [position.trump, *(suit for suit in range(4) if suit != position.trump)]
        self.number_of = {}
        for lane, suit in enumerate(suits):
            cards = [card for card in range(13 * suit + 12, 13 * suit - 1, -1) if left >> card & 1]
            for rank, card in enumerate(cards):
                self.number_of[card] = 16 * lane + rank
        for place in range(PLACES):
            self.own[place] = self._as_lanes(position.hands[place])
        for index, card in enumerate(position.trick):
            place = (position.turn - len(position.trick) + index) % PLACES
            self.own[place] |= 1 << self.number_of[card]
        self.all_cards = self.own[0] | self.own[1] | self.own[2] | self.own[3]
        self.pictures = self._as_lanes(left & PICTURE_MASK)
        self.rensho, self.rensho_holder, self.rensho_lane = 0, 4, 4
        if left >> position.rensho & 1:
            number = self.number_of[position.rensho]
            self.rensho, self.rensho_lane = 1 << number, number >> 4
            for place in range(PLACES):
                if self.own[place] >> number & 1:
                    self.rensho_holder = place
        self.free = self.rensho if position.is_free else 0
        for lane in range(4):
            self._fill(lane, _count(self.all_cards >> 16 * lane & _LANE))

    def same_run(self, place: int, card: int) -> int:
        """The highest card of the run a card of a hand is in: after either the position is worth the same."""
        number = self.number_of[card]
        lane, tops = number >> 4, self.tops[_SUIT * (number >> 4) + (self.all_cards >> (number & 48) & _LANE)]
        while not tops >> (number & 15) & 1:
            number -= 1
            while not self.own[place] >> number & 1:
                number -= 1
        return next(
            other for other, of_other in self.number_of.items() if of_other == 16 * lane + (number & 15)
        )

    def _as_lanes(self, cards: int) -> int:
        return sum(1 << number for card, number in self.number_of.items() if cards >> card & 1)

    def _fill(self, lane: int, cards: int) -> None:
        at = lane * _SUIT
        self.words[at] = 0
        self.tops[at] = 0
        for card in range(cards):
            bit = 1 << card
            big = bit << 16 * lane
            owner = 0
            while not self.own[owner] & big:
                owner += 1
            is_picture = 1 if self.pictures & big else 0
            for above in range(bit):
                word = self.words[at + above]
                depth = _count(above)
                is_top = 1
                if depth:
                    last = word >> (26 - 2 * depth) & 3
                    pictures = word >> 42
                    last_is_picture = (
                        1
                        if (pictures & 7) + (pictures >> 3 & 7) + (pictures >> 6 & 7) + (pictures >> 9 & 7)
                        == depth
                        else 0
                    )
                    if last == owner and last_is_picture == is_picture:
                        is_top = 0
                    # Rensho is the highest card of its suit.
                    if lane == self.rensho_lane and above == 1:
                        is_top = 1
                word |= owner << (24 - 2 * depth)
                word += bit >> card << (26 + 4 * owner)
                word += is_picture << (42 + 3 * owner)
                self.words[at + above + bit] = word
                self.tops[at + above + bit] = self.tops[at + above] | (bit if is_top else 0)
