"""The layout ``kakeya_v0`` of ``bots.rl``: actions by index, and sizes of the fields of an observation."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

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
    **{name: OBSERVATION[name] for name in ("finished", "voids", "pictures", "declarations", "proposals")},
}
"""The fields by player or side, from player 0 on, with all hands. An observation is a rotated copy."""


def offsets(fields: Mapping[str, int]) -> tuple[int, ...]:
    """Return the offset of each field and the total size."""
    return tuple(accumulate(fields.values(), initial=0))
