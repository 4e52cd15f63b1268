"""An observation as the author of a bot reads it, in parts that any game has.

The ``POSITION`` of a game makes them; any other game is shown field by field.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from viewer.games import drawing_of

SUITS = "SHDC"
SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
SUIT_NAMES = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
RANK_NAMES = {
    **{"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten", "9": "nine", "8": "eight"},
    **{"7": "seven", "6": "six", "5": "five", "4": "four", "3": "three", "2": "two"},
}
AS_TEXT = "\N{VARIATION SELECTOR-15}"
"""After a suit: a symbol in the line's own colour, where phones would draw a little picture."""


class Chip(NamedTuple):
    """One card, or one action, as it is shown."""

    text: str
    """``T♦``, or the word as the protocol spells it."""
    meaning: str
    """``ten of diamonds``, or what the word does; empty if the text says it."""
    code: str
    """As the protocol spells it."""
    is_red: bool = False
    is_card: bool = False
    is_legal: bool = False
    is_answer: bool = False
    """What the bot chose."""
    is_played: bool = False
    """What was played in its place."""


class Choice(NamedTuple):
    """What may be chosen, what the bot chose and what was played in its place."""

    legal: frozenset[str]
    answer: str | None
    played: str | None

    def mark(self, chip: Chip) -> Chip:
        """The chip, marked as what it is among the actions."""
        return chip._replace(
            is_legal=chip.code in self.legal,
            is_answer=chip.code == self.answer,
            is_played=chip.code == self.played,
        )


class Line(NamedTuple):
    """Cards or actions with a label before them and a note after them; each may be empty."""

    label: str
    chips: Sequence[Chip] = ()
    note: str = ""


class Position(NamedTuple):
    """What a seat saw."""

    headline: str
    facts: Sequence[Line]
    legal: Sequence[Sequence[Chip]]
    """In groups."""
    hand: Sequence[Line] = ()
    """Empty: neither hand nor table is shown."""
    laid: Sequence[Line] = ()
    """What lies on the table."""
    rows_title: str = ""
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[Line]] = ()
    """Of a table below these heads."""

    def chips(self) -> list[Chip]:
        """Those that can be marked as the bot's choice."""
        return [chip for group in (*self.legal, *(row.chips for row in self.hand)) for chip in group]


def is_card(code: str) -> bool:
    """Whether this spells a card."""
    return len(code) == 2 and code[0] in RANK_NAMES and code[1] in SYMBOLS


def card_chip(code: str) -> Chip:
    """A card.

    >>> card_chip("TD").meaning, card_chip("TD").is_red
    ('ten of diamonds', True)

    Raises:
        ValueError: no card is spelt so.
    """
    if not is_card(code):
        raise ValueError(f"not a card: {code!r}")
    rank, suit = code[0], code[1]
    text = f"{rank}{SYMBOLS[suit]}{AS_TEXT}"
    return Chip(text, f"{RANK_NAMES[rank]} of {SUIT_NAMES[suit]}", code, suit in "HD", is_card=True)


def suit_chip(suit: str) -> Chip:
    """A suit.

    Raises:
        KeyError: no suit is spelt so.
    """
    return Chip(f"{SYMBOLS[suit]}{AS_TEXT}", SUIT_NAMES[suit], suit, suit in "HD", is_card=True)


def word_chip(word: str, meanings: Mapping[str, str]) -> Chip:
    """A word of the protocol, with its meaning if there is one."""
    return Chip(word, meanings.get(word, ""), word)


def card_chips(codes: Iterable[str]) -> list[Chip]:
    """Cards in the order given.

    Raises:
        ValueError: one of them is none.
    """
    return [card_chip(code) for code in codes]


def seats_text(seats: Iterable[object]) -> str:
    """Seats in words: ``1 & 3``, or ``nobody``."""
    return " & ".join(map(str, seats)) or "nobody"


def position_of(
    request: Mapping[str, Any],
    answer: str | None,
    played: str | None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Position | None:
    """The position of a request; None if it holds none. ``answer`` and ``played`` are actions.

    ``options`` are those of the ruleset; without them defaults apply.

    A position that its game cannot read is shown plainly: rules change, and old faults stay.
    """
    observation = request.get("observation")
    if not isinstance(observation, Mapping):
        return None
    legal = [str(action) for action in observation.get("legal") or ()]
    choice = Choice(frozenset(legal), answer, played)
    present = drawing_of(str(observation.get("game")), "POSITION")
    if present is not None:
        try:
            position: Position = present(observation, choice, options)
            return position
        except (KeyError, ValueError, TypeError, IndexError, AttributeError):
            pass
    facts = [
        Line(str(name).replace("_", " "), note=value if isinstance(value, str) else json.dumps(value))
        for name, value in observation.items()
        if name != "legal"
    ]
    where = f"Seat {observation.get('seat')}, {observation.get('phase')}"
    return Position(where, facts, [[choice.mark(word_chip(action, {})) for action in legal]])
