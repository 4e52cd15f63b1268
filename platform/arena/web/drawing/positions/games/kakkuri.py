"""A position of Kakkuri: the value to follow, the hand, what lies on the table, how the others stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from arena.web.drawing.positions.chips import SUITS, Chip, Choice, card_chip, card_chips, word_chip
from viewer.cards import COURT_ORDER, komatsu_value

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


class SeatRow(NamedTuple):
    """How one seat stands."""

    seat: int
    cards: int
    stones: int
    notes: str
    is_own: bool


class Turn(NamedTuple):
    """Melds one seat made one after another."""

    seat: int
    melds: list[Chip]


class Kakkuri(NamedTuple):
    """What a seat of Kakkuri saw."""

    headline: str
    follow: str
    facts: list[tuple[str, str]]
    hand: list[Chip]
    turned: list[Chip]
    seats: list[SeatRow]
    turns: list[Turn]
    passes: list[tuple[int, str]]
    """Values with the seats that passed on them."""
    words: list[Chip]
    melds: list[Chip]
    """Legal ones, apart from the words: there may be dozens."""
    template: str = "web/positions/_kakkuri.html"

    def chips(self) -> list[Chip]:
        """Those that can be marked as the bot's choice."""
        return [*self.words, *self.melds]


def kakkuri_of(observation: Mapping[str, Any], choice: Choice, options: Mapping[str, Any]) -> Kakkuri:
    """The position an observation tells.

    Raises:
        KeyError, ValueError, TypeError, AttributeError: it is not shaped as one of Kakkuri.
    """
    chips = [choice.mark(_action(action)) for action in observation["legal"]]
    court = options.get("court_order", COURT_ORDER)
    hand = sorted(observation["hand"], key=lambda card: (komatsu_value(card, court), SUITS.index(card[1])))
    return Kakkuri(
        headline=_headline(observation),
        follow=_follow(observation["follow"]),
        facts=_facts(observation),
        hand=[_card(card) for card in hand],
        turned=card_chips(observation["turned"]),
        seats=_seats(observation),
        turns=[
            Turn(int(seat), [_action(meld) for _, meld in plays])
            for seat, plays in groupby(observation["plays"], key=lambda play: play[0])
        ],
        passes=[
            (int(value), ", ".join(str(seat) for seat, _ in group))
            for value, group in groupby(observation["passes"], key=lambda passed: passed[1])
        ],
        words=[chip for chip in chips if "@" not in chip.code],
        melds=[chip for chip in chips if "@" in chip.code],
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


def _facts(observation: Mapping[str, Any]) -> list[tuple[str, str]]:
    facts = [("Dealt by", f"seat {observation['dealer']}")]
    if observation["last"]:
        facts.append(("Played last", f"seat {observation['last']}"))
    facts += [("Pot", str(observation["pot"])), ("Cards in the box", str(observation["box_size"]))]
    made = observation["played_this_turn"]
    if made or observation["turned_this_turn"]:
        turned = "a card turned up" if observation["turned_this_turn"] else ""
        melds = f"{made} meld{'' if made == 1 else 's'}" if made else ""
        facts.append(("In this turn so far", ", ".join(part for part in (turned, melds) if part)))
    return facts


def _seats(observation: Mapping[str, Any]) -> list[SeatRow]:
    rows = []
    for seat in range(1, observation["seats"] + 1):
        notes = [
            word
            for word, is_so in (
                ("this bot", seat == observation["seat"]),
                ("dealer", seat == observation["dealer"]),
                ("dropped", seat in observation["dropped"]),
                ("out", seat in observation["out"]),
                ("sansoku", seat in observation["sansoku"]),
            )
            if is_so
        ]
        cards, stones = observation["hand_sizes"][str(seat)], observation["stones"][str(seat)]
        rows.append(SeatRow(seat, cards, stones, ", ".join(notes), seat == observation["seat"]))
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


PRESENTER = kakkuri_of
