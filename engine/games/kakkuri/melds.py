"""Melds: cards that may be played together, the values that they may follow, and their notation.

A meld is text, ``cards@value``. The tables list the legal melds of a hand without testing each.

Source: docs/rules/kakkuri.md#what-may-follow, #melds-as-text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

from engine.cards import KAKKURI_PACK, Card
from engine.game import Action

HIGHEST = 12
"""Value after which any value may follow."""
VALUES = range(1, HIGHEST + 1)
WILDS: tuple[Card, ...] = ("2D", "AC")
"""The wild cards (*onifuda* 鬼札), in canonical order."""

_SUIT_SIZE = len(KAKKURI_PACK) // 4
_WILD_BITS = KAKKURI_PACK.mask(WILDS)
_ORDER = {card: index for index, card in enumerate(KAKKURI_PACK.cards)}


def card_values(court_order: str) -> dict[Card, int]:
    """Return the printed value of each card, by ``court_order`` (``JQK`` or ``QJK``; D23).

    >>> [card_values("JQK")[card] for card in ("AC", "9H", "JD", "QD")]
    [1, 9, 10, 11]
    """
    by_rank = {rank: value for value, rank in enumerate("A23456789" + court_order, start=1)}
    return {card: by_rank[card[0]] for card in KAKKURI_PACK.cards}


def next_values(follow: int) -> frozenset[int]:
    """Return the values that may be played on ``follow``.

    >>> sorted(next_values(2)), sorted(next_values(9)), len(next_values(12))
    ([2, 3], [10], 12)
    """
    if follow == HIGHEST:
        return frozenset(VALUES)
    return frozenset((follow, follow + 1) if follow <= 2 else (follow + 1,))


def is_pairs_as_printed(hand: int) -> bool:
    """Return whether a mask splits into pairs of one rank; four of a kind are two pairs (#sansoku)."""
    # Each rank sits at the same place of four runs of twelve bits: even numbers of it cancel out.
    halves = hand ^ hand >> _TWO_SUITS
    return not (halves ^ halves >> _SUIT_SIZE) & _SUIT_BITS


def is_pairs_with_wilds(hand: int) -> bool:
    """Return whether an even number of cards splits into pairs if wild cards stand for any value."""
    wilds = hand & _WILD_BITS
    naturals = hand ^ wilds
    # A natural card whose rank comes an odd number of times needs a wild card; what is left goes in pairs.
    halves = naturals ^ naturals >> _TWO_SUITS
    return ((halves ^ halves >> _SUIT_SIZE) & _SUIT_BITS).bit_count() <= wilds.bit_count()


_TWO_SUITS = 2 * _SUIT_SIZE
_SUIT_BITS = (1 << _SUIT_SIZE) - 1


class Meld(NamedTuple):
    cards: int
    value: int
    """Value that the next meld has to follow."""
    follows: int
    """Values on which it may be played: bit *c* for value *c*."""
    is_pair: bool
    """Pairs are only for seats that declared sansoku, which may play nothing else."""


class MeldTable:
    """All melds for one order of the court cards and one meaning of wild cards."""

    def __init__(self, court_order: str, wild_mode: str, *, wild_in_sansoku: bool) -> None:
        self.values = card_values(court_order)
        """Printed value by card."""
        spelt = [*_all_melds(self.values, wild_mode)]
        if wild_in_sansoku:
            spelt += _pairs_with_wilds(self.values)
        spelt.sort(key=_canonical)
        self.by_text: dict[Action, Meld] = {_text(cards, value): meld for cards, value, meld in spelt}
        """In canonical order: by number of cards, value, cards as written."""
        self.is_pairs = is_pairs_with_wilds if wild_in_sansoku else is_pairs_as_printed
        """Tests whether a mask splits into pairs: six cards for sansoku, or the rest after a pair."""
        ordinary = [(text, meld) for text, meld in self.by_text.items() if not meld.is_pair]
        pairs = [(text, meld) for text, meld in self.by_text.items() if meld.is_pair]
        self.after = [_Listing([m for m in ordinary if m[1].follows >> c & 1]) for c in range(HIGHEST)]
        """Melds except pairs, by the value below the highest to follow, then by ``after_cards``
        of the hand.
        """
        self.after_cards = [listing.cards for listing in self.after]
        self._pairs_after = [
            _Listing([m for m in pairs if m[1].follows >> c & 1]) for c in range(HIGHEST + 1)
        ]
        self._by_count_and_value = [
            (listing.cards, listing)
            for count in (1, 3)
            for v in VALUES
            for listing in [
                _Listing([m for m in ordinary if m[1].value == v and m[1].cards.bit_count() == count])
            ]
        ]
        """All melds except pairs in canonical order, from which hands take theirs."""

    def listed(self, hand: int, follow: int) -> tuple[Action, ...]:
        """Return the melds of a hand, except pairs, that may be played on ``follow``, in canonical order."""
        if follow < HIGHEST:
            return self.after[follow][hand & self.after_cards[follow]]
        melds: tuple[Action, ...] = ()
        for cards, listing in self._by_count_and_value:
            relevant = hand & cards
            if relevant:
                melds += listing[relevant]
        return melds

    def listed_pairs(self, hand: int, follow: int) -> tuple[Action, ...]:
        """Return the pairs of a hand under sansoku that may be played on ``follow``, in canonical order."""
        return tuple(
            text
            for text in self._pairs_after[follow].playable(hand)
            if self.is_pairs(hand & ~self.by_text[text].cards)
        )


class _Listing(dict[int, tuple[Action, ...]]):
    """Cache of legal melds by the relevant cards of the hand: at most 2**9 entries."""

    def __init__(self, melds: Sequence[tuple[Action, Meld]]) -> None:
        super().__init__()
        self._melds = melds
        self.cards = 0
        for _, meld in melds:
            self.cards |= meld.cards

    def __missing__(self, hand: int) -> tuple[Action, ...]:
        listed = self[hand] = tuple(self.playable(hand))
        return listed

    def playable(self, hand: int) -> Iterable[Action]:
        return (text for text, meld in self._melds if meld.cards & ~hand == 0)


@cache
def meld_table(court_order: str, wild_mode: str, *, wild_in_sansoku: bool) -> MeldTable:
    """Return the table of these options."""
    return MeldTable(court_order, wild_mode, wild_in_sansoku=wild_in_sansoku)


_WrittenMeld = tuple[tuple[Card, ...], int, Meld]
"""Cards as written, value as written, and the meld."""


def _all_melds(values: dict[Card, int], wild_mode: str) -> Iterable[_WrittenMeld]:
    naturals = {v: [card for card in values if values[card] == v and card not in WILDS] for v in VALUES}
    for v in VALUES:
        for card in naturals[v]:
            yield _meld((card,), v)
        if wild_mode == "named":
            for wild in WILDS:
                yield _meld((wild,), v)
        for wilds in range(len(WILDS) + 1):
            for cards in combinations(naturals[v], 3 - wilds):
                for chosen in combinations(WILDS, wilds):
                    yield _meld((*cards, *chosen), v)
        for pair in combinations([card for card in values if values[card] == v], 2):
            yield _meld(pair, v, is_pair=True)
    if wild_mode == "reset":
        for wild in WILDS:
            yield (wild,), HIGHEST, Meld(KAKKURI_PACK.bit[wild], HIGHEST, _bits(VALUES), False)


def _pairs_with_wilds(values: dict[Card, int]) -> Iterable[_WrittenMeld]:
    """Yield the pairs in which a wild card stands for another value, the wild card written last."""
    for card, value in values.items():
        for wild in WILDS:
            if card not in WILDS and values[wild] != value:
                yield _meld((card, wild), value, is_pair=True)
    for v in VALUES:
        yield _meld(WILDS, v, is_pair=True)


def _meld(cards: tuple[Card, ...], value: int, *, is_pair: bool = False) -> _WrittenMeld:
    follows = _bits(c for c in VALUES if value in next_values(c))
    return cards, value, Meld(KAKKURI_PACK.mask(cards), value, follows, is_pair)


def _bits(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in numbers)


def _text(cards: tuple[Card, ...], value: int) -> Action:
    return f"{'+'.join(cards)}@{value}"


def _canonical(spelt: _WrittenMeld) -> tuple[int, int, list[int]]:
    cards, value, _ = spelt
    return len(cards), value, [_ORDER[card] for card in cards]
