"""The seats in a deal: hands, who is still in, what was paid, cards turned up from the box."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from engine.cards import KAKKURI_PACK
from engine.game import Seat
from engine.games.kakkuri.ruleset import MOST_SEATS

_THREE_ACES = KAKKURI_PACK.mask(["AS", "AD", "AH"])
_OUT_BIT = KAKKURI_PACK.bit["3C"]


class Standing(NamedTuple):
    """Changed by few actions. Cards as masks; seats too, bit *s* for seat *s*; tuples by seat start at 0.

    A value: every method gives another, spelt out, since ``_replace`` takes four times as long.
    """

    hands: tuple[int, ...]
    """Cards by seat after the swaps so far, played ones included; item 0 is 0."""
    active: int
    """Seats still in this deal."""
    paid: tuple[int, ...]
    """Stones laid into the pot by seat; item 0 is 0."""
    turned: int = 0
    """How many cards have been turned up from the box."""
    sansoku: int = 0
    """Seats that have declared three pairs."""

    @classmethod
    def of(cls, hands: tuple[int, ...]) -> Standing:
        """As cards have just been dealt, or are about to be."""
        return cls(hands, (1 << len(hands)) - 2, (0,) * len(hands))

    @property
    def out(self) -> Seat:
        """The seat whose hand holds the three of clubs and becomes the box of eight seats; 0 with fewer.

        Source: docs/rules/kakkuri.md#looking.
        """
        return seat_out(self.hands)

    @property
    def dropped(self) -> int:
        """Seats that have dropped, once everybody has looked."""
        return (1 << len(self.hands)) - 2 & ~self.active & ~(1 << self.out)

    @property
    def holder_of_three_aces(self) -> Seat:
        """The seat still in that holds AS, AD and AH; 0 if none does."""
        for seat, hand in enumerate(self.hands):
            if hand & _THREE_ACES == _THREE_ACES and self.active >> seat & 1:
                return seat
        return 0

    def swapped(self, first: Seat, second: Seat) -> Standing:
        """With two hands exchanged."""
        hands = list(self.hands)
        hands[first], hands[second] = hands[second], hands[first]
        return Standing(tuple(hands), self.active, self.paid, self.turned, self.sansoku)

    def paying(self, seat: Seat) -> Standing:
        """With one more stone of this seat in the pot."""
        hands, active, paid, turned, sansoku = self
        return Standing(hands, active, (*paid[:seat], paid[seat] + 1, *paid[seat + 1 :]), turned, sansoku)

    def dropping(self, seat: Seat) -> Standing:
        """With this seat no longer in the deal, for one more stone."""
        hands, active, paid, turned, sansoku = self
        paid = (*paid[:seat], paid[seat] + 1, *paid[seat + 1 :])
        return Standing(hands, active & ~(1 << seat), paid, turned, sansoku)

    def without(self, seat: Seat) -> Standing:
        """With this seat no longer in the deal."""
        hands, active, paid, turned, sansoku = self
        return Standing(hands, active & ~(1 << seat), paid, turned, sansoku)

    def turning(self) -> Standing:
        """With one more card turned up from the box."""
        hands, active, paid, turned, sansoku = self
        return Standing(hands, active, paid, turned + 1, sansoku)


def seat_out(hands: tuple[int, ...]) -> Seat:
    if len(hands) <= MOST_SEATS:
        return 0
    return next(seat for seat, hand in enumerate(hands) if hand & _OUT_BIT)


@cache
def seats_of(mask: int) -> tuple[Seat, ...]:
    """The seats of a mask, ascending."""
    return tuple(seat for seat in range(mask.bit_length()) if mask >> seat & 1)
