"""Kakeya's 52 cards as two characters, rank then suit: ``AC``, ``TD``, ``7H``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SUITS = "SHDC"
"""Spades, hearts, diamonds, clubs, in canonical order."""

RANKS = "23456789TJQKA"
"""Ranks from low to high."""

PACK: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""All 52 cards in canonical order: suit by suit, each from the two to the ace."""

PICTURES = frozenset(card for card in PACK if card[0] in "AKQJ")
"""The 16 cards that count (egara): ace, king, queen and jack of each suit."""

_RANK = {card: RANKS.index(card[0]) + 2 for card in PACK}
_INDEX = {card: index for index, card in enumerate(PACK)}


def suit_of(card: str) -> str:
    return card[1]


def rank_of(card: str) -> int:
    """Return the rank, 2 to 14 (ace high)."""
    return _RANK[card]


def is_picture(card: str) -> bool:
    return card in PICTURES


def sorted_cards(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=_INDEX.__getitem__)
