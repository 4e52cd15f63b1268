# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""The last two tricks of the solver, played out directly: faster than bounds, ordering and search.

Equivalent cards are all tried, so no answer rests on whole runs.
"""

from __future__ import annotations

from engine.kernel.solving_suits import Suits

_YES = 1 << 63
_LANE = 0x1FFF
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


class LastTricks:
    """Answers about two tricks: bit 63 and the cards that they rest on, as in ``solving_search``."""

    def __init__(self, suits: Suits) -> None:
        self.suits = suits
        self.hands = [0] * 4
        self.last_cards = [0] * 4
        """Cards for the last trick, in the order of play."""

    def answer(self, left: int, player: int, need: int, pictures: int) -> int:
        for turn in range(4):
            self.hands[turn] = left & self.suits.own[player + turn & 3]
        needed = pictures - need + 1 if player & 1 else need
        other = 0
        if player & 1:
            other = _YES
        rests_on = 0
        cards = self.hands[0]
        while cards:
            card = cards & (~cards + 1)
            cards ^= card
            self.last_cards[0] = self.hands[0] ^ card
            answer = self._second(card, needed, pictures)
            if answer & _YES:
                return answer ^ other
            rests_on |= answer
        return rests_on ^ other

    def _second(self, led: int, needed: int, pictures: int) -> int:
        suit = _LANE << (_count(led - 1) & 48)
        rests_on = 0
        cards = self._legal(1, suit)
        while cards:
            card = cards & (~cards + 1)
            cards ^= card
            self.last_cards[1] = self.hands[1] ^ card
            if self._beats(card, led, suit):
                answer = self._third(led | card, card, 1, suit, needed, pictures)
            else:
                answer = self._third(led | card, led, 0, suit, needed, pictures)
            if not answer & _YES:
                return answer
            rests_on |= answer
        return rests_on

    def _third(self, trick: int, best: int, winner: int, suit: int, needed: int, pictures: int) -> int:
        rests_on = 0
        cards = self._legal(2, suit)
        while cards:
            card = cards & (~cards + 1)
            cards ^= card
            self.last_cards[2] = self.hands[2] ^ card
            if self._beats(card, best, suit):
                answer = self._fourth(trick | card, card, 2, suit, needed, pictures)
            else:
                answer = self._fourth(trick | card, best, winner, suit, needed, pictures)
            if answer & _YES:
                return answer
            rests_on |= answer
        return rests_on

    def _fourth(self, trick: int, best: int, winner: int, suit: int, needed: int, pictures: int) -> int:
        rests_on = _YES
        cards = self._legal(3, suit)
        while cards:
            card = cards & (~cards + 1)
            cards ^= card
            self.last_cards[3] = self.hands[3] ^ card
            now_best = best
            now_winner = winner
            if self._beats(card, best, suit):
                now_best = card
                now_winner = 3
            played = trick | card
            answer = self._rests_on(played, now_best)
            taken = _count(played & self.suits.pictures)
            got = 0 if now_winner & 1 else taken
            if got < needed:
                if got + pictures - taken < needed:
                    return answer
                last_best = self.last_cards[now_winner]
                last_winner = now_winner
                last_suit = _LANE << (_count(last_best - 1) & 48)
                for back in range(1, 4):
                    turn = now_winner + back & 3
                    if self._beats(self.last_cards[turn], last_best, last_suit):
                        last_best = self.last_cards[turn]
                        last_winner = turn
                played = self.last_cards[0] | self.last_cards[1] | self.last_cards[2] | self.last_cards[3]
                answer |= self._rests_on(played, last_best)
                if last_winner & 1 == 0:
                    got += pictures - taken
                if got < needed:
                    return answer
            rests_on |= answer
        return rests_on

    def _legal(self, turn: int, suit: int) -> int:
        cards = self.hands[turn] & suit
        return cards | self.hands[turn] & self.suits.free if cards else self.hands[turn]

    def _beats(self, card: int, best: int, suit: int) -> int:
        if card == self.suits.rensho:
            return 1
        if best == self.suits.rensho:
            return 0
        if card <= _LANE:
            return 1 if best > _LANE or card < best else 0
        # A plain card must be of the suit led, like the best card then.
        return 1 if best > _LANE and card & suit and card < best else 0

    def _rests_on(self, trick: int, best: int) -> int:
        if best == self.suits.rensho:
            return 0
        same_kind = trick & _LANE << (_count(best - 1) & 48)
        same_kind &= self.suits.pictures if best & self.suits.pictures else ~self.suits.pictures
        return best if same_kind & ~best else 0
