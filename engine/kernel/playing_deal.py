# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Playouts of one deal of Kakeya or Etori. Uncompiled, this file gives the same results.

Playout *i* of a seed draws from SplitMix64 started at ``mix(seed + (i + 1) * GOLDEN)``, so it does not
depend on the other playouts. If *n* > 1 cards are legal, it plays number ``(draw >> 32) * n >> 32`` in
ascending order. Source: docs/rules/kakeya.md#play; docs/rules/etori.md#meiji-etori.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import KAKEYA_PACK
from engine.games.kakeya.notation import TRICKS
from engine.games.kakeya.scoring import PICTURE_MASK, PICTURES_IN_ALL
from engine.kernel.position import PLAYERS, SUIT_MASKS, KernelError, Position

_ALL = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_PICTURES = PICTURE_MASK
_NO_CARD = len(KAKEYA_PACK)
"""Best card of an empty trick; every card beats it."""

# Later worth of a card, in thousandths of a picture, as in bots/house/kakeya_rules.
_KEEP_RENSHO = 4300
_KEEP_TRUMP_ACE = 3400
_KEEP_TRUMP = 200
_KEEP_TRUMP_RANK = 130
"""Additional worth per rank above the two."""
_KEEP_RANK = 10
"""Worth of a plain card per rank above the two."""
_KEEP_MASTER = 100
"""Worth of a plain picture that no card of its suit can beat any more."""
_VOID_WORTH = 120
"""Worth of playing the last card of a plain suit from a hand with trumps."""
_FRESH_PICTURES = 4
"""Number of remaining pictures below which Rensho and trumps lose worth in proportion."""
_ACE = TRICKS - 1
_PICTURE = 1000
_FREE = 300
"""Maximum later worth of a card that an opponent plays to win a trick without pictures."""
_CHANCE = 255
"""Maximum random worth added to each card, so that playouts of one world differ."""


# Repeated in shedding_deal: C compilers inline functions only within a module.
def _mixed(z: int) -> int:
    z = (z ^ (z >> 30)) * _MIX_1 & _ALL
    z = (z ^ (z >> 27)) * _MIX_2 & _ALL
    return z ^ (z >> 31)


def _count(mask: int) -> int:
    # C compilers replace this loop by the popcount instruction.
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


def _allowed(hand: int, led: int, free: int) -> int:
    """Return the legal cards of a hand. Before a lead, ``led`` contains all cards."""
    follow = hand & led
    return follow | hand & free if follow else hand


class PlayoutDeal:
    """A deal that playouts play repeatedly; it follows the rules of ``engine.kernel.moves``."""

    def __init__(self) -> None:
        self.suit = [0] * 53
        self.above = [0] * 53
        self.keep = [0] * 53
        self.hands_0 = [0] * 4
        self.hands = [0] * 4
        self.tally = [0] * 17
        self.chance = 0
        self.policy = 0
        for card in range(_NO_CARD):
            self.suit[card] = SUIT_MASKS[card // TRICKS]

    def load(self, position: Position) -> None:
        trumps, rensho = SUIT_MASKS[position.trump], 1 << position.rensho
        for card in range(_NO_CARD):
            bit = 1 << card
            suit = SUIT_MASKS[card // TRICKS]
            higher = suit & ~(bit | (bit - 1))
            rank = card % TRICKS
            if bit == rensho:
                self.above[card] = 0
                self.keep[card] = _KEEP_RENSHO
            elif bit & trumps:
                self.above[card] = higher | rensho
                self.keep[card] = _KEEP_TRUMP_ACE if rank == _ACE else _KEEP_TRUMP + _KEEP_TRUMP_RANK * rank
            else:
                self.above[card] = higher | trumps | rensho
                self.keep[card] = _KEEP_RANK * rank
        self.above[_NO_CARD] = _ALL
        self.trumps, self.rensho = trumps, rensho
        self.free = rensho if position.is_free else 0
        self.cards_0 = len(position.trick)
        for player in range(PLAYERS):
            self.hands_0[player] = position.hands[player]
            self.cards_0 += position.hands[player].bit_count()
        self.turn_0 = position.turn
        self.taken_0 = position.captured[0]
        self.size_0 = len(position.trick)
        self.cards_0 -= self.size_0
        self.led_0, self.trick_0, self.best_0, self.winner_0 = _ALL, 0, _NO_CARD, 0
        for index, card in enumerate(position.trick):
            if index == 0:
                self.led_0 = self.suit[card]
            self.trick_0 |= 1 << card
            if self.above[self.best_0] >> card & 1:
                self.best_0, self.winner_0 = card, (position.turn - self.size_0 + index) % PLAYERS
        self._begin()

    def legal(self) -> tuple[int, ...]:
        self._begin()
        return self._legal_cards()

    def run(self, index: int, first: int, n: int, seed: int, policy: int) -> tuple[int, ...]:
        """Run ``n`` playouts and count them by the pictures of side 0.

        Each begins with legal card ``index``, unless it is -1. ``policy`` is 0 for random, 1 for rules.
        """
        self.policy = policy
        self._run(index, first, n, seed)
        return tuple([self.tally[pictures] for pictures in range(PICTURES_IN_ALL + 1)])

    def line(self, number: int, seed: int, policy: int) -> tuple[tuple[int, ...], int]:
        self.policy = policy
        self._begin()
        self._start(number, seed)
        cards = []
        for _ in range(self.cards_0):
            self._play_on(-1, 1)
            cards.append(self.card)
        return tuple(cards), self.taken

    def replayed(self, cards: Sequence[int]) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...], int]:
        self._begin()
        legal_before, turns = [], []
        for number, card in enumerate(cards):
            legal = self._legal_cards()
            if card not in legal:
                allowed = ", ".join(map(str, legal)) or "none, no card is left"
                raise KernelError(f"card {number} cannot be {card}; allowed: {allowed}")
            legal_before.append(legal)
            turns.append(self.turn)
            self._advance(legal.index(card), 1)
        return tuple(legal_before), tuple(turns), self.taken

    def _legal_cards(self) -> tuple[int, ...]:
        legal = _allowed(self.hands[self.turn], self.led, self.free)
        return tuple([card for card in range(_NO_CARD) if legal >> card & 1])

    def _begin(self) -> None:
        for player in range(4):
            self.hands[player] = self.hands_0[player]
        self.turn = self.turn_0
        self.taken = self.taken_0
        self.size = self.size_0
        self.led = self.led_0
        self.trick = self.trick_0
        self.best = self.best_0
        self.winner = self.winner_0

    def _start(self, number: int, seed: int) -> None:
        self.chance = _mixed(seed + (number + 1) * _GOLDEN & _ALL)

    def _run(self, index: int, first: int, n: int, seed: int) -> None:
        for pictures in range(17):
            self.tally[pictures] = 0
        i = first
        until = first + n
        while i < until:
            self._begin()
            self._start(i, seed)
            self._play_on(index, self.cards_0)
            self.tally[self.taken] += 1
            i += 1

    def _advance(self, index: int, cards: int) -> None:
        """Play ``cards`` random cards; the first is legal card ``index``, unless it is -1."""
        chance, free = self.chance, self.free
        turn, taken, size = self.turn, self.taken, self.size
        led, trick, best, winner = self.led, self.trick, self.best, self.winner
        card = _NO_CARD
        while cards > 0:
            hand = self.hands[turn]
            legal = _allowed(hand, led, free)
            n = _count(legal)
            if index >= 0:
                pick = index
                index = -1
            else:
                if n > 1:
                    chance = chance + _GOLDEN & _ALL
                # With one legal card, the number is always 0.
                pick = (_mixed(chance) >> 32) * n >> 32
            while pick:
                legal &= legal - 1
                pick -= 1
            bit = legal & ~(legal - 1)
            card = _count(bit - 1)
            self.hands[turn] = hand ^ bit
            trick |= bit
            if self.above[best] & bit:
                best = card
                winner = turn
            if size == 0:
                led = self.suit[card]
            size += 1
            turn = turn + 1 & 3
            if size == 4:
                # Pictures count if side 0 wins: players 0 and 2.
                taken += _count(trick & _PICTURES) * (1 - (winner & 1))
                turn = winner
                size = 0
                led = _ALL
                trick = 0
                best = _NO_CARD
            cards -= 1
        self.chance = chance
        self.turn, self.taken, self.size = turn, taken, size
        self.led, self.trick, self.best, self.winner = led, trick, best, winner
        self.card = card

    def _play_on(self, index: int, cards: int) -> None:
        if self.policy == 0:
            self._advance(index, cards)
            return
        while cards > 0:
            legal = _allowed(self.hands[self.turn], self.led, self.free)
            if index >= 0:
                while index:
                    legal &= legal - 1
                    index -= 1
                index = -1
                legal &= ~(legal - 1)
            else:
                legal = self._pick(legal)
            self._play_card(legal)
            cards -= 1

    def _pick(self, legal: int) -> int:
        if legal & legal - 1 == 0:
            return legal
        if self.policy:
            return self._best_card(legal)
        self.chance = self.chance + _GOLDEN & _ALL
        pick = (_mixed(self.chance) >> 32) * _count(legal) >> 32
        while pick:
            legal &= legal - 1
            pick -= 1
        return legal & ~(legal - 1)

    def _play_card(self, bit: int) -> None:
        card = _count(bit - 1)
        self.hands[self.turn] ^= bit
        self.trick |= bit
        if self.above[self.best] & bit:
            self.best = card
            self.winner = self.turn
        if self.size == 0:
            self.led = self.suit[card]
        self.size += 1
        self.turn = self.turn + 1 & 3
        if self.size == 4:
            self.taken += _count(self.trick & _PICTURES) * (1 - (self.winner & 1))
            self.turn = self.winner
            self.size = 0
            self.led = _ALL
            self.trick = 0
            self.best = _NO_CARD
        self.card = card

    def _distinct(self, legal: int) -> int:
        """Reduce equivalent cards of the player to move to the lowest of them.

        Cards of a suit are equivalent if no other hand and no card of the trick lies between them, and all or
        none are pictures. Rensho is never equivalent to another card.
        """
        other_cards = self.hands[0] | self.hands[1] | self.hands[2] | self.hands[3]
        other_cards = other_cards ^ self.hands[self.turn] | self.trick
        distinct, previous = 0, 0
        while legal:
            bit = legal & ~(legal - 1)
            legal ^= bit
            both = bit | previous
            if (
                previous & self.suit[_count(bit - 1)] == 0
                or (bit - previous) & ~previous & other_cards
                or (both & _PICTURES and both & _PICTURES != both)
                or both & self.rensho
            ):
                distinct |= bit
            previous = bit
        return distinct

    def _best_card(self, legal: int) -> int:
        """Return the legal card with the highest expected gain of the trick minus its later worth."""
        hand = self.hands[self.turn]
        in_hands = self.hands[0] | self.hands[1] | self.hands[2] | self.hands[3]
        other_hands = in_hands ^ hand
        fresh = _count((in_hands | self.trick) & _PICTURES)
        if fresh > _FRESH_PICTURES:
            fresh = _FRESH_PICTURES
        chosen, most = 0, -1000000
        legal = self._distinct(legal)
        while legal:
            bit = legal & ~(legal - 1)
            legal ^= bit
            card = _count(bit - 1)
            suit = self.suit[card]
            worth = self._trick_worth(card, bit, fresh)
            if bit & (self.trumps | self.rensho):
                worth -= self.keep[card] * fresh // _FRESH_PICTURES
            else:
                worth -= self.keep[card]
                if bit & _PICTURES and self.above[card] & suit & other_hands == 0:
                    worth -= _KEEP_MASTER
                if hand & suit == bit and hand & self.trumps:
                    worth += _VOID_WORTH
            self.chance = self.chance + _GOLDEN & _ALL
            worth += _mixed(self.chance) >> 40 & _CHANCE
            if worth > most:
                most, chosen = worth, bit
        return chosen

    def _trick_worth(self, card: int, bit: int, fresh: int) -> int:
        """Estimate in thousandths the pictures that the trick brings the side to move; negative if lost."""
        turn, led, best = self.turn, self.led, self.best
        side, holder = turn & 1, self.winner & 1
        if self.size == 0:
            led = self.suit[card]
        if self.above[best] & bit:
            best, holder = card, side
        pictures = _count((self.trick | bit) & _PICTURES)
        last = 4 - self.size
        k = 1
        while k < last:
            seat = turn + k & 3
            legal = _allowed(self.hands[seat], led, self.free)
            beating = legal & self.above[best]
            if beating and seat & 1 != holder:
                plain = beating & ~(self.trumps | self.rensho)
                cut = beating & self.trumps & ~self.rensho
                price = 0
                if plain:
                    while plain & plain - 1:
                        plain &= plain - 1
                    taking = plain
                elif cut:
                    taking = cut & ~(cut - 1)
                    price = self.keep[_count(taking - 1)]
                else:
                    taking = beating & ~(beating - 1)
                    price = _KEEP_RENSHO
                # A player whose legal cards all win has no cheaper choice.
                if beating == legal or price * fresh // _FRESH_PICTURES <= 2 * _PICTURE * pictures + _FREE:
                    best = _count(taking - 1)
                    holder = seat & 1
            k += 1
        k = 1
        while k < last:
            seat = turn + k & 3
            legal = _allowed(self.hands[seat], led, self.free)
            if seat & 1 == holder:
                if legal & _PICTURES:
                    pictures += 1
            elif legal & ~_PICTURES == 0:
                pictures += 1
            k += 1
        return pictures * _PICTURE if holder == side else -pictures * _PICTURE
