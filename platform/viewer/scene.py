"""One deal at one position, with all that drawing it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from viewer import cards
from viewer.cards import COURT_ORDER, Deck
from viewer.markup import Attributes, Html, element
from viewer.mat import dealt_hands, deck_of, hand_box, hand_of, roles_of
from viewer.moment import Moment
from viewer.position import Stops
from viewer.shapes import BoardNotes, View, ViewBoard, ViewDeal, ViewItem
from viewer.words import Words, milliseconds


class Name(NamedTuple):
    """Who sits in a seat."""

    text: str
    href: str | None = None


class Links(NamedTuple):
    """How positions are addressed: on the site as ``?at=``, in a file of its own as ``#``."""

    in_file: bool = False

    def to(self, key: str, seat: int | None = None) -> str:
        """The address of a position, as seen by a seat."""
        if self.in_file:
            return f"#{key}"
        return f"?at={key}" + (f"&seat={seat}" if seat else "")


class State(NamedTuple):
    """What the script needs to know about a position besides its elements."""

    key: str
    acting: int
    """The seat to act; 0 at the end."""
    wins: int
    """The seat that wins the trick so far, or 0."""
    x: float
    """Of the playhead, percent of the river's width."""
    said: str
    """The sentence that is spoken."""
    title: str
    """Of the position."""
    cost: int = 0
    """Stones."""
    cost_said: str = ""
    """A sentence about these. It tells what was in a hand, so nobody who sees one hand hears it."""


class Scene(NamedTuple):
    """One deal at one position."""

    view: View
    board: ViewBoard
    deal: ViewDeal
    stops: Stops
    moment: Moment
    words: Words
    names: Mapping[int, Name]
    links: Links
    notes: BoardNotes | None
    fault_hrefs: Mapping[int, str] = {}
    """By index of the step for which the referee played: where that fault is explained."""
    marks: Mapping[int, int] = {}
    """By seat: which crest its side has; without any, that of the side's index."""

    @property
    def deck(self) -> Deck:
        """Which cards are drawn."""
        return deck_of(self.deal)

    @property
    def court(self) -> str:
        """The order of the court cards of Kakkuri."""
        return str(self.view.get("options", {}).get("court_order", COURT_ORDER))

    @property
    def items(self) -> list[ViewItem]:
        """What was played."""
        return self.deal["steps"]

    def step(self, position: int) -> ViewItem:
        """What was played last at a position."""
        return self.items[position - self.stops.position(0)]

    def acting(self, at: int) -> int:
        """The seat to act at a position; 0 at the end."""
        following = self.items[max(at - self.stops.position(0) + 1, 0) :]
        return next((item["s"] for item in following if "s" in item), 0)

    @property
    def known_from(self) -> int:
        """The first position at which seats have looked at their cards: after any swaps."""
        return int(any(item["k"] == "fuwaru" for item in self.deal["before"]))

    @property
    def side(self) -> Mapping[int, int]:
        """The index of each seat's side."""
        return cards.side_of(self.view["sides"])

    def mark_of(self, seat: int) -> int:
        """Which crest the side of a seat has, counted from 0."""
        return self.marks.get(seat, self.side[seat])

    def mark(self, seat: int) -> Html:
        """The crest of the side of a seat."""
        return cards.mark(self.mark_of(seat))

    @property
    def playing_sides(self) -> list[int]:
        """The indices of the sides that do not rest in this deal."""
        resting = self.deal.get("resting", [])
        return [at for at, seats in enumerate(self.view["sides"]) if not set(seats) & set(resting)]

    def card(self, code: str, attributes: Attributes | None = None) -> Html:
        """A drawn card."""
        return cards.card(code, self.deck, words=self.words, court=self.court, attributes=attributes)

    def hand(self, seat: int, played: Mapping[str, int]) -> Html:
        """The hand of a seat; ``played``: the position at which a card leaves it."""
        moment, last, known = self.moment, self.deal["hands"].get(str(seat), []), self.known_from
        box = {"data-hand": seat, "data-known": known or None}
        if moment.hides(seat) or (moment.seat is not None and moment.at < known):
            held = sum(moment.is_now(0, played.get(code)) for code in last)
            return hand_box(self.deck, box, cards.backs(held, self.deck, self.words, places=len(last)))
        dealt = dealt_hands(self.deal).get(str(seat), [])
        shown = [self._held(code, 0 if dealt == last else 1, played.get(code)) for code in last]
        if dealt == last:
            return hand_of(last, shown, self.deck, box)
        swap = {"class": "hand-swapped"}
        before = [self._held(code, 0, 1) for code in dealt]
        return hand_box(
            self.deck,
            box,
            moment.timed("span", swap, *before, until=1),
            moment.timed("span", swap, *shown, first=1),
        )

    def _held(self, code: str, first: int, until: int | None) -> Html:
        # A card that was played keeps its place, so that no other card of the hand moves; it is no secret.
        is_gone = not self.moment.is_now(first, until)
        return self.card(
            code, {"data-in": first or None, "data-out": until, **({"class": "gone"} if is_gone else {})}
        )

    def changes(self, changes: Sequence[tuple[int, str]]) -> list[Html]:
        """Texts of which each stands from its position to that of the next."""
        ends = [position for position, _ in changes[1:]]
        return [
            self.moment.timed("b", None, text, first=position, until=until)
            for (position, text), until in zip_longest(changes, ends)
        ]

    def link(self, position: int, attributes: Attributes, *children: str) -> Html:
        """A link to another position of the deal."""
        href = self.links.to(self.stops.keys[position], self.moment.seat)
        return element("a", {**attributes, "href": href, "data-go": position}, *children)

    def play(self, name: str, kind: str, text: str, *marks: Html, first: int, last: int) -> Html:
        """The step at ``first`` in a list of plays, as a link to ``last``; ``marks`` follow the referee's."""
        item = self.step(first)
        attributes = {"class": kind + (" is-substituted" if "verdict" in item else "")}
        link = self.link(last, {"title": milliseconds(item["us"]) if "us" in item else None}, text)
        marks = (*self.verdict_mark(first - self.stops.position(0)), *marks)
        return self.moment.staged(name, attributes, link, *marks, first=first, last=last)

    def label(self, seat: int, said: Sequence[Html] = ()) -> Html:
        """The line above a seat's hand, with what it says: before the first card, and ``said``."""
        name = self.names.get(seat)
        named = []
        if name is not None:
            inner = (
                element("a", {"href": name.href}, name.text)
                if name.href
                else Html(element("span", None, name.text))
            )
            named.append(element("b", {"class": "seat-name", "title": name.text}, inner))
        return element(
            "p",
            {"class": "seat-label"},
            self.mark(seat),
            element("span", {"class": "seat-number"}, str(seat)),
            *named,
            *(
                element("span", {"class": "seat-role"}, role)
                for role in roles_of(self.deal, seat, self.words)
            ),
            *(
                self.moment.timed("span", {"class": "seat-said"}, said_by(item, self.words), first=1, until=2)
                for item in self.deal["before"]
                if item.get("s") == seat
            ),
            *said,
        )

    def side_label(self, seats: Sequence[int]) -> str:
        """The name of a side: its bot's if one plays all its seats, else each seat's."""
        texts = list(dict.fromkeys(self.names[seat].text for seat in seats if seat in self.names))
        return " + ".join(texts) if texts else self.words.side_name(seats)

    def verdict_mark(self, step: int) -> list[Html]:
        """The mark of a step for which the referee played; nothing for others."""
        item = self.items[step]
        if "verdict" not in item:
            return []
        reason = self.words.referee.format(verdict=self.words.verdict(item["verdict"]))
        attributes = {"class": "play-verdict", "title": reason, "data-verdict": item["verdict"]}
        if step not in self.fault_hrefs:
            return [element("abbr", attributes, "!")]
        link = element("a", {"href": self.fault_hrefs[step], "aria-label": reason}, "!")
        return [element("span", attributes, link)]

    def verdict_legend(self) -> list[Html]:
        """What such a mark means, if the deal has one; to a seat, if it has one so far."""
        marked = [self.stops.position(at) for at, item in enumerate(self.items) if "verdict" in item]
        if not marked or (self.moment.seat is not None and self.moment.at < marked[0]):
            return []
        mark = element("span", {"class": "play-verdict"}, "!")
        return [element("span", None, self.words.comma, mark, " ", self.words.legend_referee)]


def first_states(scene: Scene, dealt: str = "", declared_x: float = 0.0) -> list[State]:
    """The positions before the first card; ``dealt`` is said after the start of the deal."""
    words, keys = scene.words, scene.stops.keys
    states = [State(keys[0], 0, 0, 0.0, words.sentences(words.start + words.full_stop, dealt), words.start)]
    if scene.stops.declared:
        said = before_said(scene.deal, words) or words.declared + words.full_stop
        states.append(State(keys[1], 0, 0, declared_x, said, words.declared))
    return states


def said_by(item: ViewItem, words: Words) -> str:
    """What a seat said before the first card."""
    kind, answer = item["k"], item.get("a")
    known = words.said.get(kind if answer is None else f"{kind} {answer}")
    if known is not None:
        return known
    if kind == "trump" and answer is not None and answer in words.suits:
        return words.proposes.format(suit=words.suits[answer])
    return str(answer or kind)


def before_said(deal: ViewDeal, words: Words) -> str:
    """All that was said before the first card, as sentences."""
    said = [item for item in deal["before"] if "s" in item]
    return words.sentences(
        *(
            words.sentences(
                words.sentence.format(seat=item["s"], said=said_by(item, words)), substituted(item, words)
            )
            for item in said
        )
    )


def substituted(item: ViewItem, words: Words) -> str:
    """That the referee played, and why; empty if it did not."""
    return words.referee.format(verdict=words.verdict(item["verdict"])) if "verdict" in item else ""


def plays_table(scene: Scene, kind: str, seats: Sequence[int], rows: Sequence[Html]) -> Html:
    """A table of plays: a column for each seat, after one for the numbers of the rows."""
    head = [element("td", None), *(_column_head(scene, seat) for seat in seats)]
    return element(
        "table",
        {"class": kind},
        element("thead", None, element("tr", None, *head)),
        element("tbody", None, *rows),
    )


def _column_head(scene: Scene, seat: int) -> Html:
    """The head of a seat's column in a table of plays."""
    name = scene.names.get(seat)
    title = scene.words.seat_name(seat) + (f"{scene.words.colon}{name.text}" if name else "")
    return element("th", {"scope": "col", "title": title}, scene.mark(seat), str(seat))
