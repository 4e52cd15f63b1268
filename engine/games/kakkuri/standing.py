"""Seats in a deal: hands, active seats, payments, cards turned up from the box."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from engine.cards import KAKKURI_PACK
from engine.game import Seat
from engine.games.kakkuri.ruleset import MAX_SEATS

_THREE_ACES = KAKKURI_PACK.mask(["AS", "AD", "AH"])
_OUT_BIT = KAKKURI_PACK.bit["3C"]


class Standing(NamedTuple):
    """The part of a state that few actions change. Immutable.

    Cards and sets of seats are masks, bit *s* for seat *s*; tuples by seat start at 0. Methods avoid
    ``_replace``, which takes four times as long.
    """

    hands: tuple[int, ...]
    """Cards by seat after the swaps so far, including those played; item 0 is 0."""
    active: int
    paid: tuple[int, ...]
    """Stones paid to the pot by seat; item 0 is 0."""
    turned: int = 0
    """Number of cards turned up from the box."""
    sansoku: int = 0
    """Seats that declared three pairs."""

    @classmethod
    def of(cls, hands: tuple[int, ...]) -> Standing:
        return cls(hands, (1 << len(hands)) - 2, (0,) * len(hands))

    @property
    def out(self) -> Seat:
        """Seat whose hand has the three of clubs and becomes the box of eight seats; 0 with fewer seats."""
        return seat_out(self.hands)

    @property
    def dropped(self) -> int:
        """Seats that have dropped, after the look."""
        return (1 << len(self.hands)) - 2 & ~self.active & ~(1 << self.out)

    @property
    def holder_of_three_aces(self) -> Seat:
        """Active seat that holds AS, AD and AH, or 0."""
        for seat, hand in enumerate(self.hands):
            if hand & _THREE_ACES == _THREE_ACES and self.active >> seat & 1:
                return seat
        return 0

    def swapped(self, first: Seat, second: Seat) -> Standing:
        hands = list(self.hands)
        hands[first], hands[second] = hands[second], hands[first]
        return Standing(tuple(hands), self.active, self.paid, self.turned, self.sansoku)

    def paying(self, seat: Seat) -> Standing:
        hands, active, paid, turned, sansoku = self
        return Standing(hands, active, (*paid[:seat], paid[seat] + 1, *paid[seat + 1 :]), turned, sansoku)

    def dropping(self, seat: Seat) -> Standing:
        """Remove this seat from the deal for one more stone."""
        hands, active, paid, turned, sansoku = self
        paid = (*paid[:seat], paid[seat] + 1, *paid[seat + 1 :])
        return Standing(hands, active & ~(1 << seat), paid, turned, sansoku)

    def without(self, seat: Seat) -> Standing:
        hands, active, paid, turned, sansoku = self
        return Standing(hands, active & ~(1 << seat), paid, turned, sansoku)

    def turning(self) -> Standing:
        hands, active, paid, turned, sansoku = self
        return Standing(hands, active, paid, turned + 1, sansoku)


def seat_out(hands: tuple[int, ...]) -> Seat:
    if len(hands) <= MAX_SEATS:
        return 0
    return next(seat for seat, hand in enumerate(hands) if hand & _OUT_BIT)


@cache
def seats_of(mask: int) -> tuple[Seat, ...]:
    return tuple(seat for seat in range(mask.bit_length()) if mask >> seat & 1)
