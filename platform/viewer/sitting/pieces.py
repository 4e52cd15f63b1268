"""What the drawings of all games share: who sits where as one seat sees it, labels, buttons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from viewer import cards
from viewer.cards import COURT_ORDER, Deck
from viewer.markup import Attributes, Html, element
from viewer.position_scene import Look, Observation, Scene, SeatScene, scene_of
from viewer.sitting.words import SittingWords
from viewer.words import Words

Steps = Sequence[tuple[int, str]]
"""Seats with what they did, in order."""


_AREAS = ("", "", "sn", "sbx", "sbnx", "sbcxy", "sbcnxy", "sbcdxyz", "sbcdnxyz")
"""By number of seats: where each sits, from the reader's on."""


class Sitting(NamedTuple):
    """A table as one seat sees it, in parts for a page to place."""

    mat: Html
    status: Html
    """One line: whose turn it is, and what the rules ask for."""
    choices: Html
    """The hand and what may be done, as buttons named ``action`` for a form around them."""
    panels: Html
    """What was before: the last trick, what was said."""
    said: str
    """What happened last, to be spoken."""
    spoken: tuple[str, str, str]
    """The hand, what lies on the table, what may be done, to be read out when asked for."""
    did: str
    """What the reader's own seat did in the last step, in words; empty if it did nothing."""


class Seen(NamedTuple):
    """An observation with all that drawing it needs."""

    observation: Observation
    legal: Sequence[str]
    """Empty while somebody else is to act."""
    names: Mapping[int, str]
    last: Steps
    words: Words
    own_words: SittingWords
    court: str = COURT_ORDER

    @property
    def seat(self) -> int:
        """The reader's."""
        return int(self.observation["seat"])

    @property
    def seats(self) -> int:
        """Places at the table."""
        return int(self.observation["seats"])

    @property
    def scene(self) -> Scene:
        """The position."""
        options = {"court_order": self.court}
        return scene_of(Look({self.seat: self.observation}, words=self.words, options=options))

    @property
    def others(self) -> list[int]:
        """All seats but the reader's, from its right on."""
        return [(self.seat - 1 + step) % self.seats + 1 for step in range(1, self.seats)]

    @property
    def own_last(self) -> str:
        """What the reader's own seat did in the last step; empty if it did nothing."""
        return next((action for seat, action in reversed(self.last) if seat == self.seat), "")

    @property
    def has_pairs(self) -> bool:
        """Whether seats play in pairs."""
        return "partner" in self.observation

    def place(self, seat: int) -> int:
        """Where a seat sits: 1 is the reader's place, 2 the one to the right of it, and so on."""
        return (seat - self.seat) % self.seats + 1

    def area(self, seat: int) -> str:
        """The class that places a seat: ``b``, ``c``, ``d`` at the right from below, ``n`` at the far side,
        ``x``, ``y``, ``z`` at the left from above, ``s`` is the reader's."""
        return f"sit-at-{_AREAS[self.seats][self.place(seat) - 1]}"

    def side(self, seat: int) -> int:
        """The index of a seat's side, which has its crest: partners sit opposite."""
        return (seat - 1) % (self.seats // 2) if self.has_pairs else seat - 1

    def name(self, seat: int) -> str:
        """A seat as sentences have it: several may have bots of one name."""
        if seat == self.seat:
            return self.own_words.you_do
        return self.words.seat_name(seat)

    def label(self, seat: int, roles: Iterable[str], said: Iterable[str] = ()) -> Html:
        """The line above what a seat has on the mat."""
        name = self.own_words.you if seat == self.seat else self.names.get(seat)
        return _label(self.side(seat), seat, name, tuple(roles), tuple(said))

    def card_name(self, code: str, deck: Deck) -> str:
        """A card as it is spoken."""
        return cards.card_name(code, deck, self.words, self.court)

    def listed(self, things: Iterable[str]) -> str:
        """Things one after the other, as they are read out."""
        return self.own_words.between.join(things)

    def spoken_legal(self, things: Sequence[str]) -> str:
        """What may be done, to be read out."""
        return (
            self.own_words.legal.format(cards=self.listed(things)) if things else self.own_words.nothing_legal
        )

    def status(self, first: str, rest: str = "") -> Html:
        """The line that says whose turn it is."""
        parts = [element("b", None, first), *([self.words.after_sentence, rest] if rest else [])]
        return element("p", {"class": "sit-status"}, *parts)

    def waiting(self) -> str:
        """Who is to act, while the reader is not."""
        acting = [seat for seat in self.observation["to_act"] if seat != self.seat]
        own = self.own_words
        return own.waits.format(name=self.name(acting[0])) if len(acting) == 1 else own.wait


def seat_block(seen: Seen, seat: SeatScene, *children: Html, said: Iterable[str] = ()) -> Html:
    """A seat on the mat: its label, and what it has there."""
    attributes = {
        "class": f"mat-seat sit-seat {seen.area(seat.seat)}" + ("" if seat.is_active else " is-resting"),
        "data-seat": seat.seat,
        "data-acting": seat.is_next,
    }
    return element("div", attributes, seen.label(seat.seat, seat.badges, said), *children)


def _broken(name: str) -> list[str]:
    """A name that may go on in a new line after its colon, ``house:greedy``."""
    owner, colon, rest = name.partition(":")
    return [owner + colon, Html("<wbr>"), rest] if colon and rest else [name]


# Typed: a name is text, and never taken for markup that reads the same.
@lru_cache(cards.DRAWINGS, typed=True)
def _label(side: int, seat: int, name: str | None, roles: Sequence[str], said: Sequence[str]) -> Html:
    return element(
        "p",
        {"class": "seat-label"},
        cards.mark(side),
        element("span", {"class": "seat-number"}, str(seat)),
        *([element("b", {"class": "seat-name", "title": name}, *_broken(name))] if name else []),
        *(element("span", {"class": "seat-role"}, role) for role in roles),
        *(element("span", {"class": "seat-act"}, text) for text in said),
    )


def choice(
    action: str, *children: str, kind: str = "button sit-word", attributes: Attributes | None = None
) -> Html:
    """A button that sends an action."""
    fixed = {"class": kind, "name": "action", "value": action, **(attributes or {})}
    return element("button", {"type": "submit", **fixed}, *children)


def panel(title: str, kind: str, *children: str) -> Html:
    """A box beside the mat."""
    return element("section", {"class": f"replay-panel {kind}"}, element("h2", None, title), *children)


def said_rows(seen: Seen, rows: Iterable[tuple[int, str]]) -> Html:
    """What seats said, a line each."""
    lines = [
        element(
            "li",
            None,
            element("span", None, cards.mark(seen.side(seat)), " ", seen.words.seat_name(seat)),
            " ",
            element("span", None, text),
        )
        for seat, text in rows
    ]
    return element("ul", {"class": "replay-result"}, *lines)
