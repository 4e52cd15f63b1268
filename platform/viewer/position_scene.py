"""Scene of a position as plain values for pages and terminals: seats, the middle of the table, legal actions.

The ``SCENE`` of a game uses observations alone, so that no hidden card can appear. Without one, or for an
unreadable observation, a plain scene has every field of the observations.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from engine.cards import KAKEYA_PACK, SUITS
from viewer.cards import SUIT_SIGNS, TEXT_STYLE
from viewer.games import game_part
from viewer.texts import ENGLISH, ViewerTexts

Observation = Mapping[str, Any]
"""Knowledge of a seat, as returned by ``State.observe``: docs/bot-protocol.md#every-observation."""
Event = Mapping[str, Any]
"""Event as sent to bots: its kind is ``e``, ``verdict`` why the referee answered for the bot."""

COMMON_FIELDS = ("game", "preset", "rules_version", "seat", "seats", "legal")
"""Fields of an observation that a plain scene of several seats omits."""
_HIGHEST_FIRST = {card: -index for index, card in enumerate(KAKEYA_PACK.cards)}


class Chip(NamedTuple):
    """A card, a meld, a suit or a word of the protocol."""

    code: str
    """Protocol spelling."""
    text: str
    meaning: str = ""
    """``10 of diamonds``, or the effect of the word; empty if the text is clear."""
    suits: str = ""
    """Suits of its cards; empty for a word."""
    is_special: bool = False
    """A card that beats the others, or a wild card."""
    is_legal: bool = False
    is_answer: bool = False
    """The bot's choice."""
    is_played: bool = False
    """The referee's choice for the bot."""

    @property
    def is_red(self) -> bool:
        return bool(self.suits) and set(self.suits) <= {"H", "D"}


class Line(NamedTuple):
    """Cards or actions with an optional label before them and an optional note after them."""

    label: str
    chips: Sequence[Chip] = ()
    note: str = ""


class Play(NamedTuple):
    seat: int
    chip: Chip
    is_led: bool = False
    is_winner: bool = False


class SeatScene(NamedTuple):
    seat: int
    cards: Sequence[Chip] = ()
    """Its hand, if known."""
    hidden: int = 0
    """Number of unknown cards in its hand."""
    badges: Sequence[str] = ()
    """Its roles in the deal."""
    said: str = ""
    """Its declarations before the first card."""
    stones: int | None = None
    is_active: bool = True
    """False for a seat that rests or has dropped out."""
    is_next: bool = False
    """Whether it is to act."""

    @property
    def held(self) -> int:
        return len(self.cards) or self.hidden


class SeatRows(NamedTuple):
    """Previous plays as a table; ``▸`` marks a lead, ``*`` the winning play."""

    title: str
    heads: Sequence[str]
    lines: Sequence[Sequence[Line]]


class PositionScene(NamedTuple):
    """Scene of one position."""

    kind: Literal["trick", "pile", "plain"]
    """Content of the middle: one card per seat, or stacked melds. Plain: unknown."""
    headline: str
    own: int | None
    """The seat with this view; None if several hands are open."""
    legal: Sequence[Chip] = ()
    centre: Sequence[Line] = ()
    """Facts about the whole table. A note is a short form of the chips before it."""
    facts: Sequence[Line] = ()
    """Further facts about the position."""
    seats: Sequence[SeatScene] = ()
    laid: Sequence[Play] = ()
    """Cards on the table, in the order played."""
    rows: SeatRows | None = None
    score_name: str = ""
    """Unit of the seats' ``stones``."""
    play_phase: str = ""
    """Phase in which cards are played."""

    @property
    def hand(self) -> Sequence[Line]:
        cards = next((seat.cards for seat in self.seats if seat.seat == self.own), ())
        return by_suit(cards) if cards and self.kind == "trick" else [Line("", cards)]

    @property
    def legal_groups(self) -> list[list[Chip]]:
        return [list(group) for _, group in groupby(self.legal, key=lambda chip: not chip.suits)]

    @property
    def has_answer(self) -> bool:
        chips = [*self.legal, *(chip for line in self.hand for chip in line.chips)]
        return any(chip.is_answer for chip in chips)


class SceneInput(NamedTuple):
    """Input of a scene."""

    eyes: Mapping[int, Observation]
    """Observations by seat: of one seat, or of all."""
    events: Sequence[Event] = ()
    """Events of the deal so far, if known."""
    texts: ViewerTexts = ENGLISH
    options: Mapping[str, Any] = MappingProxyType({})
    """Options of the ruleset, with defaults for missing ones."""
    is_asked: bool = False

    @property
    def observation(self) -> Observation:
        """Any of the observations, for the fields that all seats share."""
        return next(iter(self.eyes.values()))

    @property
    def own(self) -> int | None:
        """The seat with this view; None if several hands are open."""
        return next(iter(self.eyes)) if len(self.eyes) == 1 else None

    def hand(self, seat: int) -> list[str]:
        return list(self.eyes[seat]["hand"]) if seat in self.eyes else []

    def where(self, *remainder: str) -> str:
        observation, texts = self.observation, self.texts
        who = texts.side_name(observation["to_act"]) + texts.colon if observation["to_act"] else ""
        return who + texts.comma.join((texts.deal.format(deal=observation["deal"]), *remainder))


def scene_of(look: SceneInput) -> PositionScene:
    """Return the scene of a position; a plain one without a ``SCENE`` that can read the observation."""
    make = game_part(str(look.observation.get("game")), "SCENE")
    if make is not None:
        try:
            scene: PositionScene = make(look)
            return scene
        except (KeyError, ValueError, TypeError, IndexError, AttributeError):
            pass
    return _plain(look)


def event_text(game: str, event: Event, texts: ViewerTexts, options: Mapping[str, Any]) -> str | None:
    say = game_part(game, "SAID")
    return None if say is None else str(say(event, texts, options))


def position_of(
    request: Mapping[str, Any],
    answer: str | None,
    played: str | None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> PositionScene | None:
    """Return the position of a request, with answer and played action marked; None without observation."""
    observation = request.get("observation")
    if not isinstance(observation, Mapping):
        return None
    scene = scene_of(SceneInput({observation.get("seat", 0): observation}, options=options, is_asked=True))
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
    """Return the observation before the last step of a deal within a game, with its events applied.

    An observation of a finished board is returned unchanged.
    """
    if not before["to_act"]:
        return before
    changes_of = game_part(str(before["game"]), "DEAL_END")
    ended = {**before, "to_act": [], "legal": []}
    for event in events:
        if event["e"] == "deal_end" or changes_of is None:
            break
        ended |= changes_of(ended, event)
    return ended


# Chips


def card_sign(code: str) -> str:
    """Return a card in two characters, with a suffix that prevents an emoji."""
    return f"{code[0]}{SUIT_SIGNS[code[1]]}{TEXT_STYLE}"


def card_chip(code: str, texts: ViewerTexts = ENGLISH, *, is_special: bool = False) -> Chip:
    """Return the chip of a card. Raise ``ValueError`` for other text.

    >>> card_chip("TD").meaning, card_chip("TD").is_red
    ('10 of diamonds', True)
    """
    if not is_card(code):
        raise ValueError(f"not a card: {code!r}")
    return Chip(code, card_sign(code), texts.card_name(code), code[1], is_special)


def suit_chip(suit: str, texts: ViewerTexts = ENGLISH) -> Chip:
    """Return the chip of a suit. Raise ``KeyError`` for other text."""
    return Chip(suit, SUIT_SIGNS[suit] + TEXT_STYLE, texts.suits[suit], suit)


def is_card(code: str) -> bool:
    return code in _HIGHEST_FIRST


def by_suit(cards: Iterable[Chip]) -> list[Line]:
    """Return cards by suit, highest first, including empty suits, because a void matters."""
    ordered = sorted(cards, key=lambda chip: _HIGHEST_FIRST[chip.code])
    chips_by_suit = {suit: [chip for chip in ordered if chip.suits == suit] for suit in SUITS}
    return [Line(suit_chip(suit).text, chips, "" if chips else "–") for suit, chips in chips_by_suit.items()]


# Games without a scene


def _plain(look: SceneInput) -> PositionScene:
    views = {
        seat: {k: v for k, v in observation.items() if k != "legal"}
        for seat, observation in look.eyes.items()
    }
    first, own = next(iter(views.values())), look.own
    if own is None:
        views = {
            seat: {k: v for k, v in view.items() if k not in COMMON_FIELDS} for seat, view in views.items()
        }
    shared = [k for k, value in first.items() if all(k in v and v[k] == value for v in views.values())]
    facts = [Line(str(name).replace("_", " "), note=value_text(first[name])) for name in shared]
    for seat, view in views.items() if own is None else ():
        note = "; ".join(f"{name} {value_text(value)}" for name, value in view.items() if name not in shared)
        facts.append(Line(look.texts.seat_name(seat), note=note))
    legal = [] if own is None else [str(action) for action in look.observation.get("legal") or ()]
    who = "" if own is None else look.texts.seat_name(own) + look.texts.colon
    chips = [Chip(action, action) for action in legal]
    return PositionScene("plain", f"{who}{first.get('phase')}", own, chips, facts=facts)


def value_text(value: object) -> str:
    if isinstance(value, list):
        return " ".join(value_text(item) for item in value) or "none"
    if isinstance(value, Mapping):
        return " ".join(f"{name}={value_text(item)}" for name, item in value.items()) or "none"
    return value if isinstance(value, str) else json.dumps(value)
