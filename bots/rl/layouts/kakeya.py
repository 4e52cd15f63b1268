"""Layout of Kakeya and Etori: 527 inputs, 61 actions.

Relative players: 0 is the own seat, then follow the seats of this deal in turn order. For a seat whose pair
rests (with six seats), player 0 is the first active seat after it in turn order; ``active[0]`` is then 0.
Cards and suits have the order of ``engine.cards``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.cards import KAKEYA_PACK, PICTURES, SUITS

from .base import HIGHEST_VALUE, Array, Layout, stones_value

CARDS = len(KAKEYA_PACK)
PLAYERS = 4
"""Active seats of every preset."""
MOST_SEATS = 6
PHASES = ("trump", "lead", "play")
DECLARATIONS = ("PREFER", "DEFER", "IKU", "KOI")
PROPOSALS = ("KEEP", *SUITS)
ACTIONS = (*KAKEYA_PACK.cards, *DECLARATIONS, *PROPOSALS)

FIELDS = (
    ("hand", (CARDS,)),
    ("trick", (PLAYERS - 1, CARDS)),
    ("finished", (PLAYERS, CARDS)),
    ("voids", (PLAYERS, len(SUITS))),
    ("trump", (len(SUITS),)),
    ("rensho", (2,)),
    ("pictures", (2, len(PICTURES))),
    ("phase", (len(PHASES),)),
    ("declarations", (PLAYERS, len(DECLARATIONS))),
    ("proposals", (PLAYERS, len(PROPOSALS))),
    ("leader", (PLAYERS,)),
    ("active", (MOST_SEATS,)),
    ("scalars", (8,)),
)

HIGHEST = {"scalars": (13, PLAYERS - 1, *[HIGHEST_VALUE] * 4, 1, 1)}

_CARD = {card: number for number, card in enumerate(KAKEYA_PACK.cards)}
_SUIT = {suit: number for number, suit in enumerate(SUITS)}
_PICTURE = {card: i for i, card in enumerate(card for card in KAKEYA_PACK.cards if card in PICTURES)}


class KakeyaLayout(Layout):
    def __init__(self) -> None:
        super().__init__("kakeya", 0, FIELDS, ACTIONS, HIGHEST)

    def encode(self, observation: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Array:
        if observation.get("game") != self.name:
            raise self.foreign(observation.get("game"))
        offset = self.offsets
        seat, seats = observation["seat"], observation["seats"]
        step = -1 if observation["direction"] == "left" else 1
        ring = [(seat - 1 + step * distance) % seats + 1 for distance in range(seats)]
        active = observation["active"]
        players = [each for each in ring if each in active]
        player = {each: number for number, each in enumerate(players)}
        rensho = observation["rensho"]
        may_refuse = rensho if options and options.get("rensho_free") else None
        finished = []

        ones = [offset["hand"] + _CARD[card] for card in observation["hand"]]
        voids = []
        for trick in observation["tricks"]:
            first, led = player[trick["leader"]], trick["cards"][0][1]
            for turn, card in enumerate(trick["cards"]):
                number = (first + turn) % PLAYERS
                finished.append(card)
                ones.append(offset["finished"] + number * CARDS + _CARD[card])
                if card[1] != led and card != may_refuse:
                    voids.append(number * len(SUITS) + _SUIT[led])
        for turn, (other, card) in enumerate(observation["trick"]):
            ones.append(offset["trick"] + turn * CARDS + _CARD[card])
            led = observation["trick"][0][1][1]
            if card[1] != led and card != may_refuse:
                voids.append(player[other] * len(SUITS) + _SUIT[led])
        ones += [offset["voids"] + void for void in voids]

        ones.append(offset["trump"] + _SUIT[observation["trump"]])
        if rensho in observation["hand"]:
            ones.append(offset["rensho"])
        if rensho in finished or any(card == rensho for _, card in observation["trick"]):
            ones.append(offset["rensho"] + 1)
        for lowest, cards in observation["pictures"].items():
            side = offset["pictures"] + len(PICTURES) * (player[int(lowest)] % 2)
            ones += [side + _PICTURE[card] for card in cards]

        phase = observation["phase"]
        if phase in PHASES:
            ones.append(offset["phase"] + PHASES.index(phase))
        for who, word in observation["declarations"].items():
            first = offset["declarations"] + player[int(who)] * len(DECLARATIONS)
            ones.append(first + DECLARATIONS.index(word))
        for who, word in observation["proposals"].items():
            if int(who) in player:
                ones.append(offset["proposals"] + player[int(who)] * len(PROPOSALS) + PROPOSALS.index(word))
        if phase == "play":
            leader = observation["trick"][0][0] if observation["trick"] else observation["to_act"][0]
            ones.append(offset["leader"] + player[leader])
        ones += [offset["active"] + distance for distance, each in enumerate(ring) if each in active]

        encoded = np.zeros(self.size, dtype=np.uint8)
        encoded[ones] = 1
        own = (seat, observation["partner"])
        stones = observation["stones"]
        encoded[offset["scalars"] :] = (
            len(observation["tricks"]),
            len(observation["trick"]),
            min(observation["deal"], HIGHEST_VALUE),
            *(stones_value(stones[str(each)]) for each in ring[: seats // 2]),
            *([0] * (MOST_SEATS // 2 - seats // 2)),
            any(each in own for each in observation["dealers"]),
            any(each in own for each in observation["leaders"]),
        )
        return encoded


KAKEYA = KakeyaLayout()
