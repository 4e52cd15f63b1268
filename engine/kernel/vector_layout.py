"""Shared by ``vector`` and ``vector_deal``: the layout ``kakeya_v0`` of ``bots.rl``, and rules as numbers."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

from engine.cards import KAKEYA_PACK, PICTURES, SUITS
from engine.games.kakeya.notation import KEEP, LEAD_DECLARATIONS, LEAD_TALK
from engine.kernel.position import PLAYERS

ACTIONS = (*KAKEYA_PACK.cards, *LEAD_DECLARATIONS, *LEAD_TALK, KEEP, *SUITS)

_CARDS, _SUITS, _SIDES = len(KAKEYA_PACK), len(SUITS), 2
_DECLARATIONS, _PROPOSALS = len(LEAD_DECLARATIONS + LEAD_TALK), len((KEEP, *SUITS))
_SEATS = 6

OBSERVATION = {
    "hand": _CARDS,
    "trick": (PLAYERS - 1) * _CARDS,
    "finished": PLAYERS * _CARDS,
    "voids": PLAYERS * _SUITS,
    "trump": _SUITS,
    "rensho": 2,
    "pictures": _SIDES * len(PICTURES),
    "phase": 3,
    "declarations": PLAYERS * _DECLARATIONS,
    "proposals": PLAYERS * _PROPOSALS,
    "leader": PLAYERS,
    "active": _SEATS,
    "tricks, cards of the trick, deal": 3,
    "stones by pair": _SEATS // 2,
    "deals, leads": 2,
}
"""Bytes of each field, in order."""
IMAGE = {
    "hands": PLAYERS * _CARDS,
    "finished": (2 * PLAYERS - 1) * _CARDS,
    "voids": (2 * PLAYERS - 1) * _SUITS,
    "pictures": (2 * _SIDES - 1) * len(PICTURES),
    "declarations": (2 * PLAYERS - 1) * _DECLARATIONS,
    "proposals": (2 * PLAYERS - 1) * _PROPOSALS,
}
"""Fields by player or side as all seats see them together, from player 0 on. Except for hands, all players
but the last follow again, so that the rotation of each player is one piece.
"""
PROTOCOLS = ("simultaneous", "iku_koi", "decider")
"""Ways to settle the opening lead, by number."""
TRUMP_RULES = ("kept", "turn_last", "random", "cycle_cdh")
"""Ways to choose trumps when the cards are dealt, by number."""


def offsets(fields: Mapping[str, int]) -> tuple[int, ...]:
    """Return the offset of each field and the total size."""
    return tuple(accumulate(fields.values(), initial=0))


class VectorRules(NamedTuple):
    """A ruleset as numbers and tables. Seats, pairs and suits count from 0."""

    seats: int
    is_game: bool
    asks_trump: bool
    protocol: int
    """Index in ``PROTOCOLS``."""
    trump_rule: int
    """Index in ``TRUMP_RULES``."""
    direction: int
    """1 if play goes to the right, otherwise -1."""
    stones: int
    most_deals: int
    """0 for no limit."""
    ends_without_stones: bool
    has_debt: bool
    stops_early: bool
    is_free: bool
    roles: array[int]
    """Table of roles, once for odd and once for even deals (see ``_role_row``)."""
    starts: array[int]
    """First conditions: row of ``roles``, trump suit, turn. Deal boards take them in order; the first deal
    of a game takes one at random.
    """
    powers: bytes
    """Strength of a card, by trump suit, suit led and card."""
    values: array[int]
    """Stones that players 0 and 2 win, by trump suit, mask of their aces by suit, and pictures."""
    rensho: tuple[int, ...]
    """By trump suit."""
    cycle: tuple[int, ...]
    """Trump suits of Meiji Etori in turn."""
