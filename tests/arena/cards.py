"""Cards in a text, whatever they are written or drawn with: codes, ids of symbols, signs of suits."""

from __future__ import annotations

import re
from collections.abc import Sequence

SIGNS = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}
CARD = re.compile(r"(?<![A-Za-z0-9])(?:(10|[2-9TJQKA])([SHDC♠♥♦♣])|([♠♥♦♣])(10|[2-9TJQKA]))(?![A-Za-z0-9])")
RUN = 6
"""So many plays in order are no chance."""


def cards_in(text: str) -> list[str]:
    """The codes of all cards of a text in order; one that is named twice in a row is there once."""
    found: list[str] = []
    for rank, suit, suit_before, rank_after in CARD.findall(text):
        rank, suit = rank or rank_after, suit or suit_before
        code = ("T" if rank == "10" else rank) + SIGNS.get(suit, suit)
        if found[-1:] != [code]:
            found.append(code)
    return found


def has_hand(cards: Sequence[str], hand: Sequence[str]) -> bool:
    """Whether the cards of a hand stand together, in any order."""
    whole, size = set(hand), len(hand)
    return any(
        cards[at] in whole and set(cards[at : at + size]) == whole for at in range(len(cards) - size + 1)
    )


def has_plays(cards: Sequence[str], plays: Sequence[str]) -> bool:
    """Whether some plays in a row stand there in a row."""
    runs = {tuple(plays[at : at + RUN]) for at in range(len(plays) - RUN + 1)}
    return any(tuple(cards[at : at + RUN]) in runs for at in range(len(cards) - RUN + 1))
