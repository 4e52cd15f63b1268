# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Move ordering of the solver, with fitted weights (``solving_weights``). It never changes an answer."""

from __future__ import annotations

from engine.kernel.solving_suits import Suits
from engine.kernel.solving_weights import WEIGHTS

_LANE = 0x1FFF
_SUIT = 8192
_FEATURES = 16
_CONTEXTS = 16
_LEAD_FEATURES = 32
_LEAD_CONTEXTS = 8
_FIRST_FOLLOWING = 512
_MANY_TRICKS = 7
_TRIED = -(1 << 31)
_SAME_SUIT = 40
"""Score that a lead loses after another lead of its suit has failed."""
# Masks to count bits in groups of two, four and eight.
_TWOS = 0x5555555555555555
_FOURS = 0x3333333333333333
_EIGHTS = 0x0F0F0F0F0F0F0F0F
_SUM = 0x0101010101010101


def _count(mask: int) -> int:
    # C compilers replace these lines by the popcount instruction, without a branch for 0.
    mask -= mask >> 1 & _TWOS
    mask = (mask & _FOURS) + (mask >> 2 & _FOURS)
    return (mask + (mask >> 4) & _EIGHTS) * _SUM >> 56 & 255


class MoveOrder:
    def __init__(self, suits: Suits, is_scored: int) -> None:
        self.suits = suits
        self.is_scored = is_scored
        self.weights = WEIGHTS
        self.cards = [0] * (64 * 16)
        """Up to 16 cards per row; the row is 4 x tricks left + cards in the trick."""
        self.keys = [0] * (64 * 16)
        """Sort keys of these cards, highest first: 32 x score + 31 - index in the row."""
        self.strongest = [0] * (16 * 16)

    def set_strongest(self, left: int, player: int, size: int, lane: int, tricks: int) -> None:
        for back in range(1, 4 - size):
            other = player + back & 3
            self.strongest[tricks * 16 + lane * 4 + other] = self._strongest(
                left & self.suits.own[other], lane
            )

    def score_cards(
        self,
        legal: int,
        left: int,
        player: int,
        size: int,
        trick: int,
        best: int,
        winner: int,
        lane: int,
        need: int,
        tricks: int,
        start: int,
    ) -> int:
        """Score the legal cards and return their number; a single card is not scored."""
        if size == 0:
            for suit in range(4):
                if legal & _LANE << 16 * suit:
                    self.set_strongest(left, player, 0, suit, tricks)
        if legal & (legal - 1) == 0:
            return 1
        pictures = _count(left & self.suits.pictures)
        share = 8
        needed = pictures >> 1
        # With a target, need is 0 or less.
        if need > 0:
            needed = pictures - need + 1 if player & 1 else need
            share = needed * 16 // pictures
        in_trick = _count(trick & self.suits.pictures)
        power = 0
        if size:
            power = self._power(best, lane)
        count = 0
        for suit in range(4):
            cards = legal >> 16 * suit & _LANE
            if cards:
                count = self._score_suit(
                    cards,
                    suit,
                    left,
                    player,
                    size,
                    in_trick,
                    power,
                    winner,
                    lane,
                    needed,
                    share,
                    tricks,
                    start,
                    count,
                )
        return count

    def demote_suit(self, start: int, count: int, card: int) -> None:
        """Lower the untried leads of the suit of a card that failed."""
        suit = _LANE << 16 * self._lane(card)
        for index in range(count):
            if self.cards[start + index] & suit and self.keys[start + index] != _TRIED:
                self.keys[start + index] -= 32 * _SAME_SUIT

    def next_card(self, start: int, count: int) -> int:
        best = _TRIED
        for index in range(count):
            key = self.keys[start + index]
            best = key if key > best else best
        index = 31 - (best & 31)
        self.keys[start + index] = _TRIED
        return self.cards[start + index]

    def _score_suit(
        self,
        cards: int,
        suit: int,
        left: int,
        player: int,
        size: int,
        in_trick: int,
        trick_power: int,
        winner: int,
        lane: int,
        needed: int,
        share: int,
        tricks: int,
        start: int,
        count: int,
    ) -> int:
        """Score the cards of a suit by their effect on the trick; return the number scored so far."""
        if size == 0:
            lane = suit
        in_suit = left >> 16 * suit & _LANE
        pictures = self.suits.pictures >> 16 * suit & _LANE
        rensho = self.suits.rensho >> 16 * suit & _LANE
        own = in_suit & self.suits.own[player] >> 16 * suit
        after = player + 1 & 3
        before = player + 3 & 3
        partner = player ^ 2
        of_partner = self.suits.own[partner] >> 16 * suit
        of_others = (self.suits.own[after] | self.suits.own[before]) >> 16 * suit
        word = self.suits.words[_SUIT * suit + in_suit]
        own_length = word >> (26 + 4 * player) & 15
        partner_length = word >> (26 + 4 * partner) & 15
        after_length = word >> (26 + 4 * after) & 15
        before_length = word >> (26 + 4 * before) & 15
        own_pictures = word >> (42 + 3 * player) & 7
        partner_pictures = word >> (42 + 3 * partner) & 7
        other_pictures = (word >> (42 + 3 * after) & 7) + (word >> (42 + 3 * before) & 7)
        strongest = tricks * 16 + lane * 4
        many = 1 if tricks >= _MANY_TRICKS else 0
        # First weight of the context, and its number of weights.
        rows = many * _LEAD_CONTEXTS * _LEAD_FEATURES
        features = _LEAD_FEATURES
        if size:
            rows = _FIRST_FOLLOWING + (size * 2 - 2 + many) * _CONTEXTS * _FEATURES
            features = _FEATURES
        last = -1
        of_suit = 0
        while cards:
            card = cards & (~cards + 1)
            cards ^= card
            is_picture = 1 if card & pictures else 0
            power = 0
            if card == rensho:
                power = 64
            elif suit == 0:
                power = 48 - _count(card - 1)
            elif suit == lane:
                power = 16 - _count(card - 1)
            ahead = winner
            best_power = trick_power
            if size == 0 or power > best_power:
                ahead = player
                best_power = power
            now_ahead = ahead
            # Each later player plays its strongest card if its side is losing and the card wins.
            player_after = player
            for _ in range(size, 3):
                player_after = player_after + 1 & 3
                strength = self.strongest[strongest + player_after] & 127
                if (player_after ^ ahead) & 1 and strength > best_power:
                    best_power = strength
                    ahead = player_after
            taken = in_trick + is_picture
            player_after = player
            for _ in range(size, 3):
                player_after = player_after + 1 & 3
                strength = self.strongest[strongest + player_after]
                if (player_after ^ ahead) & 1:
                    taken += strength >> 9 & 1
                elif player_after == ahead:
                    taken += strength >> 10 & 1
                else:
                    taken += strength >> 8 & 1
            if size == 0:
                row = 0 if ahead == player else 2 if ahead == player ^ 2 else 4 if best_power < 32 else 6
                row += 1 if suit == 0 else 0
            else:
                row = 12 if card == rensho else 0 if suit == lane else 4 if suit == 0 else 8
                if (ahead ^ player) & 1 == 0:
                    row += 0 if ahead == player else 1
                else:
                    row += 2 if now_ahead == player else 3
            row = rows + row * features
            if row != last:
                last = row
                of_suit = self.weights[row] + self.weights[row + 4] * own_length
                of_suit += self.weights[row + 5] * partner_length
                of_suit += self.weights[row + 6] * own_pictures
                of_suit += self.weights[row + 7] * partner_pictures
                of_suit += self.weights[row + 8] * other_pictures
                of_suit += self.weights[row + 10] * (0 if after_length else 1)
                of_suit += self.weights[row + 11] * (0 if before_length else 1)
                of_suit += self.weights[row + 12] * (after_length + before_length)
                of_suit += self.weights[row + 14] * tricks
                of_suit += self.weights[row + 15] * share
                if size == 0:
                    of_suit += self._lead_score(left, suit, word, player, needed, row + _FEATURES)
            higher = in_suit & (card - 1)
            score = of_suit + self.weights[row + 1] * is_picture + self.weights[row + 2] * taken
            score += self.weights[row + 3] * _count(higher)
            score += self.weights[row + 9] * (0 if own & ~(card | (card - 1)) else 1)
            score += self.weights[row + 13] * _count(higher & of_others)
            if size == 0:
                row += _FEATURES
                score += self.weights[row + 1] * (0 if higher else 1)
                score += self.weights[row + 10] * _count(higher & own)
                score += self.weights[row + 11] * _count(higher & of_partner)
                score += self.weights[row + 12] * _count(in_suit & ~higher & ~card & of_others & pictures)
            if not self.is_scored:
                score = 0
            self.cards[start + count] = card << 16 * suit
            self.keys[start + count] = score * 32 + 31 - count
            count += 1
        return count

    def _lead_score(self, left: int, suit: int, word: int, player: int, needed: int, row: int) -> int:
        """Score what all leads of a suit share: the owner of the highest card, and who could trump."""
        trumps = self.suits.words[left & _LANE]
        after = player + 1 & 3
        before = player + 3 & 3
        partner = player ^ 2
        after_length = word >> (26 + 4 * after) & 15
        before_length = word >> (26 + 4 * before) & 15
        after_trumps = trumps >> (26 + 4 * after) & 15
        before_trumps = trumps >> (26 + 4 * before) & 15
        partner_trumps = trumps >> (26 + 4 * partner) & 15
        of_others = self.suits.own[after] | self.suits.own[before]
        # Owner of the highest card of the suit.
        owner = word >> 24 & 3
        score = self.weights[row] * (after_length if after_length < before_length else before_length)
        score += self.weights[row + 2] * (1 if owner == partner else 0)
        score += self.weights[row + 3] * ((owner ^ player) & 1)
        if suit:
            score += self.weights[row + 4] * (1 if after_length == 0 and after_trumps else 0)
            score += self.weights[row + 5] * (1 if before_length == 0 and before_trumps else 0)
            partner_length = word >> (26 + 4 * partner) & 15
            score += self.weights[row + 6] * (1 if partner_length == 0 and partner_trumps else 0)
        score += self.weights[row + 7] * (trumps >> (26 + 4 * player) & 15)
        score += self.weights[row + 8] * partner_trumps
        score += self.weights[row + 9] * (after_trumps + before_trumps)
        score += self.weights[row + 13] * (word >> (42 + 3 * after) & 7)
        score += self.weights[row + 14] * (1 if left & self.suits.rensho & of_others else 0)
        return score + self.weights[row + 15] * needed

    def _strongest(self, hand: int, lane: int) -> int:
        """Return the power of the strongest card that a hand can play on this lane.

        Bit 8: it may play a picture; bit 9: it must; bit 10: its strongest card is a picture.
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
        strength = 0
        if best:
            strength = self._power(best, lane)
            if best & self.suits.pictures:
                strength |= 1024
        if legal & self.suits.pictures:
            strength |= 256
        if legal & ~self.suits.pictures == 0:
            strength |= 512
        return strength

    def _power(self, card: int, lane: int) -> int:
        """Return the strength of a card when this lane was led; 0 cannot win."""
        if card == self.suits.rensho:
            return 64
        number = _count(card - 1)
        if number < 16:
            return 48 - number
        return 16 - (number & 15) if number >> 4 == lane else 0

    def _lane(self, card: int) -> int:
        return _count(card - 1) >> 4
