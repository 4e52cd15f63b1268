"""Shared parts of the seat views of all games: seating from one seat's view, labels, buttons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from viewer import cards
from viewer.cards import COURT_ORDER, Deck
from viewer.markup import Attributes, Html, element
from viewer.position_scene import Observation, PositionScene, SceneInput, SeatScene, scene_of
from viewer.scene import Reader
from viewer.seat_view.texts import SeatViewTexts
from viewer.texts import ViewerTexts

Steps = Sequence[tuple[int, str]]


_RIGHT, _FAR_RIGHT, _ACROSS, _FAR_LEFT, _LEFT = "right", "far_right", "across", "far_left", "left"
_MIDDLE_RIGHT, _MIDDLE_LEFT = "middle_right", "middle_left"
_PLACES: Mapping[int, Sequence[str]] = {
    2: ("opponent",),
    3: (_RIGHT, _LEFT),
    4: (_RIGHT, _ACROSS, _LEFT),
    5: (_RIGHT, _FAR_RIGHT, _FAR_LEFT, _LEFT),
    6: (_RIGHT, _FAR_RIGHT, _ACROSS, _FAR_LEFT, _LEFT),
    7: (_RIGHT, _MIDDLE_RIGHT, _FAR_RIGHT, _FAR_LEFT, _MIDDLE_LEFT, _LEFT),
    8: (_RIGHT, _MIDDLE_RIGHT, _FAR_RIGHT, _ACROSS, _FAR_LEFT, _MIDDLE_LEFT, _LEFT),
}
"""Places of the other seats from the reader's right on, by number of seats."""
_AREAS = ("", "", "sn", "sbx", "sbnx", "sbcxy", "sbcnxy", "sbcdxyz", "sbcdnxyz")
"""Areas of the seats from the reader's on, by number of seats."""


class SeatView(NamedTuple):
    """View of a seat, in parts for a page to place."""

    mat: Html
    status: Html
    """One line: the seat to act and the obligation of the rules."""
    choices: Html
    """The hand and the legal actions, as buttons named ``action`` for a form around them."""
    panels: Html
    """Previous events: the last trick, the declarations."""
    said: str
    spoken: tuple[str, str, str]
    """The hand, the table and the legal actions, read aloud on request."""
    did: str
    """The own action in the last step, as text; empty if there was none."""
    choice_names: Mapping[str, str] = {}
    """Legal actions as text."""


class SeatContext(NamedTuple):
    """An observation with all data for rendering."""

    observation: Observation
    legal: Sequence[str]
    names: Mapping[int, str]
    last: Steps
    texts: ViewerTexts
    own_texts: SeatViewTexts
    court: str = COURT_ORDER

    @property
    def seat(self) -> int:
        return int(self.observation["seat"])

    @property
    def seats(self) -> int:
        return int(self.observation["seats"])

    @property
    def scene(self) -> PositionScene:
        options = {"court_order": self.court}
        return scene_of(SceneInput({self.seat: self.observation}, texts=self.texts, options=options))

    @property
    def others(self) -> list[int]:
        """All seats but the reader's, from its right on."""
        return [(self.seat - 1 + step) % self.seats + 1 for step in range(1, self.seats)]

    @property
    def own_last(self) -> str:
        return next((action for seat, action in reversed(self.last) if seat == self.seat), "")

    @property
    def has_pairs(self) -> bool:
        return "partner" in self.observation

    def place(self, seat: int) -> int:
        """Return the relative position of a seat: 1 is the reader, 2 the seat to the right, and so on."""
        return (seat - self.seat) % self.seats + 1

    def area(self, seat: int) -> str:
        """Return the CSS class of a seat: ``b``, ``c``, ``d`` on the right from below, ``n`` on the far side,
        ``x``, ``y``, ``z`` on the left from above, ``s`` for the reader.
        """
        return f"play-at-{_AREAS[self.seats][self.place(seat) - 1]}"

    def side(self, seat: int) -> int:
        return (seat - 1) % (self.seats // 2) if self.has_pairs else seat - 1

    def name(self, seat: int) -> str:
        """Return the name of a seat as seen by the reader: ``you``, ``partner``, ``left``."""
        return seat_name(seat, self.seat, self.seats, self.observation.get("partner"), self.own_texts)

    def first_name(self, seat: int) -> str:
        name = self.name(seat)
        return name[:1].upper() + name[1:]

    def label(self, seat: int, roles: Iterable[str], bubbles: Iterable[str] = ()) -> Html:
        if seat == self.seat:
            return _label(self.side(seat), "", self.own_texts.you, tuple(roles), tuple(bubbles))
        return _label(self.side(seat), self.name(seat), self.names.get(seat), tuple(roles), tuple(bubbles))

    def card_name(self, code: str, deck: Deck) -> str:
        return cards.card_name(code, deck, self.texts, self.court)

    def listed(self, things: Iterable[str]) -> str:
        """Join items for reading aloud."""
        return self.own_texts.between.join(things)

    def spoken_legal(self, things: Sequence[str]) -> str:
        return (
            self.own_texts.legal.format(cards=self.listed(things)) if things else self.own_texts.nothing_legal
        )

    def status(self, first: str, remainder: str = "", reason: str = "") -> Html:
        """Return the line above the hand; ``reason`` explains the choice below it."""
        parts = [element("b", None, first), *([self.texts.after_sentence, remainder] if remainder else [])]
        return element(
            "p", {"class": "play-status"}, *parts, *([element("small", None, reason)] if reason else [])
        )

    def waiting(self) -> str:
        acting = [seat for seat in self.observation["to_act"] if seat != self.seat]
        own = self.own_texts
        return own.waits.format(name=self.first_name(acting[0])) if len(acting) == 1 else own.wait


def seat_name(seat: int, reader: int, seats: int, partner: int | None, texts: SeatViewTexts) -> str:
    """Return the name of a seat as seen by a reader at the same table.

    >>> from viewer.seat_view.texts import ENGLISH
    >>> [seat_name(seat, 2, 4, 4, ENGLISH) for seat in (1, 2, 3, 4)]
    ['left', 'you', 'right', 'partner']
    """
    key = _place(seat, reader, seats, partner)
    return texts.you if key == "you" else texts.places[key]


def reader_of(seat: int, seats: int, partner: int | None, texts: SeatViewTexts) -> Reader:
    """Return the person at a seat, who calls the seats by their places.

    >>> from viewer.seat_view.texts import ENGLISH
    >>> reader_of(2, 4, 4, ENGLISH).names
    {1: 'the left opponent', 2: 'you', 3: 'the right opponent', 4: 'your partner'}
    """
    keys = {other: _place(other, seat, seats, partner) for other in range(1, seats + 1)}
    return Reader(seat, {other: texts.places_in_sentence[key] for other, key in keys.items()})


def _place(seat: int, reader: int, seats: int, partner: int | None) -> str:
    if seat == reader:
        return "you"
    return "partner" if seat == partner else _PLACES[seats][(seat - reader) % seats - 1]


def seat_block(context: SeatContext, seat: SeatScene, *children: Html, bubbles: Iterable[str] = ()) -> Html:
    attributes = {
        "class": f"mat-seat play-seat {context.area(seat.seat)}" + ("" if seat.is_active else " is-resting"),
        "data-seat": seat.seat,
        "data-acting": seat.is_next,
    }
    # The place of the seat names the partner already.
    badges = [badge for badge in seat.badges if badge != context.texts.labels["partner"]]
    return element("div", attributes, context.label(seat.seat, badges, bubbles), *children)


def _breakable_name(name: str) -> list[str]:
    """Return a name that may wrap after its colon, ``house:greedy``."""
    owner, colon, remainder = name.partition(":")
    return [owner + colon, Html("<wbr>"), remainder] if colon and remainder else [name]


# Typed, so that text is never confused with equal markup.
@lru_cache(cards.CACHE_SIZE, typed=True)
def _label(side: int, position: str, name: str | None, roles: Sequence[str], bubbles: Sequence[str]) -> Html:
    return element(
        "p",
        {"class": "seat-label"},
        cards.mark(side),
        *([element("span", {"class": "seat-place"}, position)] if position else []),
        *([element("b", {"class": "seat-name", "title": name}, *_breakable_name(name))] if name else []),
        *(element("span", {"class": "seat-role"}, role) for role in roles),
        *(element("span", {"class": "seat-act"}, text) for text in bubbles),
    )


def choice(
    action: str, *children: str, kind: str = "button play-action", attributes: Attributes | None = None
) -> Html:
    fixed = {"class": kind, "name": "action", "value": action, **(attributes or {})}
    return element("button", {"type": "submit", **fixed}, *children)


def panel(title: str, kind: str, *children: str) -> Html:
    return element("section", {"class": f"replay-panel {kind}"}, element("h2", None, title), *children)


def action_rows(context: SeatContext, rows: Iterable[tuple[int, str]]) -> Html:
    lines = [
        element(
            "li",
            None,
            element("span", None, cards.mark(context.side(seat)), " ", context.name(seat)),
            " ",
            element("span", None, text),
        )
        for seat, text in rows
    ]
    return element("ul", {"class": "replay-result"}, *lines)
