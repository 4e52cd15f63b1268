"""Kakkuri's cards, melds and what a hand can do in one turn.

Suits never matter, so a search need not tell the cards of one value apart. ``KakkuriHand`` knows a
hand as a *key*, a whole number that says how many cards of each value it holds: keys are few, cheap
to compare, and every answer about one is remembered.

Source: docs/rules/kakkuri.md#what-may-follow, #sansoku.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ANY = 12
"""The value of a king: after it any value may be played."""

WILDS = ("2D", "AC")
"""The wild cards (onifuda), in canonical order."""

_SUITS = "SHDC"
_RANKS = "A23456789JQK"

KAKKURI_PACK: tuple[str, ...] = tuple(rank + suit for suit in _SUITS for rank in _RANKS)
"""All 48 cards in canonical order: suit by suit, each from the ace to the king, without tens."""

_PLACE = {card: place for place, card in enumerate(KAKKURI_PACK)}
_ORDERS = {
    order: {card: f"A23456789{order}".index(card[0]) + 1 for card in KAKKURI_PACK} for order in ("JQK", "QJK")
}

_BITS = 3
"""Bits of a key for the count of one value. Wilds are counted in the lowest, as if their value were 0."""
_COUNT = (1 << _BITS) - 1


class Meld:
    """Cards played together as one value: a single card, a triple, or under sansoku a pair."""

    __slots__ = ("cards", "text", "value")

    def __init__(self, text: str, cards: tuple[str, ...], value: int) -> None:
        self.text = text
        """The action, ``7H+7D+AC@7``."""
        self.cards = cards
        """The cards, wilds last."""
        self.value = value
        """What is to be followed afterwards, under ``wild_mode=named`` or without wilds."""

    def __repr__(self) -> str:
        return f"Meld({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Meld) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def parse_meld(text: str) -> Meld:
    """The meld of an action such as ``4H@4``.

    >>> parse_meld("7H+7D+AC@7").cards
    ('7H', '7D', 'AC')
    """
    cards, _, value = text.partition("@")
    return Meld(text, tuple(cards.split("+")), int(value))


def card_values(court_order: str = "JQK") -> Mapping[str, int]:
    """Printed value by card, 1..12; ``QJK`` exchanges the values of queens and jacks.

    >>> card_values()["JH"], card_values("QJK")["JH"]
    (10, 11)
    """
    return _ORDERS[court_order]


def next_values(value: int) -> tuple[int, ...]:
    """The values that may follow this one, ascending.

    >>> next_values(12) == tuple(range(1, 13)), next_values(1), next_values(2), next_values(9)
    (True, (1, 2), (2, 3), (10,))
    """
    return _NEXT[value]


_NEXT = {
    value: (
        tuple(range(1, ANY + 1)) if value == ANY else (value, value + 1) if value in (1, 2) else (value + 1,)
    )
    for value in range(1, ANY + 1)
}


class KakkuriHand:
    """What hands can do in one turn, under one set of rules. Every answer is remembered.

    A *key* stands for a hand: cards of one value are alike, and so are the two wilds. Searching a
    whole hand of six looks at no more than 64 keys at 12 values each: about a millisecond at worst.
    """

    __slots__ = ("_are_wilds_plain", "_is_sansoku", "_most", "_step_lists", "_values", "_wild_values")

    def __init__(
        self,
        values: Mapping[str, int] | None = None,
        *,
        is_wild_reset: bool = False,
        is_sansoku: bool = False,
        is_wild_in_sansoku: bool = False,
    ) -> None:
        """Take the rules; without any, those of the preset ``kakkuri``.

        Args:
            values: printed value by card, see ``card_values``.
            is_wild_reset: any value may follow a wild, which is written ``@12``.
            is_sansoku: only pairs are played, and wilds are plain cards.
            is_wild_in_sansoku: under sansoku wilds stay wild, and every pair must leave cards that can be
                split into pairs.
        """
        self._values = card_values() if values is None else values
        self._is_sansoku = is_sansoku
        self._are_wilds_plain = is_sansoku and not is_wild_in_sansoku
        # What a single wild may be played as, by the value to follow.
        self._wild_values = dict.fromkeys(_NEXT, (ANY,)) if is_wild_reset else _NEXT
        self._step_lists: dict[tuple[int, int], tuple[tuple[int, int, int, int], ...]] = {}
        self._most: dict[tuple[int, int], int] = {}

    def key(self, cards: Iterable[str]) -> int:
        """The key of these cards; 0 if there are none.

        >>> KakkuriHand().key(["4H", "4D"]) == 2 * KakkuriHand().key(["4S"])
        True
        """
        wilds = () if self._are_wilds_plain else WILDS
        return sum(1 if card in wilds else 1 << _BITS * self._values[card] for card in cards)

    @staticmethod
    def size(key: int) -> int:
        """How many cards a key stands for."""
        count = 0
        while key:
            count += key & _COUNT
            key >>= _BITS
        return count

    @staticmethod
    def is_pairs(key: int) -> bool:
        """Whether a hand of an even number of cards can be split into pairs, any card matching a wild.

        >>> search = KakkuriHand(is_sansoku=True, is_wild_in_sansoku=True)
        >>> [search.is_pairs(search.key(cards.split())) for cards in ("7H 7D KH AC", "7H 9D KH AC")]
        [True, False]
        """
        wilds = key & _COUNT
        unmatched = 0
        while key := key >> _BITS:
            unmatched += key & 1
        return unmatched <= wilds

    def steps(self, key: int, value: int) -> tuple[tuple[int, int, int, int], ...]:
        """Every meld of a hand when ``value`` is to be followed, cards of one value being alike.

        Each as: key of what is left, the meld's value, how many plain cards it takes, how many wilds.
        """
        found = self._step_lists.get((key, value))
        if found is None:
            found = self._step_lists[key, value] = tuple(self._all_steps(key, value))
        return found

    def most(self, key: int, value: int) -> int:
        """How many cards of the hand can be played in one turn when ``value`` is to be followed."""
        known = self._most.get((key, value))
        if known is None:
            known = max(
                (
                    plain + wild + self.most(left, played)
                    for left, played, plain, wild in self.steps(key, value)
                ),
                default=0,
            )
            self._most[key, value] = known
        return known

    def can_go_out(self, key: int, value: int) -> bool:
        """Whether the whole hand can be played in one turn when ``value`` is to be followed."""
        return self.most(key, value) == self.size(key)

    def way_out(self, cards: Iterable[str], value: int) -> tuple[Meld, ...] | None:
        """Melds that play these cards in one turn when ``value`` is to be followed, or None."""
        held = tuple(cards)
        return self.longest(held, value) if self.can_go_out(self.key(held), value) else None

    def longest(self, cards: Iterable[str], value: int) -> tuple[Meld, ...]:
        """Melds that play as many of these cards as one turn allows; wilds as late as may be."""
        held = sorted(cards, key=_PLACE.__getitem__)
        key = self.key(held)
        way: list[Meld] = []
        while left_to_play := self.most(key, value):
            steps = [
                step
                for step in self.steps(key, value)
                if step[2] + step[3] + self.most(step[0], step[1]) == left_to_play
            ]
            key, value, plain, wild = min(steps, key=lambda step: (step[3], step[1]))
            meld = self._first_meld(held, value, plain, wild)
            way.append(meld)
            held = [card for card in held if card not in meld.cards]
        return tuple(way)

    def melds(self, cards: Iterable[str], value: int) -> tuple[Meld, ...]:
        """Every legal meld of these cards when ``value`` is to be followed, in canonical order."""
        held = sorted(cards, key=_PLACE.__getitem__)
        found = {}
        for _, played, plain, wild in self.steps(self.key(held), value):
            plains, wilds = self._split(held, played)
            for chosen in _choices(plains, plain):
                for added in _choices(wilds, wild):
                    meld = self._written((*chosen, *added), played)
                    found[meld.text] = meld
        return tuple(sorted(found.values(), key=_canonical))

    def _all_steps(self, key: int, value: int) -> Iterable[tuple[int, int, int, int]]:
        wilds = key & _COUNT
        if self._is_sansoku:
            yield from self._all_pairs(key, value)
            return
        if wilds:
            for played in self._wild_values[value]:
                yield key - 1, played, 0, 1
        for played in _NEXT[value]:
            unit = 1 << _BITS * played
            count = key >> _BITS * played & _COUNT
            if count:
                yield key - unit, played, 1, 0
                for added in range(max(3 - count, 0), wilds + 1):
                    yield key - (3 - added) * unit - added, played, 3 - added, added

    def _all_pairs(self, key: int, value: int) -> Iterable[tuple[int, int, int, int]]:
        wilds = key & _COUNT
        for played in _NEXT[value]:
            unit = 1 << _BITS * played
            count = key >> _BITS * played & _COUNT
            for plain in range(min(count, 2), 1 - wilds, -1):
                left = key - plain * unit - (2 - plain)
                if self._are_wilds_plain or self.is_pairs(left):
                    yield left, played, plain, 2 - plain

    def _split(self, held: list[str], played: int) -> tuple[list[str], list[str]]:
        """The plain cards of a value, and the wilds, among cards in canonical order."""
        wilds = [] if self._are_wilds_plain else [card for card in held if card in WILDS]
        return [card for card in held if card not in wilds and self._values[card] == played], wilds

    def _first_meld(self, held: list[str], played: int, plain: int, wild: int) -> Meld:
        """The first meld, in canonical order, of so many plain cards of a value and so many wilds."""
        plains, wilds = self._split(held, played)
        return self._written((*plains[:plain], *wilds[:wild]), played)

    def _written(self, cards: tuple[str, ...], value: int) -> Meld:
        """A meld of these cards, wilds last."""
        if len(cards) == 2 and all(self._values[card] == value for card in cards):
            # A pair as printed is written in canonical order, wild or not.
            cards = tuple(sorted(cards, key=_PLACE.__getitem__))
        return Meld(f"{'+'.join(cards)}@{value}", cards, value)


def _canonical(meld: Meld) -> tuple[int, int, list[int]]:
    return len(meld.cards), meld.value, [_PLACE[card] for card in meld.cards]


def _choices(cards: list[str], count: int) -> list[tuple[str, ...]]:
    """Every choice of so many of these cards, in their order."""
    if not count:
        return [()]
    return [
        (card, *more) for place, card in enumerate(cards) for more in _choices(cards[place + 1 :], count - 1)
    ]
