"""A position of Kakeya or Etori: the hand by suits, the trick under way, the tricks before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viewer.observed import (
    SUITS,
    Chip,
    Choice,
    Line,
    Position,
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


def kakeya_of(observation: Mapping[str, Any], choice: Choice, options: Mapping[str, Any]) -> Position:
    """The position an observation tells.

    Raises:
        KeyError, ValueError, TypeError, AttributeError: it is not shaped as one of Kakeya.
    """
    active = [int(seat) for seat in observation["active"]]
    laid = [
        Line(f"Seat {seat}", [card_chip(card)], "" if at else "led")
        for at, (seat, card) in enumerate(observation["trick"])
    ]
    return Position(
        headline=_headline(observation),
        facts=_facts(observation, active),
        legal=[[choice.mark(_action(action)) for action in observation["legal"]]],
        hand=_hand(observation["hand"], choice),
        laid=[*laid, Line(f"Seat {observation['seat']}", note="asked")],
        rows_title="Tricks before",
        heads=["#", *(f"Seat {seat}" for seat in active), "Won by"],
        rows=[
            _trick(number, trick, active, observation["direction"])
            for number, trick in enumerate(observation["tricks"], 1)
        ],
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


def _facts(observation: Mapping[str, Any], active: Sequence[int]) -> list[Line]:
    seats = range(1, observation["seats"] + 1)
    trump = suit_chip(observation["trump"])
    dealers = [observation["dealer"]] if observation["dealer"] else observation["dealers"]
    resting = [seat for seat in seats if seat not in active]
    stones = [
        f"{seats_text(_side(seat, len(seats)))}: {observation['stones'][str(seat)]}"
        for seat in seats[: len(seats) // 2]
    ]
    counted = "Points" if observation["preset"] == POINTS_PRESET else "Stones"
    said = [
        (f"Seat {seat} said", _action(action))
        for seat, action in sorted({**observation["proposals"], **observation["declarations"]}.items())
    ]
    return [
        Line("Trumps", [trump], trump.meaning),
        Line("Rensho", [card_chip(observation["rensho"])]),
        Line("Partner", note=f"seat {observation['partner']}"),
        Line("Dealt by", note=seats_text(dealers)),
        Line("Opening lead", note=seats_text(observation["leaders"])),
        *([Line("Rests", note=seats_text(resting))] if resting else []),
        Line(f"{counted} before the deal", note=", ".join(stones)),
        *(Line(label, [chip], chip.meaning) for label, chip in said),
        *(
            Line(
                f"Pictures of {seats_text(_side(int(seat), len(seats)))}",
                card_chips(cards),
                "" if cards else "none",
            )
            for seat, cards in observation["pictures"].items()
        ),
    ]


def _side(seat: int, seats: int) -> tuple[int, int]:
    """The pair of its lower seat."""
    return seat, seat + seats // 2


def _hand(cards: Sequence[str], choice: Choice) -> list[Line]:
    """The hand by suits, high cards first; empty suits too, for a void is worth seeing."""
    if not cards:
        return [Line("", note="No card dealt yet.")]
    ordered = sorted(cards, key=lambda card: RANKS.index(card[0]))
    by_suit = {suit: [choice.mark(card_chip(card)) for card in ordered if card[1] == suit] for suit in SUITS}
    return [Line(suit_chip(suit).text, chips, "" if chips else "none") for suit, chips in by_suit.items()]


def _trick(number: int, trick: Mapping[str, Any], active: Sequence[int], direction: str) -> list[Line]:
    """A trick with its cards below their seats; they were told in the order played."""
    first = active.index(trick["leader"])
    step = 1 if direction == "right" else -1
    order = [active[(first + step * at) % len(active)] for at in range(len(active))]
    by_seat = dict(zip(order, trick["cards"], strict=True))
    plays = [Line("", [card_chip(by_seat[seat])], "led" if seat == order[0] else "") for seat in active]
    return [Line(str(number)), *plays, Line(f"seat {trick['winner']}")]


def _action(action: str) -> Chip:
    if is_card(action):
        return card_chip(action)
    return suit_chip(action) if len(action) == 1 else word_chip(action, WORDS)
