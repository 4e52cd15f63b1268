# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, annotation_typing=False
"""What the hands of a deal of Kakkuri are worth to their holders: the sensible policy of the playouts.

For each seat a table of every hand that can be left of its hand, 64 at most, worked out from small to large:

- ``best``: what the best meld is worth, by the value to follow;
- ``ended``: what ending the turn is worth, by the value that is then to be followed.

A seat knows its own hand; what the others do until its next turn is the same for all hands of one size and
number of seats (``engine.kernel.shedding_outlook``). Worth is counted in 4096ths of a stone, from the stone
that everybody loses who does not go out; whole numbers alone, so that every machine finds the same.

Compiled where it can be, as ``shedding_deal.py``, and with the same numbers.

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
"""Worth less than anything."""
_PAIRS = 9
"""Tables of pairs, for who has declared sansoku, are so many behind those of the same seat."""
_HAND = HAND
_ENTRIES = 8192
_PLACES = 16384
"""A hash table of cards left, cards of one value being alike: three bits for each value, wilds first."""
_UNIT = 1
_PAIRED = 1 << 40
_SPREAD = 0x9E3779B97F4A7C15
_ALL = (1 << 64) - 1
_WILDS = KAKKURI_PACK.mask(WILDS)
_HIGHEST = HIGHEST


# As in playing_deal: C puts a function in the place of its call only within a module.
def _count(mask: int) -> int:
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


def _low(mask: int) -> int:
    return mask & ~(mask - 1)


def _placed(key: int) -> int:
    return (key * _SPREAD & _ALL) >> 50


class Plans:
    """The tables of all seats. Cards are bits: of a hand in the table six at most, by their order in it."""

    def __init__(self, rules: SheddingRules) -> None:
        self.values = [rules.melds.values[card] for card in KAKKURI_PACK.cards]
        self.is_reset = rules.wild_mode == "reset"
        self.is_wild_in_pairs = rules.wild_in_sansoku
        self.hands = [0] * 18
        self.plain = [0] * 234
        self.wild = [0] * 18
        self.entry = [0] * 1152
        self.places = [0] * 16384
        self.keys = [0] * 8192
        self.best = [0] * 106496
        self.whole = [0] * 106496
        self.ended = [0] * 106496
        self.kept = [0] * 106496
        self.size = 1
        self.coming = [0] * 169
        self.later = [0] * 13
        self.outlook: object = None
        self.sums = [0] * 64
        self.by_value = [0] * 13
        self.found = [0] * 13
        self.closed = [0] * 13
        self.gain = self.guri = 0
        self.cards = self.value = self.worth = 0
        self.is_stopped = False
        self.cost = 0

    def load(self, outlook: Outlook, others: int, paying: int, pot: int) -> None:
        """Take what the others may do, how many pay for going out and for guri, and the pot."""
        gain, guri = (others + pot + 1) * _STONE, (2 * paying + pot + 1) * _STONE
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
        self._forget()

    def _forget(self) -> None:
        for slot in range(18):
            self.hands[slot] = 0
        for place in range(_PLACES):
            self.places[place] = 0
        self.size = 1

    def _index(self, slot: int, hand: int) -> int:
        """Cards of the table's hand as bits of the table."""
        bit = 1
        found = 0
        rest = self.hands[slot]
        while rest:
            if hand & _low(rest):
                found |= bit
            rest &= rest - 1
            bit <<= 1
        return found

    def _cards(self, slot: int, index: int) -> int:
        """Bits of the table as cards."""
        found = 0
        rest = self.hands[slot]
        while rest:
            if index & 1:
                found |= _low(rest)
            rest &= rest - 1
            index >>= 1
        return found

    def _is_pairs(self, slot: int, index: int) -> bool:
        odd = 0
        for value in range(1, _HIGHEST + 1):
            odd += _count(self.plain[slot * 13 + value] & index) & 1
        return odd <= _count(self.wild[slot] & index)

    def _consider(self, slot: int, held: int, cards: int, value: int, is_whole: bool) -> None:
        """Take this meld if it is the best yet."""
        left = held & ~cards
        if left == 0:
            worth = self.guri if is_whole else self.gain
        else:
            if slot >= _PAIRS and not self._is_pairs(slot, left):
                return
            at = self.entry[slot * 64 + left] * 13 + value
            worth = self.whole[at] if is_whole else self.best[at]
            if self.ended[at] > worth:
                worth = self.ended[at]
        if worth > self.worth:
            self.worth = worth
            self.cards = cards
            self.value = value

    def _at(self, slot: int, held: int, value: int, is_whole: bool) -> None:
        """Consider all melds of one value, cards of one value being alike."""
        plain = self.plain[slot * 13 + value] & held
        wild = self.wild[slot] & held
        first = _low(plain)
        second = _low(plain ^ first)
        third = _low(plain ^ first ^ second)
        wild_first = _low(wild)
        wild_second = wild ^ wild_first
        if slot >= _PAIRS:
            if second:
                self._consider(slot, held, first | second, value, is_whole)
            if plain and wild:
                self._consider(slot, held, first | wild_first, value, is_whole)
            if wild_second:
                self._consider(slot, held, wild, value, is_whole)
            return
        if plain:
            self._consider(slot, held, first, value, is_whole)
            if third:
                self._consider(slot, held, first | second | third, value, is_whole)
            if second and wild:
                self._consider(slot, held, first | second | wild_first, value, is_whole)
            if wild_second:
                self._consider(slot, held, first | wild, value, is_whole)
        if wild and not self.is_reset:
            self._consider(slot, held, wild_first, value, is_whole)

    def _choose(self, slot: int, held: int, follow: int, is_whole: bool) -> None:
        """The best meld: ``worth``, its ``cards`` and ``value``; worth ``_NEVER`` if there is none."""
        self.worth = _NEVER
        if follow == _HIGHEST:
            for value in range(1, _HIGHEST + 1):
                self._at(slot, held, value, is_whole)
        else:
            if follow <= 2:
                self._at(slot, held, follow, is_whole)
            self._at(slot, held, follow + 1, is_whole)
        if self.is_reset and slot < _PAIRS and self.wild[slot] & held:
            self._consider(slot, held, _low(self.wild[slot] & held), _HIGHEST, is_whole)

    def _stopping(self, slot: int, held: int, value: int) -> int:
        """What ending the turn now at this value is worth: ``is_stopped`` says whether guri is lost, ``cost``
        what it costs."""
        at = self.entry[slot * 64 + held] * 13 + value
        return (self.ended[at] if self.is_stopped else self.kept[at]) - self.cost

    def _moving(self, slot: int, held: int, value: int, is_whole: bool) -> int:
        """What the best meld on this value is worth."""
        at = self.entry[slot * 64 + held] * 13 + value
        return self.whole[at] if is_whole else self.best[at]

    def _build(self, slot: int, hand: int) -> None:
        """Make the table of a hand."""
        if self.size > _ENTRIES - 64:
            self._forget()
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
            for held in range(bit):
                self.sums[bit + held] = self.sums[held] + (_UNIT << 3 * value)
            hand ^= card
            bit <<= 1
        for held in range(1, bit):
            if slot < _PAIRS or self._is_pairs(slot, held):
                self._enter(slot, held)

    def _enter(self, slot: int, held: int) -> None:
        """Find the entry of these cards, or make it; those of fewer cards are there."""
        key = self.sums[held]
        place = _placed(key)
        while self.places[place]:
            if self.keys[self.places[place]] == key:
                self.entry[slot * 64 + held] = self.places[place]
                return
            place = place + 1 & _PLACES - 1
        entry = self.size
        self.size += 1
        self.places[place] = entry
        self.keys[entry] = key
        self.entry[slot * 64 + held] = entry
        at = entry * 13
        self._fill(slot, held, False)
        for value in range(1, _HIGHEST + 1):
            self.best[at + value] = self.found[value]
        self._close()
        for value in range(1, _HIGHEST + 1):
            self.ended[at + value] = self.closed[value]
        self._fill(slot, held, True)
        for value in range(1, _HIGHEST + 1):
            self.whole[at + value] = self.found[value]
        if _count(held) == _HAND:
            self._close()
            for value in range(1, _HIGHEST + 1):
                self.kept[at + value] = self.closed[value]

    def _fill(self, slot: int, held: int, is_whole: bool) -> None:
        """What the best meld of these cards is worth, by the value to follow: ``found``."""
        most = _NEVER
        wild = self.wild[slot] & held
        for value in range(1, _HIGHEST + 1):
            self.worth = _NEVER
            if wild | (self.plain[slot * 13 + value] & held):
                self._at(slot, held, value, is_whole)
            self.by_value[value] = self.worth
            if self.worth > most:
                most = self.worth
        least = _NEVER
        if self.is_reset and slot < _PAIRS and wild:
            self.worth = _NEVER
            self._consider(slot, held, _low(wild), _HIGHEST, is_whole)
            least = self.worth
        for follow in range(1, _HIGHEST + 1):
            worth = self.by_value[follow + 1] if follow < _HIGHEST else most
            if follow <= 2 and self.by_value[follow] > worth:
                worth = self.by_value[follow]
            self.found[follow] = worth if worth > least else least

    def _close(self) -> None:
        """What ending a turn is worth, by the value left, if ``found`` is what the best melds will be."""
        kept = 0
        before = -1
        while kept != before:
            # Policy iteration: the x of x = chances of the better of the best meld and x again.
            before = kept
            gained = 0
            stays = 0
            for follow in range(1, _HIGHEST + 1):
                if self.found[follow] > kept:
                    gained += self.later[follow] * self.found[follow]
                else:
                    stays += self.later[follow]
            kept = gained // (_STONE - stays)
        for value in range(1, _HIGHEST + 1):
            worth = self.coming[value * 13] * kept
            for follow in range(1, _HIGHEST + 1):
                if self.found[follow] > kept:
                    worth += self.coming[value * 13 + follow] * (self.found[follow] - kept)
            self.closed[value] = worth >> _SHIFT
