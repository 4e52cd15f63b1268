"""Layout of Kakkuri: 725 inputs, 544 actions, for two to eight seats and all options.

Relative seats: 0 is the own seat, then the seats to the right. Elements of seats that do not exist are 0.
Cards have the order of ``engine.cards``; a value is one from 1 to 12 (docs/rules/kakkuri.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.cards import KAKKURI_PACK
from engine.games.kakkuri.notation import MELDS, WORDS

from .base import HIGHEST_VALUE, Array, Layout, stones_value

CARDS = len(KAKKURI_PACK)
MOST_SEATS = 8
VALUES = 12
HAND_CARDS = 6
PHASES = ("deal", "fuwaru", "turn")

_CARD = {card: number for number, card in enumerate(KAKKURI_PACK.cards)}


def _order(meld: str) -> tuple[int, int, list[int]]:
    cards, _, value = meld.partition("@")
    return cards.count("+"), int(value), [_CARD[card] for card in cards.split("+")]


ACTIONS = (*sorted(MELDS, key=_order), *WORDS)
"""The melds of all options, by number of cards, value, cards as written; then the words."""

FIELDS = (
    ("hand", (CARDS,)),
    ("played", (MOST_SEATS, CARDS)),
    ("turned", (CARDS,)),
    ("follow", (VALUES,)),
    ("seated", (MOST_SEATS,)),
    ("active", (MOST_SEATS,)),
    ("dropped", (MOST_SEATS,)),
    ("out", (MOST_SEATS,)),
    ("sansoku", (MOST_SEATS,)),
    ("dealer", (MOST_SEATS,)),
    ("last", (MOST_SEATS,)),
    ("to_act", (MOST_SEATS,)),
    ("phase", (len(PHASES),)),
    ("passes", (MOST_SEATS, VALUES)),
    ("hand_sizes", (MOST_SEATS, HAND_CARDS + 1)),
    ("stones", (MOST_SEATS,)),
    ("scalars", (6,)),
)

HIGHEST = {
    "stones": [HIGHEST_VALUE] * MOST_SEATS,
    "scalars": (HIGHEST_VALUE, CARDS, HIGHEST_VALUE, HAND_CARDS, 1, 1),
}


class KakkuriLayout(Layout):
    def __init__(self) -> None:
        super().__init__("kakkuri", 0, FIELDS, ACTIONS, HIGHEST)

    def encode(self, observation: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Array:
        if observation.get("game") != self.name:
            raise self.foreign(observation.get("game"))
        offset = self.offsets
        seat, seats = observation["seat"], observation["seats"]
        relative = {each: (each - seat) % seats for each in range(1, seats + 1)}

        ones = [offset["hand"] + _CARD[card] for card in observation["hand"]]
        for who, meld in observation["plays"]:
            first = offset["played"] + relative[who] * CARDS
            ones += [first + _CARD[card] for card in meld.partition("@")[0].split("+")]
        ones += [offset["turned"] + _CARD[card] for card in observation["turned"]]
        if observation["follow"]:
            ones.append(offset["follow"] + observation["follow"] - 1)
        ones += range(offset["seated"], offset["seated"] + seats)
        for field in ("active", "dropped", "out", "sansoku", "to_act"):
            ones += [offset[field] + relative[each] for each in observation[field]]
        for field in ("dealer", "last"):
            if observation[field]:
                ones.append(offset[field] + relative[observation[field]])
        if observation["phase"] in PHASES:
            ones.append(offset["phase"] + PHASES.index(observation["phase"]))
        ones += [
            offset["passes"] + relative[who] * VALUES + value - 1 for who, value in observation["passes"]
        ]
        for who, cards in observation["hand_sizes"].items():
            ones.append(offset["hand_sizes"] + relative[int(who)] * (HAND_CARDS + 1) + cards)

        encoded = np.zeros(self.size, dtype=np.uint8)
        encoded[ones] = 1
        for who, stones in observation["stones"].items():
            encoded[offset["stones"] + relative[int(who)]] = stones_value(stones)
        encoded[offset["scalars"] :] = (
            min(observation["pot"], HIGHEST_VALUE),
            observation["box_size"],
            min(observation["deal"], HIGHEST_VALUE),
            observation["played_this_turn"],
            observation["return_turn"],
            observation["turned_this_turn"],
        )
        return encoded


KAKKURI = KakkuriLayout()
