"""One deal at one position, with all data for rendering."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from analysis.shapes import DealNotes
from viewer import cards
from viewer.cards import COURT_ORDER, Deck
from viewer.markup import Attributes, Html, element
from viewer.mat import dealt_hands, deck_of, hand_box, render_hand, seat_roles
from viewer.moment import ReplayMoment
from viewer.position import DealPositions
from viewer.shapes import View, ViewBoard, ViewDeal, ViewItem
from viewer.solver_notes import declarations_cost, is_unlucky, step_cost, values_after
from viewer.texts import NO_TEXTS, ViewerTexts, loss_text, milliseconds


class Name(NamedTuple):
    text: str
    href: str | None = None


class PositionLinks(NamedTuple):
    """Addresses of positions: ``?at=`` on the site, ``#`` in a separate file."""

    in_file: bool = False

    def to(self, key: str, seat: int | None = None, retry: str = "") -> str:
        """Return the address of a position, from the view of a seat, or of its retry (``Retry``)."""
        if self.in_file:
            return f"#{key}"
        return f"?at={key}" + (f"&seat={seat}" if seat else "") + (f"&retry={retry}" if retry else "")


class Retry(NamedTuple):
    """A costly play shown as a question, at the position before it."""

    position: int
    """Position after the play."""
    chosen: str = ""
    """The reader's card; empty before the answer."""


class CostlyKeys(NamedTuple):
    """Keys of costly positions."""

    before: str | None = None
    """The last one of an earlier deal."""
    here: tuple[str, ...] = ()
    after: str | None = None
    """The first one of a later deal."""


class PositionState(NamedTuple):
    """Data of a position for the script."""

    key: str
    acting: int
    wins: int
    x: float
    """Position of the playhead, in percent of the river's width."""
    said: str
    title: str
    cost: float = 0
    cost_said: str = ""
    """Sentence about the cost; left out for a reader with one hand, because it reveals another."""


class Reader(NamedTuple):
    """The person who held a seat, for texts in the second person."""

    seat: int
    names: Mapping[int, str]
    """All seats as part of a sentence: "you", "your partner"."""


class FieldPlay(NamedTuple):
    """A card that other tables played in a position."""

    card: str
    tables: int
    """Number of these tables."""
    href: str
    """The play in the replay of one of them."""


class Scene(NamedTuple):
    """One deal at one position."""

    view: View
    board: ViewBoard
    deal: ViewDeal
    stops: DealPositions
    moment: ReplayMoment
    texts: ViewerTexts
    names: Mapping[int, Name]
    links: PositionLinks
    notes: DealNotes | None
    fault_hrefs: Mapping[int, str] = {}
    """Address of the fault by index of the step for which the referee played."""
    marks: Mapping[int, int] = {}
    """Crest by seat; default: by index of the side."""
    costly: CostlyKeys = CostlyKeys()
    retry: Retry | None = None
    outlined: frozenset[int] = frozenset()
    """Indexes of outlined steps; declarations, which precede the steps, have negative indexes."""
    reader: Reader | None = None
    field: Sequence[Sequence[FieldPlay]] = ()
    """By step: plays of other tables in the same position, most tables first; empty if they are unknown."""

    def outline(self, step: int) -> str:
        """Return the class of a step or declaration that is outlined, with a space before it; else empty."""
        return " is-different" if step in self.outlined else ""

    @property
    def deck(self) -> Deck:
        return deck_of(self.deal)

    @property
    def court(self) -> str:
        return str(self.view.get("options", {}).get("court_order", COURT_ORDER))

    @property
    def items(self) -> list[ViewItem]:
        return self.deal["steps"]

    def step_at(self, position: int) -> int:
        """Return the index of the step before a position."""
        return position - self.stops.position(0)

    def step(self, position: int) -> ViewItem:
        return self.items[self.step_at(position)]

    def acting(self, position: int) -> int:
        following = self.items[max(position - self.stops.position(0) + 1, 0) :]
        return next((item["s"] for item in following if "s" in item), 0)

    @property
    def known_from(self) -> int:
        """First position at which seats have seen their cards, after any swaps."""
        return int(any(item["k"] == "fuwaru" for item in self.deal["before"]))

    @property
    def side(self) -> Mapping[int, int]:
        return cards.side_by_seat(self.view["sides"])

    def crest_index(self, seat: int) -> int:
        return self.marks.get(seat, self.side[seat])

    def mark(self, seat: int) -> Html:
        return cards.mark(self.crest_index(seat))

    @property
    def playing_sides(self) -> list[int]:
        resting = self.deal.get("resting", [])
        return [index for index, seats in enumerate(self.view["sides"]) if not set(seats) & set(resting)]

    @property
    def first_side(self) -> str:
        """The first playing side, as part of a sentence."""
        seats = self.view["sides"][self.playing_sides[0]]
        if self.reader is not None:
            return self.texts.between_seats.join(self.reader.names[seat] for seat in seats)
        name = self.texts.side_name(seats)
        return name[:1].lower() + name[1:]

    def about(self, pattern: str, seat: int, **fields: object) -> str:
        """Fill in the name of a seat, as the reader calls it."""
        names = self.reader.names if self.reader else NO_TEXTS
        return self.texts.about_seat(pattern, seat, names, **fields)

    def own_forms(self, seat: int) -> Mapping[str, str]:
        """Return the forms in the second person for the reader's seat; empty for others."""
        return self.texts.second_person if self.reader is not None and self.reader.seat == seat else {}

    def declaration(self, item: ViewItem) -> str:
        """Return a declaration as a sentence."""
        text = declaration_text(item, self.texts, self.own_forms(item["s"]))
        return self.about(self.texts.sentence, item["s"], said=text)

    def sign(self, seat: int) -> int:
        """Return 1 for a seat of the first playing side, else -1."""
        return 1 if seat in self.view["sides"][self.playing_sides[0]] else -1

    @property
    def values(self) -> list[int | None]:
        """Double-dummy value by position, in stones to the first playing side; None if it is not solved."""
        if self.notes is None or self.deck != "french":
            return [None] * len(self.stops.keys)
        signs = [self.sign(item["s"]) for item in self.items]
        return [*[None] * self.stops.declared, *values_after(self.notes, signs)]

    def card(self, code: str, attributes: Attributes | None = None) -> Html:
        return cards.card(code, self.deck, texts=self.texts, court=self.court, attributes=attributes)

    def hand(self, seat: int, played: Mapping[str, int]) -> Html:
        moment, last, known = self.moment, self.deal["hands"].get(str(seat), []), self.known_from
        box = {"data-hand": seat, "data-known": known or None}
        if moment.hides(seat) or (moment.seat is not None and moment.at < known):
            count = sum(moment.is_now(0, played.get(code)) for code in last)
            return hand_box(self.deck, box, cards.card_backs(count, self.deck, self.texts, places=len(last)))
        dealt = dealt_hands(self.deal).get(str(seat), [])
        faces = [self._hand_card(code, 0 if dealt == last else 1, played.get(code)) for code in last]
        if dealt == last:
            return render_hand(last, faces, self.deck, box)
        swap = {"class": "hand-swapped"}
        before = [self._hand_card(code, 0, 1) for code in dealt]
        return hand_box(
            self.deck,
            box,
            moment.timed("span", swap, *before, until=1),
            moment.timed("span", swap, *faces, first=1),
        )

    def _hand_card(self, code: str, first: int, until: int | None) -> Html:
        # A played card keeps its place, so that the other cards do not move; played cards are public.
        is_gone = not self.moment.is_now(first, until)
        return self.card(code, {**self.moment.span(first, until), **({"class": "gone"} if is_gone else {})})

    def changes(self, changes: Sequence[tuple[int, str]]) -> list[Html]:
        """Return texts that each are visible from their position to the next one's."""
        ends = [position for position, _ in changes[1:]]
        return [
            self.moment.timed("b", None, text, first=position, until=until)
            for (position, text), until in zip_longest(changes, ends)
        ]

    def link(self, position: int, attributes: Attributes, *children: str) -> Html:
        href = self.links.to(self.stops.keys[position], self.moment.seat)
        return element("a", {**attributes, "href": href, "data-go": position}, *children)

    def play(self, name: str, kind: str, text: str, *marks: Html, first: int, last: int) -> Html:
        """Return the step at ``first`` as a link to ``last``; ``marks`` follow the referee's mark."""
        item = self.step(first)
        attributes = {"class": kind + (" is-substituted" if "verdict" in item else "")}
        link = self.link(last, {"title": milliseconds(item["us"]) if "us" in item else None}, text)
        marks = (*self.verdict_mark(first - self.stops.position(0)), *marks)
        return self.moment.staged(name, attributes, link, *marks, first=first, last=last)

    def label(self, seat: int, bubbles: Sequence[Html] = ()) -> Html:
        """Return the line above a seat's hand, with its declarations and ``bubbles``."""
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
                for role in seat_roles(self.deal, seat, self.texts)
            ),
            *(
                self.moment.timed(
                    "span",
                    {"class": "seat-declaration" + self.outline(index)},
                    declaration_text(item, self.texts),
                    first=1,
                    until=2,
                )
                for index, item in enumerate(self.deal["before"], start=-len(self.deal["before"]))
                if item.get("s") == seat
            ),
            *bubbles,
        )

    def side_label(self, seats: Sequence[int]) -> str:
        texts = list(dict.fromkeys(self.names[seat].text for seat in seats if seat in self.names))
        return " + ".join(texts) if texts else self.texts.side_name(seats)

    def verdict_mark(self, step: int) -> list[Html]:
        """Return the mark of a step for which the referee played; empty for others."""
        item = self.items[step]
        if "verdict" not in item:
            return []
        reason = self.texts.referee.format(verdict=self.texts.verdict(item["verdict"]))
        attributes = {"class": "play-verdict", "title": reason, "data-verdict": item["verdict"]}
        if step not in self.fault_hrefs:
            return [element("abbr", attributes, "!")]
        link = element("a", {"href": self.fault_hrefs[step], "aria-label": reason}, "!")
        return [element("span", attributes, link)]

    def cost_marks(self, steps: Iterable[int]) -> list[Html]:
        """Return the cost of these steps as a mark; empty without one, and for a reader with one hand."""
        costly = [step for step in steps if step_cost(self.notes, step)]
        if not costly or self.moment.seat is not None:
            return []
        cost = sum(step_cost(self.notes, step) for step in costly)
        is_luck = all(is_unlucky(self.notes, step) for step in costly)
        mark = self.texts.unlucky_mark if is_luck else self.texts.cost_mark
        kind = "play-cost is-unlucky" if is_luck else "play-cost"
        return [element("span", {"class": kind}, mark.format(count=loss_text(cost)))]

    def cost_legend(self) -> list[Html]:
        """Return the legend of such marks, if the deal has notes."""
        if self.notes is None or self.moment.seat is not None:
            return []
        texts = self.texts
        marks = [("play-cost", texts.cost_mark, texts.legend_plays)]
        if any(note.get("kind") == "unlucky" for note in self.notes["steps"].values()):
            marks.append(("play-cost is-unlucky", texts.unlucky_mark, texts.legend_unlucky))
        return [
            element(
                "span",
                None,
                texts.comma,
                element("span", {"class": kind}, mark.format(count=1)),
                " ",
                legend,
            )
            for kind, mark, legend in marks
        ]

    def verdict_legend(self) -> list[Html]:
        """Return the legend of such marks, if the deal, or for one seat the deal so far, has one."""
        marked = [self.stops.position(index) for index, item in enumerate(self.items) if "verdict" in item]
        if not marked or (self.moment.seat is not None and self.moment.at < marked[0]):
            return []
        mark = element("span", {"class": "play-verdict"}, "!")
        return [element("span", None, self.texts.comma, mark, " ", self.texts.legend_referee)]


def first_states(scene: Scene, dealt: str = "", declared_x: float = 0.0) -> list[PositionState]:
    """Return the positions before the first card; ``dealt`` is spoken after the start of the deal."""
    texts, keys = scene.texts, scene.stops.keys
    states = [
        PositionState(keys[0], 0, 0, 0.0, texts.sentences(texts.start + texts.full_stop, dealt), texts.start)
    ]
    if scene.stops.declared:
        text = declarations_text(scene, scene.deal["before"]) or texts.declared + texts.full_stop
        cost = declarations_cost(scene.notes)
        costs = texts.counted(texts.declarations_cost, cost) if cost else ""
        states.append(PositionState(keys[1], 0, 0, declared_x, text, texts.declared, cost, costs))
    return states


def declaration_text(item: ViewItem, texts: ViewerTexts, own_forms: Mapping[str, str] = NO_TEXTS) -> str:
    """Return the declaration of a seat, as after its name; ``own_forms`` replace texts."""
    kind, answer = item["k"], item.get("a")
    key = kind if answer is None else f"{kind} {answer}"
    if key in texts.said:
        return own_forms.get(key, texts.said[key])
    if kind == "trump" and answer is not None and answer in texts.suits:
        return own_forms.get(kind, texts.proposes).format(suit=texts.suits[answer])
    return str(answer or kind)


def declarations_text(scene: Scene, before: Sequence[ViewItem]) -> str:
    """Return declarations before the first card, as sentences."""
    texts = scene.texts
    declarations = [item for item in before if "s" in item]
    return texts.sentences(
        *(texts.sentences(scene.declaration(item), substitution_text(item, texts)) for item in declarations)
    )


def substitution_text(item: ViewItem, texts: ViewerTexts) -> str:
    """Return that the referee played, with the reason; empty if it did not."""
    return texts.referee.format(verdict=texts.verdict(item["verdict"])) if "verdict" in item else ""


def plays_table(scene: Scene, kind: str, seats: Sequence[int], rows: Sequence[Html]) -> Html:
    """Return a table of plays: a column for the numbers of the rows, then one for each seat."""
    head = [element("td", None), *(_column_head(scene, seat) for seat in seats)]
    return element(
        "table",
        {"class": kind},
        element("thead", None, element("tr", None, *head)),
        element("tbody", None, *rows),
    )


def _column_head(scene: Scene, seat: int) -> Html:
    name = scene.names.get(seat)
    title = scene.texts.seat_name(seat) + (f"{scene.texts.colon}{name.text}" if name else "")
    return element("th", {"scope": "col", "title": title}, scene.mark(seat), str(seat))
