# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Pictures that are sure without a search, of positions between two tricks.

Compiled where it can be: ``solving_bounds.pxd`` gives the C types, and this file runs without them too.
"""

from __future__ import annotations

from engine.kernel.solving_suits import Suits

_YES = 1 << 63
_DECIDED = 1 << 62
_LANE = 0x1FFF
# For counting bits in twos, fours and eights.
_TWOS = 0x5555555555555555
_FOURS = 0x3333333333333333
_EIGHTS = 0x0F0F0F0F0F0F0F0F
_SUM = 0x0101010101010101


def _count(mask: int) -> int:
    # C compilers know these lines and take the processor's instruction instead, with no test for 0.
    mask -= mask >> 1 & _TWOS
    mask = (mask & _FOURS) + (mask >> 2 & _FOURS)
    return (mask + (mask >> 4) & _EIGHTS) * _SUM >> 56 & 255


def _nth(lane: int, n: int) -> int:
    """The n-th highest card of a lane, n from 1."""
    while n > 1:
        lane &= lane - 1
        n -= 1
    return lane & (~lane + 1)


class Bounds:
    """Answers by what is sure: 0 if it decides nothing, else bits 62 and 63, and the cards it rests on."""

    def __init__(self, suits: Suits) -> None:
        self.suits = suits

    def sure(self, left: int, place: int, need: int, pictures: int) -> int:
        """An answer by Rensho and the highest trumps of one side, which their holders cannot lose."""
        sure_0 = 0
        sure_1 = 0
        holder = 4
        if left & self.suits.rensho:
            holder = self.suits.rensho_holder
            if holder & 1:
                sure_1 = 1
            else:
                sure_0 = 1
        trumps = left & _LANE & self.suits.pictures & ~self.suits.rensho
        cards = 0
        if trumps:
            lowest = 0
            hands = 0
            count = 0
            mine = self.suits.own[0] | self.suits.own[2]
            side = 0 if trumps & (~trumps + 1) & mine else 1
            if side:
                mine = self.suits.own[1] | self.suits.own[3]
            while trumps:
                card = trumps & (~trumps + 1)
                if not card & mine:
                    break
                hands |= 1 if card & (self.suits.own[0] | self.suits.own[1]) else 2
                lowest = card
                count += 1
                trumps ^= card
            # Rensho of the other side takes one trick, in which each of these players may have to play one.
            if holder < 4 and holder & 1 != side:
                count -= 2 if hands == 3 else 1
            if count > 0:
                if side:
                    sure_1 += count
                else:
                    sure_0 += count
                if trumps:
                    cards = lowest
        if sure_0 >= need:
            return _YES | _DECIDED | cards
        if pictures - sure_1 < need:
            return _DECIDED | cards
        return 0

    def cash(self, left: int, place: int, need: int, pictures: int) -> int:
        """An answer by what the leader's side takes at once: its highest cards, trumps first."""
        partner = place ^ 2
        after = place + 1 & 3
        before = place + 3 & 3
        holder = 4
        if left & self.suits.rensho:
            holder = self.suits.rensho_holder
            if self.suits.free and holder in (after, before):
                return 0
        rounds = 0
        voids = 0
        spare = 0
        spare_pictures = 0
        got = 0
        cards = 0
        after_ruffs = 0
        before_ruffs = 0
        for lane in range(4):
            suit = left >> 16 * lane & _LANE
            mine = suit & self.suits.own[place] >> 16 * lane
            length = _count(mine)
            of_partner = suit & self.suits.own[partner] >> 16 * lane
            of_after = suit & self.suits.own[after] >> 16 * lane
            of_before = suit & self.suits.own[before] >> 16 * lane
            in_suit = self.suits.pictures >> 16 * lane & suit
            partner_length = _count(of_partner)
            after_length = _count(of_after)
            before_length = _count(of_before)
            partner_pictures = _count(of_partner & in_suit)
            count = 0
            if length:
                others = suit & ~mine
                count = _count(mine & ((others & (~others + 1)) - 1)) if others else length
                if lane == 0:
                    if holder == after and after_length < count:
                        count = after_length
                    if holder == before and before_length < count:
                        count = before_length
                else:
                    if after_ruffs and after_length < count:
                        count = after_length
                    if before_ruffs and before_length < count:
                        count = before_length
                    if lane == self.suits.rensho_lane and holder == place and count == 0:
                        count = 1
            if lane == 0:
                after_ruffs = 1 if after_length > count or holder == after else 0
                before_ruffs = 1 if before_length > count or holder == before else 0
            if count:
                rounds += count
                in_all = _count(in_suit)
                own_pictures = _count(mine & in_suit)
                got += count if count < own_pictures else own_pictures
                got += count if count < partner_pictures else partner_pictures
                # Pictures of the others that fall as they run out of lower cards.
                low = after_length - _count(of_after & in_suit)
                played = count if count < after_length else after_length
                got += played - low if played > low else 0
                low = before_length - _count(of_before & in_suit)
                played = count if count < before_length else before_length
                got += played - low if played > low else 0
                if count > in_all or own_pictures != in_all:
                    cards |= _nth(suit, count) << 16 * lane
            if count > partner_length:
                voids += count - partner_length
            elif lane:
                spare += partner_length - count
            if lane and partner_pictures > count:
                spare_pictures += partner_pictures - count
        if holder == partner:
            spare -= 1
            if self.suits.rensho_lane:
                spare_pictures -= 1
        if voids > spare:
            return 0
        got += voids if voids < spare_pictures else spare_pictures
        if rounds and holder == partner:
            got += 1
        if rounds >= _count(left & self.suits.own[place]):
            got = pictures
        if got == 0:
            return 0
        if place & 1:
            return _DECIDED | cards if pictures - got < need else 0
        return _YES | _DECIDED | cards if got >= need else 0
