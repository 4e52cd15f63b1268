"""A position of Kakeya or Etori: the hand by suits, the trick under way, the tricks before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from arena.web.drawing.positions.chips import (
    SUITS,
    Chip,
    Choice,
    card_chip,
    card_chips,
    is_card,
    seats_text,
    suit_chip,
    word_chip,
)

HAND = 13
RANKS = "AKQJT98765432"
POINTS_PRESET = "etori.meiji"
"""Counts points where the others count stones."""
WORDS = {
    "KEEP": "trumps stay",
    "PREFER": "would like to lead",
    "DEFER": "leaves the lead to the partner",
    "IKU": "leads",
    "KOI": "lets the partner lead",
}


class SuitRow(NamedTuple):
    """One suit of a hand."""

    suit: Chip
    cards: list[Chip]


class Play(NamedTuple):
    """One card of a trick."""

    seat: int
    card: Chip
    is_winner: bool = False
    is_leader: bool = False


class TrickRow(NamedTuple):
    """A finished trick: one play for each seat of the table's head."""

    number: int
    plays: list[Play]
    winner: int


class Captured(NamedTuple):
    """The pictures a pair has taken."""

    seats: str
    cards: list[Chip]


class Kakeya(NamedTuple):
    """What a seat of Kakeya or Etori saw."""

    headline: str
    trump: Chip
    rensho: Chip
    facts: list[tuple[str, str]]
    said: list[tuple[int, Chip]]
    """Seats with what they proposed or declared in this deal."""
    hand: list[SuitRow]
    trick: list[Play]
    seat: int
    seats: list[int]
    """Heads of the columns of ``tricks``."""
    tricks: list[TrickRow]
    pictures: list[Captured]
    legal: list[Chip]
    template: str = "web/positions/_kakeya.html"

    def chips(self) -> list[Chip]:
        """Those that can be marked as the bot's choice."""
        return [*self.legal, *(card for row in self.hand for card in row.cards)]


def kakeya_of(observation: Mapping[str, Any], choice: Choice, options: Mapping[str, Any]) -> Kakeya:
    """The position an observation tells.

    Raises:
        KeyError, ValueError, TypeError, AttributeError: it is not shaped as one of Kakeya.
    """
    active = [int(seat) for seat in observation["active"]]
    said = {**observation["proposals"], **observation["declarations"]}
    return Kakeya(
        headline=_headline(observation),
        trump=suit_chip(observation["trump"]),
        rensho=card_chip(observation["rensho"]),
        facts=_facts(observation, active),
        said=[(int(seat), _action(action)) for seat, action in sorted(said.items())],
        hand=_hand(observation["hand"], choice),
        trick=[
            Play(int(seat), card_chip(card), is_leader=not at)
            for at, (seat, card) in enumerate(observation["trick"])
        ],
        seat=int(observation["seat"]),
        seats=active,
        tricks=[
            _trick(at, trick, active, observation["direction"])
            for at, trick in enumerate(observation["tricks"], 1)
        ],
        pictures=[
            Captured(seats_text(_side(int(seat), observation["seats"])), card_chips(cards))
            for seat, cards in observation["pictures"].items()
        ],
        legal=[choice.mark(_action(action)) for action in observation["legal"]],
    )


def _headline(observation: Mapping[str, Any]) -> str:
    seat, deal = observation["seat"], observation["deal"]
    match observation["phase"]:
        case "trump":
            return f"Seat {seat} is asked about trumps, before the cards of deal {deal} are dealt."
        case "lead":
            return f"Seat {seat} is asked about the opening lead of deal {deal}."
        case _:
            number = len(observation["tricks"]) + 1
            what = "to follow" if observation["trick"] else "to lead"
            return f"Seat {seat} is {what} in trick {number} of {HAND}, deal {deal}."


def _facts(observation: Mapping[str, Any], active: Sequence[int]) -> list[tuple[str, str]]:
    dealers = [observation["dealer"]] if observation["dealer"] else observation["dealers"]
    facts = [("Partner", f"seat {observation['partner']}"), ("Dealt by", seats_text(dealers))]
    facts.append(("Opening lead", seats_text(observation["leaders"])))
    if resting := [seat for seat in range(1, observation["seats"] + 1) if seat not in active]:
        facts.append(("Rests", seats_text(resting)))
    sides = range(1, observation["seats"] // 2 + 1)
    stones = [
        f"{seats_text(_side(seat, observation['seats']))}: {observation['stones'][str(seat)]}"
        for seat in sides
    ]
    counted = "Points" if observation["preset"] == POINTS_PRESET else "Stones"
    return [*facts, (f"{counted} before the deal", ", ".join(stones))]


def _side(seat: int, seats: int) -> tuple[int, int]:
    """The pair of its lower seat."""
    return seat, seat + seats // 2


def _hand(cards: Sequence[str], choice: Choice) -> list[SuitRow]:
    """The hand by suits, high cards first; empty suits too, for a void is worth seeing."""
    if not cards:
        return []
    return [
        SuitRow(
            suit_chip(suit),
            [
                choice.mark(card_chip(card))
                for card in sorted(cards, key=lambda card: RANKS.index(card[0]))
                if card[1] == suit
            ],
        )
        for suit in SUITS
    ]


def _trick(number: int, trick: Mapping[str, Any], active: Sequence[int], direction: str) -> TrickRow:
    """A trick with its cards below their seats; they were told in the order played."""
    first = active.index(trick["leader"])
    step = 1 if direction == "right" else -1
    order = [active[(first + step * at) % len(active)] for at in range(len(active))]
    by_seat = dict(zip(order, trick["cards"], strict=True))
    plays = [
        Play(seat, card_chip(by_seat[seat]), seat == trick["winner"], seat == trick["leader"])
        for seat in active
    ]
    return TrickRow(number, plays, int(trick["winner"]))


def _action(action: str) -> Chip:
    if is_card(action):
        return card_chip(action)
    return suit_chip(action) if len(action) == 1 else word_chip(action, WORDS)


PRESENTER = kakeya_of
