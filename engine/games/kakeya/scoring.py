"""Who wins a trick, a deal and how much. Source: RULES.md 2.4, 2.7-2.9."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.cards import KAKEYA_PACK, PICTURES, SUITS, Card, Suit
from engine.games.kakeya.ruleset import KakeyaRuleset

RENSHO = {"S": "AC", "H": "AS", "D": "AS", "C": "AS"}
"""The card that beats everything, by trump suit."""

PICTURE_MASK = KAKEYA_PACK.mask(PICTURES)
PICTURES_IN_ALL = 16
PICTURES_TO_WIN = 9
ACES = tuple("A" + suit for suit in SUITS)
ACE_MASK = KAKEYA_PACK.mask(ACES)

_TRUMP_POWER = 100
_RENSHO_POWER = 200
_RANK_POWER = {card: rank for rank in range(13) for card in KAKEYA_PACK.cards[rank::13]}

PAYMENTS = {
    "standard": {"N": (4, 4, None), "O": (2, 2, None), "R": (1, 2, 4)},
    "nakayoshi": {"N": (3, 4, None), "O": (2, 3, None), "R": (1, 2, 4)},
}
"""Stones by schedule, ace category of the winners and pictures won: 8-11, 12-15, 16."""


@cache
def trick_powers(trump: Suit) -> dict[Suit, dict[Card, int]]:
    """By suit led, how strong each card is in a trick: the strongest wins, 0 can never win."""
    return {led: {card: _power(card, trump, led) for card in KAKEYA_PACK.cards} for led in SUITS}


def _power(card: Card, trump: Suit, led: Suit) -> int:
    if card == RENSHO[trump]:
        return _RENSHO_POWER
    if card[1] == trump:
        return _TRUMP_POWER + _RANK_POWER[card]
    return 1 + _RANK_POWER[card] if card[1] == led else 0


def trick_winner(cards: Sequence[Card], trump: Suit) -> int:
    """Index of the winning card of a trick in the order played, at least one card.

    >>> trick_winner(["AH", "2S", "AC", "9S"], "S")
    2
    """
    powers = trick_powers(trump)[cards[0][1]]
    return max(range(len(cards)), key=lambda i: powers[cards[i]])


def ace_category(dealt: int, trump: Suit) -> str:
    """Category of a pair by its dealt cards as a mask: N no ace, R Rensho or ace of trumps, O other aces."""
    if not dealt & ACE_MASK:
        return "N"
    high = KAKEYA_PACK.bit[RENSHO[trump]] | KAKEYA_PACK.bit["A" + trump]
    return "R" if dealt & high else "O"


def deal_winner(pictures: Sequence[int], dealt: Sequence[int], trump: Suit) -> int:
    """Index of the winning pair of two: more pictures, or at 8-8 the one not dealt Rensho."""
    if pictures[0] != pictures[1]:
        return 0 if pictures[0] > pictures[1] else 1
    return 1 if dealt[0] & KAKEYA_PACK.bit[RENSHO[trump]] else 0


def payment(ruleset: KakeyaRuleset, category: str, pictures: int) -> int:
    """Stones due to winners of this ace category who took this many pictures, 8 to 16."""
    band = 0 if pictures < 12 else 1 if pictures < PICTURES_IN_ALL else 2
    stones = PAYMENTS[ruleset.schedule][category][band]
    assert stones is not None, "all pictures without Rensho: impossible, it wins a trick for its holder"
    return stones


def paid(ruleset: KakeyaRuleset, due: int, owned: int) -> int:
    """Stones that change hands when the losers own this many: all that is due; without debt what there is."""
    return due if ruleset.debt else min(due, owned)
