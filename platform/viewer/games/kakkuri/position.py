"""A position of Kakkuri: the value to follow, the hand, what lies on the table, how the others stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from viewer.cards import COURT_ORDER, komatsu_value
from viewer.observed import (
    SUITS,
    Chip,
    Choice,
    Line,
    Position,
    card_chip,
    card_chips,
    word_chip,
)

WILDS = frozenset({"2D", "AC"})
HIGHEST = 12
WORDS = {
    "PASS": "ends the turn",
    "TURN": "turns up a card of the box",
    "DROP": "pays a stone and leaves the deal",
    "SANSOKU": "declares three pairs",
    "SWAP": "swaps hands with the dealer",
    "KEEP": "keeps the hand",
    "DEAL": "deals",
    "GIVE": "hands the deal on",
}


def kakkuri_of(observation: Mapping[str, Any], choice: Choice, options: Mapping[str, Any]) -> Position:
    """The position an observation tells.

    Raises:
        KeyError, ValueError, TypeError, AttributeError: it is not shaped as one of Kakkuri.
    """
    chips = [choice.mark(_action(action)) for action in observation["legal"]]
    court = options.get("court_order", COURT_ORDER)
    hand = sorted(observation["hand"], key=lambda card: (komatsu_value(card, court), SUITS.index(card[1])))
    return Position(
        headline=_headline(observation),
        facts=_facts(observation),
        legal=[[chip for chip in chips if ("@" in chip.code) == is_meld] for is_meld in (False, True)],
        hand=[
            Line("", [_card(card) for card in hand], "" if hand else "Nobody has looked at the cards yet.")
        ],
        laid=[
            Line(f"Seat {seat}", [_action(meld) for _, meld in plays])
            for seat, plays in groupby(observation["plays"], key=lambda play: play[0])
        ],
        rows_title="The seats",
        heads=["Seat", "Cards", "Stones", ""],
        rows=_seats(observation),
    )


def _headline(observation: Mapping[str, Any]) -> str:
    seat, deal = observation["seat"], observation["deal"]
    match observation["phase"]:
        case "fuwaru":
            return f"Seat {seat} is asked whether to swap its unseen hand for the dealer's, deal {deal}."
        case "deal":
            return f"Seat {seat} is asked whether to deal, deal {deal}."
        case _ if observation["return_turn"]:
            return f"The turn has come back to seat {seat}, which played last, deal {deal}."
        case _:
            return f"Seat {seat} has its turn, deal {deal}."


def _follow(value: int | None) -> str:
    """What may be played now, in words."""
    if value is None:
        return "nothing yet"
    if value == HIGHEST:
        return f"{value}, so any value"
    allowed = [value, value + 1] if value <= 2 else [value + 1]
    return f"{value}, so {' or '.join(map(str, allowed))}"


def _facts(observation: Mapping[str, Any]) -> list[Line]:
    facts = [
        Line("To follow", note=_follow(observation["follow"])),
        Line("Dealt by", note=f"seat {observation['dealer']}"),
    ]
    if observation["last"]:
        facts.append(Line("Played last", note=f"seat {observation['last']}"))
    facts.append(Line("Pot", note=str(observation["pot"])))
    facts.append(Line("Cards in the box", note=str(observation["box_size"])))
    made = observation["played_this_turn"]
    if made or observation["turned_this_turn"]:
        turned = "a card turned up" if observation["turned_this_turn"] else ""
        melds = f"{made} meld{'' if made == 1 else 's'}" if made else ""
        facts.append(Line("In this turn so far", note=", ".join(part for part in (turned, melds) if part)))
    if observation["turned"]:
        facts.append(Line("Turned up", card_chips(observation["turned"])))
    passed = [
        f"on {value}: {', '.join(str(seat) for seat, _ in group)}"
        for value, group in groupby(observation["passes"], key=lambda each: each[1])
    ]
    if passed:
        facts.append(Line("Passed", note="; ".join(passed)))
    return facts


def _seats(observation: Mapping[str, Any]) -> list[list[Line]]:
    rows = []
    for seat in range(1, observation["seats"] + 1):
        notes = [word for word in ("dropped", "out", "sansoku") if seat in observation[word]]
        notes = ["dealer"] * (seat == observation["dealer"]) + notes
        notes = ["this bot"] * (seat == observation["seat"]) + notes
        counts = (observation[name][str(seat)] for name in ("hand_sizes", "stones"))
        rows.append([Line(str(text)) for text in (seat, *counts, ", ".join(notes))])
    return rows


def _card(code: str) -> Chip:
    chip = card_chip(code)
    return chip._replace(meaning=f"{chip.meaning}, wild") if code in WILDS else chip


def _action(action: str) -> Chip:
    """A word, or a meld: its cards, and the value where the cards alone do not tell it."""
    if "@" not in action:
        return word_chip(action, WORDS)
    cards, _, value = action.partition("@")
    parts = [card_chip(code) for code in cards.split("+")]
    names = _named([part.code for part in parts])
    text = " ".join(part.text for part in parts) + (f" as {value}" if names else "")
    meaning = f"{', '.join(part.meaning for part in parts)}, value {value}"
    return Chip(text, meaning, action, is_red=all(part.is_red for part in parts), is_card=True)


def _named(codes: Sequence[str]) -> bool:
    """Whether all cards are wild, so that the value has to be said."""
    return all(code in WILDS for code in codes)
