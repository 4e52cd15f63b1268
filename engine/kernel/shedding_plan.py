# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""Worth of Kakkuri hands to their holders: the sensible policy of the playouts.

For each seat, a table covers every hand that can be left of its hand, at most 64, from small to large:
``best`` is the worth of the best meld by the value to follow, ``ended`` the worth of ending the turn by the
value that then has to be followed.

The chances of what the opponents do depend only on hand size and number of seats
(``engine.kernel.shedding_outlook``). Worth is an integer in 4096ths of a stone, relative to the stone that
every seat loses if it does not go out, so every machine computes the same.

Source: docs/rules/kakkuri.md#what-may-follow, #sansoku, #payment.
"""

from __future__ import annotations

from engine.cards import KAKKURI_PACK
from engine.games.kakkuri.deal import HAND
from engine.games.kakkuri.melds import HIGHEST, WILDS
from engine.kernel.shedding_outlook import Outlook
from engine.kernel.shedding_position import SheddingRules

_STONE = 4096
_SHIFT = 12
_NEVER = -1
_PAIRS = 9
"""Offset from the slot of a seat to its slot for pairs (after sansoku)."""
_HAND = HAND
_ENTRIES = 8192
_BUCKETS = 16384
"""Buckets of the hash table of hands. A key counts cards by value, three bits each, wilds lowest."""
_UNIT = 1
_PAIRED = 1 << 40
_SPREAD = 0x9E3779B97F4A7C15
_ALL = (1 << 64) - 1
_WILDS = KAKKURI_PACK.mask(WILDS)
_HIGHEST = HIGHEST


# Repeated from playing_deal: C compilers inline functions only within a module.
def _count(mask: int) -> int:
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


def _low(mask: int) -> int:
    return mask & ~(mask - 1)


def _bucket_of(key: int) -> int:
    return (key * _SPREAD & _ALL) >> 50


class HandPlans:
    """Tables of all seats. A subset of a table's hand has a bit per card, at most six, in ascending order."""

    def __init__(self, rules: SheddingRules) -> None:
        self.values = [rules.melds.values[card] for card in KAKKURI_PACK.cards]
        self.is_reset = rules.wild_mode == "reset"
        self.is_wild_in_pairs = rules.wild_in_sansoku
        self.hands = [0] * 18
        self.plain = [0] * 234
        self.wild = [0] * 18
        self.entry = [0] * 1152
        self.buckets = [0] * 16384
        self.keys = [0] * 8192
        self.best = [0] * 106496
        self.best_whole = [0] * 106496
        self.ended = [0] * 106496
        self.ended_whole = [0] * 106496
        self.size = 1
        self.coming = [0] * 169
        self.later = [0] * 13
        self.outlook: object = None
        self.sums = [0] * 64
        self.by_value = [0] * 13
        self.best_by_follow = [0] * 13
        self.ended_by_value = [0] * 13
        self.gain = self.guri = 0
        self.cards = self.value = self.worth = 0
        self.is_stopped = False
        self.cost = 0

    def load(self, outlook: Outlook, opponents: int, paying: int, pot: int) -> None:
        """Set the outlook, the number of seats that pay for going out and for guri, and the pot."""
        gain, guri = (opponents + pot + 1) * _STONE, (2 * paying + pot + 1) * _STONE
        if outlook is self.outlook and self.gain == gain and self.guri == guri:
            return
        self.outlook = outlook
        coming, later = outlook
        for k in range(169):
            self.coming[k] = coming[k]
        for value in range(1, 13):
            self.coming[value * 13] = sum(coming[value * 13 + 1 : value * 13 + 13])
        for k in range(13):
            self.later[k] = later[k]
        self.gain, self.guri = gain, guri
        self._reset()

    def _reset(self) -> None:
        for slot in range(18):
            self.hands[slot] = 0
        for bucket in range(_BUCKETS):
            self.buckets[bucket] = 0
        self.size = 1

    def _to_bits(self, slot: int, hand: int) -> int:
        bit = 1
        bits = 0
        remaining = self.hands[slot]
        while remaining:
            if hand & _low(remaining):
                bits |= bit
            remaining &= remaining - 1
            bit <<= 1
        return bits

    def _to_cards(self, slot: int, index: int) -> int:
        cards = 0
        remaining = self.hands[slot]
        while remaining:
            if index & 1:
                cards |= _low(remaining)
            remaining &= remaining - 1
            index >>= 1
        return cards

    def _is_pairs(self, slot: int, index: int) -> bool:
        odd = 0
        for value in range(1, _HIGHEST + 1):
            odd += _count(self.plain[slot * 13 + value] & index) & 1
        return odd <= _count(self.wild[slot] & index)

    def _consider(self, slot: int, subset: int, cards: int, value: int, is_whole: bool) -> None:
        left = subset & ~cards
        if left == 0:
            worth = self.guri if is_whole else self.gain
        else:
            if slot >= _PAIRS and not self._is_pairs(slot, left):
                return
            index = self.entry[slot * 64 + left] * 13 + value
            worth = self.best_whole[index] if is_whole else self.best[index]
            if self.ended[index] > worth:
                worth = self.ended[index]
        if worth > self.worth:
            self.worth = worth
            self.cards = cards
            self.value = value

    def _consider_value(self, slot: int, subset: int, value: int, is_whole: bool) -> None:
        """Consider all melds of one value; cards of one value are equivalent."""
        plain = self.plain[slot * 13 + value] & subset
        wild = self.wild[slot] & subset
        first = _low(plain)
        second = _low(plain ^ first)
        third = _low(plain ^ first ^ second)
        wild_first = _low(wild)
        wild_second = wild ^ wild_first
        if slot >= _PAIRS:
            if second:
                self._consider(slot, subset, first | second, value, is_whole)
            if plain and wild:
                self._consider(slot, subset, first | wild_first, value, is_whole)
            if wild_second:
                self._consider(slot, subset, wild, value, is_whole)
            return
        if plain:
            self._consider(slot, subset, first, value, is_whole)
            if third:
                self._consider(slot, subset, first | second | third, value, is_whole)
            if second and wild:
                self._consider(slot, subset, first | second | wild_first, value, is_whole)
            if wild_second:
                self._consider(slot, subset, first | wild, value, is_whole)
        if wild and not self.is_reset:
            self._consider(slot, subset, wild_first, value, is_whole)

    def _choose_meld(self, slot: int, subset: int, follow: int, is_whole: bool) -> None:
        """Set ``worth``, ``cards`` and ``value`` to the best meld; ``worth`` is ``_NEVER`` without one."""
        self.worth = _NEVER
        if follow == _HIGHEST:
            for value in range(1, _HIGHEST + 1):
                self._consider_value(slot, subset, value, is_whole)
        else:
            if follow <= 2:
                self._consider_value(slot, subset, follow, is_whole)
            self._consider_value(slot, subset, follow + 1, is_whole)
        if self.is_reset and slot < _PAIRS and self.wild[slot] & subset:
            self._consider(slot, subset, _low(self.wild[slot] & subset), _HIGHEST, is_whole)

    def _worth_of_stopping(self, slot: int, subset: int, value: int) -> int:
        """Return the worth of ending the turn at this value, less ``cost``; ``is_stopped`` loses guri."""
        index = self.entry[slot * 64 + subset] * 13 + value
        return (self.ended[index] if self.is_stopped else self.ended_whole[index]) - self.cost

    def _worth_of_melding(self, slot: int, subset: int, value: int, is_whole: bool) -> int:
        index = self.entry[slot * 64 + subset] * 13 + value
        return self.best_whole[index] if is_whole else self.best[index]

    def _build_table(self, slot: int, hand: int) -> None:
        if self.size > _ENTRIES - 64:
            self._reset()
        self.hands[slot] = hand
        self.wild[slot] = 0
        for value in range(1, _HIGHEST + 1):
            self.plain[slot * 13 + value] = 0
        is_wild = slot < _PAIRS or self.is_wild_in_pairs
        bit = 1
        self.sums[0] = _PAIRED if slot >= _PAIRS else 0
        while hand:
            card = _low(hand)
            if is_wild and card & _WILDS:
                self.wild[slot] |= bit
                value = 0
            else:
                value = self.values[_count(card - 1)]
                self.plain[slot * 13 + value] |= bit
            for subset in range(bit):
                self.sums[bit + subset] = self.sums[subset] + (_UNIT << 3 * value)
            hand ^= card
            bit <<= 1
        for subset in range(1, bit):
            if slot < _PAIRS or self._is_pairs(slot, subset):
                self._add_entry(slot, subset)

    def _add_entry(self, slot: int, subset: int) -> None:
        """Find or create the entry of a subset. The entries of smaller subsets must exist."""
        key = self.sums[subset]
        bucket = _bucket_of(key)
        while self.buckets[bucket]:
            if self.keys[self.buckets[bucket]] == key:
                self.entry[slot * 64 + subset] = self.buckets[bucket]
                return
            bucket = bucket + 1 & _BUCKETS - 1
        entry = self.size
        self.size += 1
        self.buckets[bucket] = entry
        self.keys[entry] = key
        self.entry[slot * 64 + subset] = entry
        index = entry * 13
        self._fill_best(slot, subset, False)
        for value in range(1, _HIGHEST + 1):
            self.best[index + value] = self.best_by_follow[value]
        self._fill_ended()
        for value in range(1, _HIGHEST + 1):
            self.ended[index + value] = self.ended_by_value[value]
        self._fill_best(slot, subset, True)
        for value in range(1, _HIGHEST + 1):
            self.best_whole[index + value] = self.best_by_follow[value]
        if _count(subset) == _HAND:
            self._fill_ended()
            for value in range(1, _HIGHEST + 1):
                self.ended_whole[index + value] = self.ended_by_value[value]

    def _fill_best(self, slot: int, subset: int, is_whole: bool) -> None:
        """Set ``best_by_follow`` to the worth of the best meld by value to follow."""
        most = _NEVER
        wild = self.wild[slot] & subset
        for value in range(1, _HIGHEST + 1):
            self.worth = _NEVER
            if wild | (self.plain[slot * 13 + value] & subset):
                self._consider_value(slot, subset, value, is_whole)
            self.by_value[value] = self.worth
            if self.worth > most:
                most = self.worth
        least = _NEVER
        if self.is_reset and slot < _PAIRS and wild:
            self.worth = _NEVER
            self._consider(slot, subset, _low(wild), _HIGHEST, is_whole)
            least = self.worth
        for follow in range(1, _HIGHEST + 1):
            worth = self.by_value[follow + 1] if follow < _HIGHEST else most
            if follow <= 2 and self.by_value[follow] > worth:
                worth = self.by_value[follow]
            self.best_by_follow[follow] = worth if worth > least else least

    def _fill_ended(self) -> None:
        """Set ``ended_by_value`` to the worth of ending a turn, given ``best_by_follow`` for later turns."""
        stay_worth = 0
        previous = -1
        while stay_worth != previous:
            # Policy iteration: solve x = expected maximum of the best meld and x.
            previous = stay_worth
            gained = 0
            stays = 0
            for follow in range(1, _HIGHEST + 1):
                if self.best_by_follow[follow] > stay_worth:
                    gained += self.later[follow] * self.best_by_follow[follow]
                else:
                    stays += self.later[follow]
            stay_worth = gained // (_STONE - stays)
        for value in range(1, _HIGHEST + 1):
            worth = self.coming[value * 13] * stay_worth
            for follow in range(1, _HIGHEST + 1):
                if self.best_by_follow[follow] > stay_worth:
                    worth += self.coming[value * 13 + follow] * (self.best_by_follow[follow] - stay_worth)
            self.ended_by_value[value] = worth >> _SHIFT
