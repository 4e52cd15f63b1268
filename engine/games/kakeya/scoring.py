"""Winner of a trick, winner of a deal, and payment.

Source: docs/rules/kakeya.md#trump-decision, #play, #winner-of-a-deal, #payment;
docs/rules/etori.md#simplified-etori, #meiji-etori.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from engine.cards import KAKEYA_PACK, PICTURES, SUITS, Card, Suit

RENSHO = {"S": "AC", "H": "AS", "D": "AS", "C": "AS"}
"""By trump suit, the card that beats all others in Kakeya and simplified Etori."""
SPECULATION = "AS"
"""The card that beats all others in Meiji Etori, whatever the trump suit."""

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
"""Stones by schedule, ace category of the winners, and pictures won: 8-11, 12-15, 16."""
ASAHI_BANDS = (1, 2, 4)
"""Stones by pictures won, where aces count only at eight pictures each."""
NO_ACE_REMAINING = 4
"""Payment of every deal where remaining aces count: the last ace is always played with the pictures."""


@cache
def trick_powers(trump: Suit, rensho: Card) -> dict[Suit, dict[Card, int]]:
    """Return the strength of each card, by suit led: the strongest wins, 0 never wins."""
    return {led: {card: _power(card, trump, rensho, led) for card in KAKEYA_PACK.cards} for led in SUITS}


@cache
def strengths_by_led(trump: Suit, rensho: Card) -> dict[int, dict[Card, int]]:
    """Return ``trick_powers`` by the mask of the suit led, shifted above the bits of ``PICTURE_MASK``.

    The lower bits are the card itself if it is a picture. The winning card has the largest number.
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
    """Return the index of the winning card of a trick of at least one card, in the order played.

    >>> trick_winner(["AH", "2S", "AC", "9S"], "S")
    2
    """
    powers = trick_powers(trump, rensho or RENSHO[trump])[cards[0][1]]
    return max(range(len(cards)), key=lambda i: powers[cards[i]])


class Taken(NamedTuple):
    pictures: tuple[int, int]
    """Pictures captured by each side, 16 in total."""
    dealt: tuple[int, int]
    """Mask of cards dealt to each side."""
    trump: Suit
    rensho: Card


class Score(NamedTuple):
    won: int | None
    """Index of the winning side, or None if neither won."""
    category: str | None
    """N, O or R if the payment depends on it, otherwise None."""
    due: int
    """Stones or points that the losers owe the winners."""


def ace_category(dealt: int, trump: Suit, rensho: Card) -> str:
    """Return the category of dealt cards: N without aces, R with Rensho or the ace of trumps, else O."""
    if not dealt & ACE_MASK:
        return "N"
    return "R" if dealt & (KAKEYA_PACK.bit[rensho] | KAKEYA_PACK.bit["A" + trump]) else "O"


def deal_winner(taken: Taken) -> int:
    """Return the index of the side with more pictures, or at 8-8 the side that was not dealt Rensho."""
    first, second = taken.pictures
    if first != second:
        return 0 if first > second else 1
    return 1 if taken.dealt[0] & KAKEYA_PACK.bit[taken.rensho] else 0


def schedule_score(schedule: str, taken: Taken) -> Score:
    """Score a deal by one of the schedules of docs/rules/kakeya.md#payment."""
    won = deal_winner(taken)
    if schedule == "asahi_tie_only":
        return Score(won, None, _asahi_payment(taken, won))
    category = ace_category(taken.dealt[won], taken.trump, taken.rensho)
    return Score(won, category, payment(schedule, category, taken.pictures[won]))


def remaining_score(taken: Taken) -> Score:
    """Score a deal by aces remaining in hand: always none (docs/rules/etori.md#aces-remaining-in-hand)."""
    return Score(deal_winner(taken), None, NO_ACE_REMAINING)


def _band(pictures: int) -> int:
    return 0 if pictures < 12 else 1 if pictures < PICTURES_IN_ALL else 2


def payment(schedule: str, category: str, pictures: int) -> int:
    """Return the stones due to winners of this ace category with 8 to 16 pictures."""
    stones = PAYMENTS[schedule][category][_band(pictures)]
    assert stones is not None, "all pictures without Rensho: impossible, it wins a trick for its holder"
    return stones


def _asahi_payment(taken: Taken, won: int) -> int:
    """Aces count only at eight pictures each: those of the losers, who have Rensho."""
    pictures, losing = taken.pictures[won], taken.dealt[1 - won]
    if pictures >= PICTURES_TO_WIN:
        return ASAHI_BANDS[_band(pictures)]
    if losing & ACE_MASK == ACE_MASK:
        return 4
    return 2 if losing & KAKEYA_PACK.bit["A" + taken.trump] else 1


def win1_score(taken: Taken) -> Score:
    """Score one point for more pictures, none at eight each. Source: docs/rules/etori.md#meiji-etori."""
    score = difference_score(taken)
    return score._replace(due=min(score.due, 1))


def difference_score(taken: Taken) -> Score:
    """Score the winners' pictures minus 8, nothing at eight each. Source: docs/rules/etori.md#meiji-etori."""
    first, second = taken.pictures
    if first == second:
        return Score(None, None, 0)
    return Score(0 if first > second else 1, None, max(first, second) - PICTURES_IN_ALL // 2)


def kakeya_score(taken: Taken) -> Score:
    return schedule_score("standard", taken)


MEIJI_SCORES: dict[str, Callable[[Taken], Score]] = {
    "win1": win1_score,
    "difference": difference_score,
    "kakeya": kakeya_score,
}
"""Scoring functions by the option ``meiji_score``."""
