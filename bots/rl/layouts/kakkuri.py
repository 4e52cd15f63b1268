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
        at = self.offsets
        seat, seats = observation["seat"], observation["seats"]
        place = {each: (each - seat) % seats for each in range(1, seats + 1)}

        ones = [at["hand"] + _CARD[card] for card in observation["hand"]]
        for who, meld in observation["plays"]:
            first = at["played"] + place[who] * CARDS
            ones += [first + _CARD[card] for card in meld.partition("@")[0].split("+")]
        ones += [at["turned"] + _CARD[card] for card in observation["turned"]]
        if observation["follow"]:
            ones.append(at["follow"] + observation["follow"] - 1)
        ones += range(at["seated"], at["seated"] + seats)
        for field in ("active", "dropped", "out", "sansoku", "to_act"):
            ones += [at[field] + place[each] for each in observation[field]]
        for field in ("dealer", "last"):
            if observation[field]:
                ones.append(at[field] + place[observation[field]])
        if observation["phase"] in PHASES:
            ones.append(at["phase"] + PHASES.index(observation["phase"]))
        ones += [at["passes"] + place[who] * VALUES + value - 1 for who, value in observation["passes"]]
        for who, cards in observation["hand_sizes"].items():
            ones.append(at["hand_sizes"] + place[int(who)] * (HAND_CARDS + 1) + cards)

        encoded = np.zeros(self.size, dtype=np.uint8)
        encoded[ones] = 1
        for who, stones in observation["stones"].items():
            encoded[at["stones"] + place[int(who)]] = stones_value(stones)
        encoded[at["scalars"] :] = (
            min(observation["pot"], HIGHEST_VALUE),
            observation["box_size"],
            min(observation["deal"], HIGHEST_VALUE),
            observation["played_this_turn"],
            observation["return_turn"],
            observation["turned_this_turn"],
        )
        return encoded


KAKKURI = KakkuriLayout()
