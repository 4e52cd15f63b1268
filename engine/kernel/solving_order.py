# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""In which order the solver tries cards; it changes how long a search takes, never its answer.

A card is scored by what it seems to do to the trick, with weights that were fitted (``solving_weights``).

Compiled where it can be: ``solving_order.pxd`` gives the C types, and this file runs without them too.
"""

from __future__ import annotations

from engine.kernel.solving_suits import Suits
from engine.kernel.solving_weights import WEIGHTS

_LANE = 0x1FFF
_SUIT = 8192
_FEATURES = 16
_CONTEXTS = 16
_LEAD_FEATURES = 32
_LEAD_CONTEXTS = 8
_FIRST_FOLLOWING = 2 * 8 * 32
_BEST = 1 << 30
_MANY = 7
_UNSCORED = 3
"""With so few tricks left, trying cards costs less than to score them."""
_SAME_SUIT = 40
"""What a lead loses of its score when another of its suit has failed."""


def _count(mask: int) -> int:
    # C compilers know this loop and take the processor's instruction instead.
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


class Order:
    """The order of cards in positions with these suits."""

    def __init__(self, suits: Suits, is_scored: int) -> None:
        self.suits = suits
        self.is_scored = is_scored
        self.weights = WEIGHTS
        self.tried = [0] * (64 * 16)
        """By 4 x tricks left + cards in the trick, then 16 cards, the most promising first."""
        self.scores = [0] * (64 * 16)
        self.strongest = [0] * (16 * 16)
        """By tricks left, lane led and place: see ``_strongest``."""

    def begin(self, left: int, place: int, size: int, lane: int, tricks: int) -> None:
        """Take what those hold who come after a place, if a lane is led."""
        for back in range(1, 4 - size):
            other = place + back & 3
            self.strongest[tricks * 16 + lane * 4 + other] = self._strongest(
                left & self.suits.own[other], lane
            )

    def ordered(
        self,
        legal: int,
        left: int,
        place: int,
        size: int,
        trick: int,
        best: int,
        winner: int,
        lane: int,
        need: int,
        hint: int,
        tricks: int,
        at: int,
    ) -> int:
        """How many cards there are to try; they stand in ``tried``, the most promising first."""
        if tricks <= _UNSCORED:
            return self._listed(legal, at)
        if size == 0:
            for suit in range(4):
                if legal & _LANE << 16 * suit:
                    self.begin(left, place, 0, suit, tricks)
        if legal & (legal - 1) == 0:
            self.tried[at] = legal
            return 1
        pictures = _count(left & self.suits.pictures)
        share = 8
        wanted = pictures >> 1
        # What is not a threshold asks for 0 or less.
        if need > 0:
            wanted = pictures - need + 1 if place & 1 else need
            share = wanted * 16 // pictures
        in_trick = _count(trick & self.suits.pictures)
        power = 0
        if size:
            power = self._power(best, lane)
        count = 0
        while legal:
            card = legal & (~legal + 1)
            legal ^= card
            score = 0
            if self.is_scored:
                score = self._score(
                    card, left, place, size, in_trick, power, winner, lane, wanted, share, tricks
                )
            if card == hint:
                score = _BEST
            index = count
            while index > 0 and self.scores[at + index - 1] < score:
                self.scores[at + index] = self.scores[at + index - 1]
                self.tried[at + index] = self.tried[at + index - 1]
                index -= 1
            self.scores[at + index] = score
            self.tried[at + index] = card
            count += 1
        return count

    def _listed(self, legal: int, at: int) -> int:
        count = 0
        while legal:
            card = legal & (~legal + 1)
            self.tried[at + count] = card
            count += 1
            legal ^= card
        return count

    def _score(
        self,
        card: int,
        left: int,
        place: int,
        size: int,
        in_trick: int,
        best_power: int,
        winner: int,
        lane: int,
        wanted: int,
        share: int,
        tricks: int,
    ) -> int:
        """How soon a card is tried: weights of ``solving_weights`` over what it does to the trick."""
        suit = self._lane(card)
        if size == 0:
            lane = suit
        is_picture = 1 if card & self.suits.pictures else 0
        power = self._power(card, lane)
        ahead = winner
        if size == 0 or power > best_power:
            ahead = place
            best_power = power
        now_ahead = ahead
        # Those who come after play their strongest card if their side is behind and it would win.
        at = tricks * 16 + lane * 4
        place_after = place
        for _ in range(size, 3):
            place_after = place_after + 1 & 3
            strength = self.strongest[at + place_after] & 127
            if (place_after ^ ahead) & 1 and strength > best_power:
                best_power = strength
                ahead = place_after
        taken = in_trick + is_picture
        place_after = place
        for _ in range(size, 3):
            place_after = place_after + 1 & 3
            strength = self.strongest[at + place_after]
            if (place_after ^ ahead) & 1:
                taken += strength >> 9 & 1
            elif place_after == ahead:
                taken += strength >> 10 & 1
            else:
                taken += strength >> 8 & 1
        if size == 0:
            context = 0 if ahead == place else 2 if ahead == place ^ 2 else 4 if best_power < 32 else 6
            context += 1 if suit == 0 else 0
        else:
            context = 12 if card == self.suits.rensho else 0 if suit == lane else 4 if suit == 0 else 8
            if (ahead ^ place) & 1 == 0:
                context += 0 if ahead == place else 1
            else:
                context += 2 if now_ahead == place else 3
        word = self.suits.words[_SUIT * suit + (left >> 16 * suit & _LANE)]
        after = place + 1 & 3
        before = place + 3 & 3
        partner = place ^ 2
        after_length = word >> (26 + 4 * after) & 15
        before_length = word >> (26 + 4 * before) & 15
        higher = left & _LANE << 16 * suit & (card - 1)
        lower_own = left & self.suits.own[place] & _LANE << 16 * suit & ~(card | (card - 1))
        of_others = self.suits.own[after] | self.suits.own[before]
        many = 1 if tricks >= _MANY else 0
        if size == 0:
            at = (many * _LEAD_CONTEXTS + context) * _LEAD_FEATURES
        else:
            at = _FIRST_FOLLOWING + ((size * 2 - 2 + many) * _CONTEXTS + context) * _FEATURES
        score = self.weights[at] + self.weights[at + 1] * is_picture + self.weights[at + 2] * taken
        score += self.weights[at + 3] * _count(higher)
        score += self.weights[at + 4] * (word >> (26 + 4 * place) & 15)
        score += self.weights[at + 5] * (word >> (26 + 4 * partner) & 15)
        score += self.weights[at + 6] * (word >> (42 + 3 * place) & 7)
        score += self.weights[at + 7] * (word >> (42 + 3 * partner) & 7)
        score += self.weights[at + 8] * ((word >> (42 + 3 * after) & 7) + (word >> (42 + 3 * before) & 7))
        score += self.weights[at + 9] * (0 if lower_own else 1)
        score += self.weights[at + 10] * (0 if after_length else 1)
        score += self.weights[at + 11] * (0 if before_length else 1)
        score += self.weights[at + 12] * (after_length + before_length)
        score += self.weights[at + 13] * _count(higher & of_others)
        score += self.weights[at + 14] * tricks
        score += self.weights[at + 15] * share
        return score if size else score + self._lead_score(card, left, place, wanted, at + _FEATURES)

    def _lead_score(self, card: int, left: int, place: int, wanted: int, at: int) -> int:
        """What the score of a lead has besides: who could beat or trump it, and what it could catch."""
        suit = self._lane(card)
        trumps = self.suits.words[left & _LANE]
        word = self.suits.words[_SUIT * suit + (left >> 16 * suit & _LANE)]
        after = place + 1 & 3
        before = place + 3 & 3
        partner = place ^ 2
        after_length = word >> (26 + 4 * after) & 15
        before_length = word >> (26 + 4 * before) & 15
        after_trumps = trumps >> (26 + 4 * after) & 15
        before_trumps = trumps >> (26 + 4 * before) & 15
        partner_trumps = trumps >> (26 + 4 * partner) & 15
        in_suit = left & _LANE << 16 * suit
        higher = in_suit & (card - 1)
        lower = in_suit ^ higher ^ card
        of_others = self.suits.own[after] | self.suits.own[before]
        # The owner of the highest card of the suit.
        owner = word >> 24 & 3
        score = self.weights[at] * (after_length if after_length < before_length else before_length)
        score += self.weights[at + 1] * (0 if higher else 1)
        score += self.weights[at + 2] * (1 if owner == partner else 0)
        score += self.weights[at + 3] * ((owner ^ place) & 1)
        if suit:
            score += self.weights[at + 4] * (1 if after_length == 0 and after_trumps else 0)
            score += self.weights[at + 5] * (1 if before_length == 0 and before_trumps else 0)
            partner_length = word >> (26 + 4 * partner) & 15
            score += self.weights[at + 6] * (1 if partner_length == 0 and partner_trumps else 0)
        score += self.weights[at + 7] * (trumps >> (26 + 4 * place) & 15)
        score += self.weights[at + 8] * partner_trumps
        score += self.weights[at + 9] * (after_trumps + before_trumps)
        score += self.weights[at + 10] * _count(higher & self.suits.own[place])
        score += self.weights[at + 11] * _count(higher & self.suits.own[partner])
        score += self.weights[at + 12] * _count(lower & of_others & self.suits.pictures)
        score += self.weights[at + 13] * (word >> (42 + 3 * after) & 7)
        score += self.weights[at + 14] * (1 if left & self.suits.rensho & of_others else 0)
        return score + self.weights[at + 15] * wanted

    def failed(self, at: int, index: int, count: int) -> None:
        """Put leads of the suit of one that failed further behind, among those not yet tried."""
        if at >> 6 <= _UNSCORED:
            return
        suit = self._lane(self.tried[at + index])
        for other in range(index + 1, count):
            card = self.tried[at + other]
            score = self.scores[at + other]
            if self._lane(card) == suit:
                score -= _SAME_SUIT
            place = other
            while place > index + 1 and self.scores[at + place - 1] < score:
                self.scores[at + place] = self.scores[at + place - 1]
                self.tried[at + place] = self.tried[at + place - 1]
                place -= 1
            self.scores[at + place] = score
            self.tried[at + place] = card

    def _strongest(self, hand: int, lane: int) -> int:
        """What a hand can do where this suit is led: power of its strongest card, and of pictures.

        Bit 8: it may play one, bit 9: it must, bit 10: the strongest is one.
        """
        suit = hand & _LANE << 16 * lane
        legal = hand
        best = 0
        if suit:
            legal = suit | hand & self.suits.free
            best = suit & (~suit + 1)
        elif hand & _LANE:
            best = hand & _LANE
            best = best & (~best + 1)
        if legal & self.suits.rensho:
            best = self.suits.rensho
        found = 0
        if best:
            found = self._power(best, lane)
            if best & self.suits.pictures:
                found |= 1024
        if legal & self.suits.pictures:
            found |= 256
        if legal & ~self.suits.pictures == 0:
            found |= 512
        return found

    def _power(self, card: int, lane: int) -> int:
        """How strong a card is where this suit was led; 0: it cannot win."""
        if card == self.suits.rensho:
            return 64
        number = _count(card - 1)
        if number < 16:
            return 48 - number
        return 16 - (number & 15) if number >> 4 == lane else 0

    def _lane(self, card: int) -> int:
        return _count(card - 1) >> 4
