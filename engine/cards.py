"""Cards, packs and their canonical order.

The public form of a card is a two-letter string, rank then suit (``TD``, the ten of diamonds). Inside a
game, a set of cards may be an integer mask: bit *i* stands for card *i* of the pack. A Pack converts.

Source: docs/rules/common.md#card-notation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.errors import NotationError

Card = str
Suit = str

SUITS = "SHDC"
"""Spades, hearts, diamonds, clubs: the canonical order of suits."""

SUIT_NAMES = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}


SuitListing = tuple[int, int, list[tuple[Card, ...]]]
"""Mask of a suit, position of its lowest bit, and the listed cards by mask, shifted to bit 0."""

_UNLISTED: Any = None


def _cards_of(cards: Sequence[Card], mask: int) -> tuple[Card, ...]:
    members = []
    while mask:
        lowest = mask & -mask
        members.append(cards[lowest.bit_length() - 1])
        mask ^= lowest
    return tuple(members)


class Pack:
    """Cards in canonical order: the suits in the order of ``SUITS``, the ranks as given."""

    __slots__ = (
        "_half",
        "_json_listings",
        "_listings",
        "_low_half",
        "_ranks",
        "_spades",
        "bit",
        "cards",
        "suit_listing",
        "suit_mask",
    )

    def __init__(self, ranks: str) -> None:
        self.cards: tuple[Card, ...] = tuple(rank + suit for suit in SUITS for rank in ranks)
        self.bit: dict[Card, int] = {card: 1 << i for i, card in enumerate(self.cards)}
        self.suit_mask: dict[Suit, int] = {s: self.mask(c for c in self.cards if c[1] == s) for s in SUITS}
        self._spades = self.suit_mask["S"]
        self._ranks = len(ranks)
        self._half = 2 * len(ranks)
        self._low_half = (1 << self._half) - 1
        self._listings: tuple[list[tuple[Card, ...]], ...] = tuple(
            [_UNLISTED] * (1 << len(ranks)) for _ in SUITS
        )
        self._json_listings: tuple[list[str], ...] = tuple([_UNLISTED] * (1 << len(ranks)) for _ in SUITS)
        self.suit_listing: dict[Suit, SuitListing] = {
            suit: (self.suit_mask[suit], index * len(ranks), self._listings[index])
            for index, suit in enumerate(SUITS)
        }

    def __len__(self) -> int:
        return len(self.cards)

    def parse_card(self, text: str) -> Card:
        """Return the text if it is a card of this pack. Raise ``NotationError`` otherwise."""
        if text not in self.bit:
            raise NotationError(
                f"not a card: {text!r}; cards are rank then suit, such as {self.cards[0]!r}, suits {SUITS}"
            )
        return text

    def mask(self, cards: Iterable[Card]) -> int:
        mask = 0
        for card in cards:
            mask |= self.bit[card]
        return mask

    def listed(self, mask: int) -> tuple[Card, ...]:
        """Return the cards of a mask in canonical order."""
        # Lists, since a dictionary of ten thousands of masks is slower to look into than all else here.
        spades, hearts, diamonds, clubs = self._listings
        low, high, ranks = mask & self._low_half, mask >> self._half, self._ranks
        suit = self._spades
        try:
            return spades[low & suit] + hearts[low >> ranks] + diamonds[high & suit] + clubs[high >> ranks]
        except TypeError:
            for part, shift, listing in self.suit_listing.values():
                listing[(mask & part) >> shift] = _cards_of(self.cards, mask & part)
            return _cards_of(self.cards, mask)

    def json_listed(self, mask: int) -> str:
        """Return the cards of a mask in canonical order as compact JSON, such as ``["2S","AS"]``."""
        spades, hearts, diamonds, clubs = self._json_listings
        low, high, ranks = mask & self._low_half, mask >> self._half, self._ranks
        suit = self._spades
        try:
            cards = spades[low & suit] + hearts[low >> ranks] + diamonds[high & suit] + clubs[high >> ranks]
        except TypeError:
            cards = ""
            for (part, shift, _), listing in zip(
                self.suit_listing.values(), self._json_listings, strict=True
            ):
                # Nothing in a card needs escaping.
                text = "".join([f'"{card}",' for card in _cards_of(self.cards, mask & part)])
                listing[(mask & part) >> shift] = text
                cards += text
        return f"[{cards[:-1]}]"

    def check_deck(self, deck: Sequence[Card]) -> tuple[Card, ...]:
        """Return the deck as a tuple. Raise ``NotationError`` naming a missing, repeated or foreign card."""
        for card in deck:
            self.parse_card(card)
        if len(deck) != len(self.cards) or len(set(deck)) != len(deck):
            missing = [card for card in self.cards if card not in deck]
            problem = f"{missing[0]!r} is missing" if missing else "a card comes twice"
            raise NotationError(
                f"not a deck of {len(self.cards)} different cards: {problem}, {len(deck)} given"
            )
        return tuple(deck)


KAKEYA_PACK = Pack("23456789TJQKA")
"""52 cards, two to ace."""

KAKKURI_PACK = Pack("A23456789JQK")
"""48 cards, no tens, ace to king."""

PICTURES = frozenset(rank + suit for suit in SUITS for rank in "AKQJ")
"""The 16 picture cards (egara) of Kakeya and Etori."""
