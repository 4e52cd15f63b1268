"""Cards and melds of Kakkuri, and a search of what a hand can play in one turn.

``KakkuriHand`` represents a hand by a *key*, an integer that counts the cards of each value, since suits
never matter. Answers are cached by key. Source: docs/rules/kakkuri.md#what-may-follow, #sansoku.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ANY = 12
"""Value of a king; any value may follow it."""

WILDS = ("2D", "AC")
"""The wild cards (onifuda), in canonical order."""

_SUITS = "SHDC"
_RANKS = "A23456789JQK"

KAKKURI_PACK: tuple[str, ...] = tuple(rank + suit for suit in _SUITS for rank in _RANKS)
"""All 48 cards in canonical order: suit by suit, each from the ace to the king, without tens."""

_INDEX = {card: index for index, card in enumerate(KAKKURI_PACK)}
_ORDERS = {
    order: {card: f"A23456789{order}".index(card[0]) + 1 for card in KAKKURI_PACK} for order in ("JQK", "QJK")
}

_BITS = 3
"""Bits of a key per value. Wilds are counted in the lowest bits, as value 0."""
_COUNT = (1 << _BITS) - 1


class Meld:
    """Cards played together as one value: a single card, a triple, or a pair after sansoku."""

    __slots__ = ("cards", "text", "value")

    def __init__(self, text: str, cards: tuple[str, ...], value: int) -> None:
        self.text = text
        """The action, such as ``7H+7D+AC@7``."""
        self.cards = cards
        """The cards, wilds last."""
        self.value = value
        """The value to follow afterwards, with ``wild_mode=named`` or without wilds."""

    def __repr__(self) -> str:
        return f"Meld({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Meld) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def parse_meld(text: str) -> Meld:
    """Parse an action such as ``4H@4``.

    >>> parse_meld("7H+7D+AC@7").cards
    ('7H', '7D', 'AC')
    """
    cards, _, value = text.partition("@")
    return Meld(text, tuple(cards.split("+")), int(value))


def card_values(court_order: str = "JQK") -> Mapping[str, int]:
    """Return the printed value by card, 1 to 12; ``QJK`` exchanges the values of queens and jacks.

    >>> card_values()["JH"], card_values("QJK")["JH"]
    (10, 11)
    """
    return _ORDERS[court_order]


def next_values(value: int) -> tuple[int, ...]:
    """Return the values that may follow this value, ascending.

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
    """Search of what hands can play in one turn, under fixed rules. Answers are cached.

    A *key* represents a hand: cards of one value are equivalent, and so are the two wilds. A search of six
    cards visits at most 64 keys at 12 values each and takes at most about a millisecond.
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
        """Set the rules; the preset ``kakkuri`` has the defaults.

        ``values`` are printed values by card, see ``card_values``. ``is_wild_reset``: any value may follow a
        wild, which is written ``@12``. ``is_sansoku``: only pairs are played, and wilds are plain cards.
        ``is_wild_in_sansoku``: wilds stay wild, and the cards left after every pair must split into pairs.
        """
        self._values = card_values() if values is None else values
        self._is_sansoku = is_sansoku
        self._are_wilds_plain = is_sansoku and not is_wild_in_sansoku
        # Values of a single wild, by the value to follow.
        self._wild_values = dict.fromkeys(_NEXT, (ANY,)) if is_wild_reset else _NEXT
        self._step_lists: dict[tuple[int, int], tuple[tuple[int, int, int, int], ...]] = {}
        self._most: dict[tuple[int, int], int] = {}

    def key(self, cards: Iterable[str]) -> int:
        """Return the key of these cards; 0 if there are none.

        >>> KakkuriHand().key(["4H", "4D"]) == 2 * KakkuriHand().key(["4S"])
        True
        """
        wilds = () if self._are_wilds_plain else WILDS
        return sum(1 if card in wilds else 1 << _BITS * self._values[card] for card in cards)

    @staticmethod
    def size(key: int) -> int:
        count = 0
        while key:
            count += key & _COUNT
            key >>= _BITS
        return count

    @staticmethod
    def is_pairs(key: int) -> bool:
        """Return whether an even number of cards can be split into pairs, where wilds match any card.

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
        """Return every meld of a hand when ``value`` is to be followed; cards of one value are equivalent.

        Each as: key of the cards left, value of the meld, number of plain cards, number of wilds.
        """
        steps = self._step_lists.get((key, value))
        if steps is None:
            steps = self._step_lists[key, value] = tuple(self._all_steps(key, value))
        return steps

    def most(self, key: int, value: int) -> int:
        """Return the maximum number of cards that one turn can play when ``value`` is to be followed."""
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
        return self.most(key, value) == self.size(key)

    def way_out(self, cards: Iterable[str], value: int) -> tuple[Meld, ...] | None:
        """Return melds that play all these cards in one turn when ``value`` is to be followed, or None."""
        own_cards = tuple(cards)
        return self.longest(own_cards, value) if self.can_go_out(self.key(own_cards), value) else None

    def longest(self, cards: Iterable[str], value: int) -> tuple[Meld, ...]:
        """Return melds that play as many of these cards as one turn allows, wilds as late as possible."""
        own_cards = sorted(cards, key=_INDEX.__getitem__)
        key = self.key(own_cards)
        way: list[Meld] = []
        while left_to_play := self.most(key, value):
            steps = [
                step
                for step in self.steps(key, value)
                if step[2] + step[3] + self.most(step[0], step[1]) == left_to_play
            ]
            key, value, plain, wild = min(steps, key=lambda step: (step[3], step[1]))
            meld = self._first_meld(own_cards, value, plain, wild)
            way.append(meld)
            own_cards = [card for card in own_cards if card not in meld.cards]
        return tuple(way)

    def melds(self, cards: Iterable[str], value: int) -> tuple[Meld, ...]:
        """Return every legal meld of these cards when ``value`` is to be followed, in canonical order."""
        own_cards = sorted(cards, key=_INDEX.__getitem__)
        melds_by_text = {}
        for _, played, plain, wild in self.steps(self.key(own_cards), value):
            plains, wilds = self._split(own_cards, played)
            for chosen in _choices(plains, plain):
                for added in _choices(wilds, wild):
                    meld = self._written((*chosen, *added), played)
                    melds_by_text[meld.text] = meld
        return tuple(sorted(melds_by_text.values(), key=_canonical))

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

    def _split(self, own_cards: list[str], played: int) -> tuple[list[str], list[str]]:
        wilds = [] if self._are_wilds_plain else [card for card in own_cards if card in WILDS]
        return [card for card in own_cards if card not in wilds and self._values[card] == played], wilds

    def _first_meld(self, own_cards: list[str], played: int, plain: int, wild: int) -> Meld:
        """Return the first meld in canonical order with these numbers of plain cards and wilds."""
        plains, wilds = self._split(own_cards, played)
        return self._written((*plains[:plain], *wilds[:wild]), played)

    def _written(self, cards: tuple[str, ...], value: int) -> Meld:
        if len(cards) == 2 and all(self._values[card] == value for card in cards):
            # A pair as printed is written in canonical order, wild or not.
            cards = tuple(sorted(cards, key=_INDEX.__getitem__))
        return Meld(f"{'+'.join(cards)}@{value}", cards, value)


def _canonical(meld: Meld) -> tuple[int, int, list[int]]:
    return len(meld.cards), meld.value, [_INDEX[card] for card in meld.cards]


def _choices(cards: list[str], count: int) -> list[tuple[str, ...]]:
    if not count:
        return [()]
    return [
        (card, *more) for index, card in enumerate(cards) for more in _choices(cards[index + 1 :], count - 1)
    ]
