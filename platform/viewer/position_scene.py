"""A position as plain values that pages and terminals draw: seats, the middle of the table, legal actions.

The ``SCENE`` of a game makes it of observations alone, so that nothing hidden can be drawn. A game without
one, or an observation that its game cannot read, gives a plain scene: every field of the observations.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from engine.cards import KAKEYA_PACK, SUITS
from viewer.cards import SUIT_SIGNS, TEXT_STYLE
from viewer.games import drawing_of
from viewer.words import ENGLISH, Words

Observation = Mapping[str, Any]
"""What a seat may see, as ``State.observe`` gives it: docs/bot-protocol.md#every-observation."""
Event = Mapping[str, Any]
"""As bots hear of it: its kind is ``e``. ``verdict`` is why the referee answered in a bot's place."""

COMMON_FIELDS = ("game", "preset", "rules_version", "seat", "seats", "legal")
"""Fields of an observation that change nothing about a plain scene of several seats."""
_HIGHEST_FIRST = {card: -index for index, card in enumerate(KAKEYA_PACK.cards)}


class Chip(NamedTuple):
    """A card, several cards played together, a suit or a word of the protocol."""

    code: str
    """As the protocol spells it."""
    text: str
    """``T♦``, or a word."""
    meaning: str = ""
    """``10 of diamonds``, or what the word does; empty if the text says it."""
    suits: str = ""
    """Suits of its cards; empty for a word."""
    is_special: bool = False
    """A card that beats the others or stands for any."""
    is_legal: bool = False
    is_answer: bool = False
    """What the bot chose."""
    is_played: bool = False
    """What the referee played in its place."""

    @property
    def is_red(self) -> bool:
        """Whether all its cards are red."""
        return bool(self.suits) and set(self.suits) <= {"H", "D"}


class Line(NamedTuple):
    """Cards or actions with a label before them and a note after them; each may be empty."""

    label: str
    chips: Sequence[Chip] = ()
    note: str = ""


class Play(NamedTuple):
    """What a seat has on the table."""

    seat: int
    chip: Chip
    is_led: bool = False
    is_winner: bool = False


class SeatScene(NamedTuple):
    """One seat."""

    seat: int
    cards: Sequence[Chip] = ()
    """Its hand, where it is known."""
    hidden: int = 0
    """Cards of a hand that is not known."""
    badges: Sequence[str] = ()
    """Its part in the deal."""
    said: str = ""
    """What it said before the first card."""
    stones: int | None = None
    is_active: bool = True
    """False for a seat that rests or has dropped out."""
    is_next: bool = False
    """Whether the table waits for it."""

    @property
    def held(self) -> int:
        """Cards it holds."""
        return len(self.cards) or self.hidden


class Rows(NamedTuple):
    """What was played before, as a table; ``▸`` marks a lead, ``*`` what won."""

    title: str
    heads: Sequence[str]
    lines: Sequence[Sequence[Line]]


class Scene(NamedTuple):
    """One position."""

    kind: Literal["trick", "pile", "plain"]
    """What lies in the middle: one card of each seat, or melds one upon the other. Plain: unknown."""
    headline: str
    own: int | None
    """The seat it is seen from; None if several are open."""
    legal: Sequence[Chip] = ()
    centre: Sequence[Line] = ()
    """What holds for the whole table. A note says briefly what chips before it are."""
    facts: Sequence[Line] = ()
    """More about the position."""
    seats: Sequence[SeatScene] = ()
    laid: Sequence[Play] = ()
    """What lies on the table, in the order played."""
    rows: Rows | None = None
    score_name: str = ""
    """What the seats' ``stones`` are called."""
    play_phase: str = ""
    """The phase in which cards are played."""

    @property
    def hand(self) -> Sequence[Line]:
        """The hand of the seat it is seen from, by suits if these matter."""
        cards = next((seat.cards for seat in self.seats if seat.seat == self.own), ())
        return by_suit(cards) if cards and self.kind == "trick" else [Line("", cards)]

    @property
    def legal_groups(self) -> list[list[Chip]]:
        """Words and cards apart."""
        return [list(group) for _, group in groupby(self.legal, key=lambda chip: not chip.suits)]

    @property
    def has_answer(self) -> bool:
        """Whether the bot's choice is marked."""
        chips = [*self.legal, *(chip for line in self.hand for chip in line.chips)]
        return any(chip.is_answer for chip in chips)


class Look(NamedTuple):
    """What a scene is made of."""

    eyes: Mapping[int, Observation]
    """By seat: that of the one it is seen from, or of all."""
    events: Sequence[Event] = ()
    """Of the deal so far, where they are known."""
    words: Words = ENGLISH
    options: Mapping[str, Any] = MappingProxyType({})
    """Of the ruleset; defaults apply where they are missing."""
    is_asked: bool = False
    """Whether this is what a seat was asked about: a finished trick does not lie on the table any more."""

    @property
    def observation(self) -> Observation:
        """What all seats see alike is in each of them."""
        return next(iter(self.eyes.values()))

    @property
    def own(self) -> int | None:
        """The seat the position is seen from; None if several are open."""
        return next(iter(self.eyes)) if len(self.eyes) == 1 else None

    def hand(self, seat: int) -> list[str]:
        """The cards of a seat, as far as they are known."""
        return list(self.eyes[seat]["hand"]) if seat in self.eyes else []

    def where(self, *rest: str) -> str:
        """Whose turn it is, and the deal."""
        seen, words = self.observation, self.words
        who = words.side_name(seen["to_act"]) + words.colon if seen["to_act"] else ""
        return who + words.comma.join((words.deal.format(deal=seen["deal"]), *rest))


def scene_of(look: Look) -> Scene:
    """The scene of a position; a plain one if its game has no ``SCENE`` or this cannot read it."""
    make = drawing_of(str(look.observation.get("game")), "SCENE")
    if make is not None:
        try:
            scene: Scene = make(look)
            return scene
        except (KeyError, ValueError, TypeError, IndexError, AttributeError):
            pass
    return _plain(look)


def event_text(game: str, event: Event, words: Words, options: Mapping[str, Any]) -> str | None:
    """An event in a sentence; None if the game has no ``SAID``."""
    say = drawing_of(game, "SAID")
    return None if say is None else str(say(event, words, options))


def position_of(
    request: Mapping[str, Any],
    answer: str | None,
    played: str | None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Scene | None:
    """The position of a request with the bot's answer and what was played marked; None if it has none."""
    observation = request.get("observation")
    if not isinstance(observation, Mapping):
        return None
    scene = scene_of(Look({observation.get("seat", 0): observation}, options=options, is_asked=True))
    legal = {chip.code for chip in scene.legal}

    def marked(chips: Iterable[Chip]) -> list[Chip]:
        return [
            chip._replace(
                is_legal=chip.code in legal, is_answer=chip.code == answer, is_played=chip.code == played
            )
            for chip in chips
        ]

    seats = [seat._replace(cards=marked(seat.cards)) for seat in scene.seats]
    return scene._replace(legal=marked(scene.legal), seats=seats)


def deal_end(before: Observation, events: Sequence[Event]) -> Observation:
    """The end of a deal within a game: what a seat saw before the last step, with the events it saw of it.

    An observation of a board that is over is returned as it is.
    """
    if not before["to_act"]:
        return before
    changes_of = drawing_of(str(before["game"]), "DEAL_END")
    ended = {**before, "to_act": [], "legal": []}
    for event in events:
        if event["e"] == "deal_end" or changes_of is None:
            break
        ended |= changes_of(ended, event)
    return ended


# Chips


def card_sign(code: str) -> str:
    """A card in two characters, and one that keeps phones from drawing a picture of the suit."""
    return f"{code[0]}{SUIT_SIGNS[code[1]]}{TEXT_STYLE}"


def card_chip(code: str, words: Words = ENGLISH, *, is_special: bool = False) -> Chip:
    """A card.

    >>> card_chip("TD").meaning, card_chip("TD").is_red
    ('10 of diamonds', True)

    Raises:
        ValueError: this is not a card.
    """
    if not is_card(code):
        raise ValueError(f"not a card: {code!r}")
    return Chip(code, card_sign(code), words.card_name(code), code[1], is_special)


def suit_chip(suit: str, words: Words = ENGLISH) -> Chip:
    """A suit.

    Raises:
        KeyError: this is not a suit.
    """
    return Chip(suit, SUIT_SIGNS[suit] + TEXT_STYLE, words.suits[suit], suit)


def is_card(code: str) -> bool:
    """Whether this spells a card."""
    return code in _HIGHEST_FIRST


def by_suit(cards: Iterable[Chip]) -> list[Line]:
    """Cards by suits, the highest first; suits without a card too, since a void matters."""
    ordered = sorted(cards, key=lambda chip: _HIGHEST_FIRST[chip.code])
    held = {suit: [chip for chip in ordered if chip.suits == suit] for suit in SUITS}
    return [Line(suit_chip(suit).text, chips, "" if chips else "–") for suit, chips in held.items()]


# Games without a scene


def _plain(look: Look) -> Scene:
    views = {seat: {k: v for k, v in seen.items() if k != "legal"} for seat, seen in look.eyes.items()}
    first, own = next(iter(views.values())), look.own
    if own is None:
        views = {
            seat: {k: v for k, v in view.items() if k not in COMMON_FIELDS} for seat, view in views.items()
        }
    shared = [k for k, value in first.items() if all(k in v and v[k] == value for v in views.values())]
    facts = [Line(str(name).replace("_", " "), note=value_text(first[name])) for name in shared]
    for seat, view in views.items() if own is None else ():
        note = "; ".join(f"{name} {value_text(value)}" for name, value in view.items() if name not in shared)
        facts.append(Line(look.words.seat_name(seat), note=note))
    legal = [] if own is None else [str(action) for action in look.observation.get("legal") or ()]
    who = "" if own is None else look.words.seat_name(own) + look.words.colon
    chips = [Chip(action, action) for action in legal]
    return Scene("plain", f"{who}{first.get('phase')}", own, chips, facts=facts)


def value_text(value: object) -> str:
    """A JSON value in few characters."""
    if isinstance(value, list):
        return " ".join(value_text(item) for item in value) or "none"
    if isinstance(value, Mapping):
        return " ".join(f"{name}={value_text(item)}" for name, item in value.items()) or "none"
    return value if isinstance(value, str) else json.dumps(value)
