"""Who wins a trick, a deal and how much.

Source: docs/rules/kakeya.md#trump-decision, #play, #winner-of-a-deal, #payment;
docs/rules/etori.md#simplified-etori, #meiji-etori.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from engine.cards import KAKEYA_PACK, PICTURES, SUITS, Card, Suit

RENSHO = {"S": "AC", "H": "AS", "D": "AS", "C": "AS"}
"""The card that beats everything in Kakeya and simplified Etori, by trump suit."""
SPECULATION = "AS"
"""The card that beats everything in Meiji Etori, whatever is trumps."""

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
ASAHI_BANDS = (1, 2, 4)
"""The same where aces count only at eight each."""
NO_ACE_REMAINING = 4
"""What every deal pays where aces count that remain in hand: the last of them falls with the pictures."""


@cache
def trick_powers(trump: Suit, rensho: Card) -> dict[Suit, dict[Card, int]]:
    """By suit led, how strong each card is in a trick: the strongest wins, 0 can never win."""
    return {led: {card: _power(card, trump, rensho, led) for card in KAKEYA_PACK.cards} for led in SUITS}


@cache
def strengths_by_led(trump: Suit, rensho: Card) -> dict[int, dict[Card, int]]:
    """``trick_powers`` by the suit led as the mask of its cards, in bits above those of ``PICTURE_MASK``.

    Below them is the card itself if it is a picture, so that one look tells both. The card that wins a trick
    has the largest number, as none of power 0 does.
    """
    return {
        KAKEYA_PACK.suit_mask[led]: {
            card: power << len(KAKEYA_PACK) | KAKEYA_PACK.bit[card] & PICTURE_MASK
            for card, power in powers.items()
        }
        for led, powers in trick_powers(trump, rensho).items()
    }


def _power(card: Card, trump: Suit, rensho: Card, led: Suit) -> int:
    if card == rensho:
        return _RENSHO_POWER
    if card[1] == trump:
        return _TRUMP_POWER + _RANK_POWER[card]
    return 1 + _RANK_POWER[card] if card[1] == led else 0


def trick_winner(cards: Sequence[Card], trump: Suit, rensho: Card | None = None) -> int:
    """Index of the winning card of a trick in the order played, at least one card.

    >>> trick_winner(["AH", "2S", "AC", "9S"], "S")
    2
    """
    powers = trick_powers(trump, rensho or RENSHO[trump])[cards[0][1]]
    return max(range(len(cards)), key=lambda i: powers[cards[i]])


class Taken(NamedTuple):
    """What decides a deal: the two sides that played it, in the order of their lower seats."""

    pictures: tuple[int, int]
    """How many each side captured; 16 in all."""
    dealt: tuple[int, int]
    """Cards dealt to each side as masks."""
    trump: Suit
    rensho: Card


class Score(NamedTuple):
    """What a deal was worth."""

    won: int | None
    """Index of the winning side, None: neither won."""
    category: str | None
    """N, O or R where the payment depends on it, else None."""
    due: int
    """Stones or points the losers owe the winners."""


def ace_category(dealt: int, trump: Suit, rensho: Card) -> str:
    """Category of a side by its dealt cards as a mask: N no ace, R Rensho or ace of trumps, O other aces."""
    if not dealt & ACE_MASK:
        return "N"
    return "R" if dealt & (KAKEYA_PACK.bit[rensho] | KAKEYA_PACK.bit["A" + trump]) else "O"


def deal_winner(taken: Taken) -> int:
    """Index of the winning side: more pictures, or at 8-8 the one not dealt Rensho."""
    first, second = taken.pictures
    if first != second:
        return 0 if first > second else 1
    return 1 if taken.dealt[0] & KAKEYA_PACK.bit[taken.rensho] else 0


def schedule_score(schedule: str, taken: Taken) -> Score:
    """The score of a deal by one of the schedules of docs/rules/kakeya.md#payment."""
    won = deal_winner(taken)
    if schedule == "asahi_tie_only":
        return Score(won, None, _asahi_payment(taken, won))
    category = ace_category(taken.dealt[won], taken.trump, taken.rensho)
    return Score(won, category, payment(schedule, category, taken.pictures[won]))


def remaining_score(taken: Taken) -> Score:
    """The score of a deal where aces count that remain in hand: none does.

    Source: docs/rules/etori.md#aces-remaining-in-hand.
    """
    return Score(deal_winner(taken), None, NO_ACE_REMAINING)


def _band(pictures: int) -> int:
    return 0 if pictures < 12 else 1 if pictures < PICTURES_IN_ALL else 2


def payment(schedule: str, category: str, pictures: int) -> int:
    """Stones due to winners of this ace category who took this many pictures, 8 to 16."""
    stones = PAYMENTS[schedule][category][_band(pictures)]
    assert stones is not None, "all pictures without Rensho: impossible, it wins a trick for its holder"
    return stones


def _asahi_payment(taken: Taken, won: int) -> int:
    """Aces count only at eight each, those of the losers, who have Rensho."""
    pictures, losing = taken.pictures[won], taken.dealt[1 - won]
    if pictures >= PICTURES_TO_WIN:
        return ASAHI_BANDS[_band(pictures)]
    if losing & ACE_MASK == ACE_MASK:
        return 4
    return 2 if losing & KAKEYA_PACK.bit["A" + taken.trump] else 1


def win1_score(taken: Taken) -> Score:
    """One point for more pictures, nothing at eight each.

    Source: docs/rules/etori.md#meiji-etori.
    """
    score = difference_score(taken)
    return score._replace(due=min(score.due, 1))


def difference_score(taken: Taken) -> Score:
    """The winners' pictures less 8, nothing at eight each.

    Source: docs/rules/etori.md#meiji-etori.
    """
    first, second = taken.pictures
    if first == second:
        return Score(None, None, 0)
    return Score(0 if first > second else 1, None, max(first, second) - PICTURES_IN_ALL // 2)


def kakeya_score(taken: Taken) -> Score:
    """The standard payment of Kakeya."""
    return schedule_score("standard", taken)


MEIJI_SCORES: dict[str, Callable[[Taken], Score]] = {
    "win1": win1_score,
    "difference": difference_score,
    "kakeya": kakeya_score,
}
"""By the option ``meiji_score``."""
