"""A deal continued with other cards: where it comes from, the line of plays in an address, its positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from analysis.position_errors import LOCATED, MESSAGES, PositionError
from arena.common.errors import Invalid, mark_translated
from arena.features.analysis.positions import deal_states
from arena.matches.models import Table
from engine.games.kakeya.notation import TRICK_SIZE
from engine.games.kakeya.state import KakeyaState
from viewer import position as viewer_position
from viewer.position import deal_positions, find_deal, parse_position
from viewer.shapes import View, ViewDeal, ViewItem
from viewer.texts import ViewerTexts

SEPARATOR, BEST = ".", "~"
MAX_PLAYS = 52


class Tried(NamedTuple):
    card: str
    is_best: bool
    """Chosen by *best play*, not by the reader."""


class Line(NamedTuple):
    """Cards of an address: ``KH.2D~`` is a card of the reader, then one by best play."""

    tried: tuple[Tried, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Line:
        """Raises Invalid ``illegal_sequence`` if there are more cards than in a deal."""
        parts = text.split(SEPARATOR, MAX_PLAYS) if text else []
        if len(parts) > MAX_PLAYS:
            message = _("A deal has %(count)d plays. Remove some.") % {"count": MAX_PLAYS}
            raise mark_translated(Invalid(message, "illegal_sequence", field="plays"))
        return cls(tuple(Tried(part.removesuffix(BEST), part.endswith(BEST)) for part in parts))

    def __str__(self) -> str:
        return SEPARATOR.join(card + (BEST if is_best else "") for card, is_best in self.tried)

    def with_card(self, card: str, *, is_best: bool = False) -> Line:
        return Line((*self.tried, Tried(card, is_best)))

    @property
    def shorter(self) -> Line:
        return Line(self.tried[:-1])


class Source(NamedTuple):
    """Where the deals come from, and the addresses of their pages."""

    view: View
    heading: str
    path: str
    """Path of the explorer."""
    game_path: str = ""
    """Path of the replay; empty for a deal that was pasted."""
    query: Mapping[str, str] = {}
    """Parameters that every address of the explorer has."""
    start: str = ""
    """Position at which the explorer starts; empty: before the first card of the first deal."""
    nav: str = ""
    crumb: tuple[str, str] | None = None
    """Name and address of the parent page."""
    table: Table | None = None
    """Table of a tournament; None for other deals."""

    def address(self, **query: object) -> str:
        given = {name: value for name, value in query.items() if value}
        return f"{self.path}?{urlencode({**self.query, **given})}"


class Game(NamedTuple):
    """A deal as played, up to the position that the line starts from."""

    source: Source
    board: int
    deal: ViewDeal
    key: str
    """Position as in the address of the replay."""
    before_key: str
    """Position one play earlier; empty at the start of the deal."""
    played: tuple[str, ...]
    lead: int | None
    """Seat that leads to the first trick instead of the one that did; None: as in the game."""

    @property
    def next_card(self) -> str:
        """The card played next in the game; empty after the last, and with another leader."""
        steps = self.deal["steps"]
        return steps[len(self.played)]["a"] if self.lead is None and len(self.played) < len(steps) else ""

    @property
    def leaders(self) -> tuple[int, ...]:
        """Seats that may lead to the first trick, if the line starts there and there are several."""
        leaders = self.deal.get("leaders", ())
        return tuple(sorted(leaders)) if not self.played and len(leaders) > 1 else ()

    def address(self, line: Line | None = None, **query: object) -> str:
        return self.source.address(at=self.key, lead=self.lead, plays=str(line or ""), **query)

    def states(self, line: Line) -> tuple[KakeyaState, ...]:
        """Return the states from the first lead on. Raises Invalid ``illegal_sequence``, Conflict."""
        cards = [*self.played, *(tried.card for tried in line.tried)]
        try:
            return deal_states(self.source.view, self.board, self.deal["deal"], self.lead, cards)
        except PositionError as error:
            field = "lead" if error.code == "leader" else "plays"
            raise mark_translated(Invalid(problem_text(error), "illegal_sequence", field=field)) from None


def problem_text(error: PositionError) -> str:
    """Return the message of an error in the reader's language, as a sentence."""
    located = pgettext("position", LOCATED)
    problem = error.message(pgettext("position", MESSAGES[error.code]), located)
    return capfirst(_("%(problem)s.") % {"problem": problem})


def game_of(source: Source, key: str, lead: str, texts: ViewerTexts) -> Game:
    """Return the deal at a position; empty text is the start. With another leader, it is the first lead.

    Raises Invalid for a position or seat that does not exist.
    """
    view = source.view
    try:
        if key := key or source.start:
            position = parse_position(key, view)
        else:
            position = viewer_position.first_position(view)
        board, deal = find_deal(view, position)
    except viewer_position.PositionError as error:
        raise mark_translated(Invalid(error.said(texts), "invalid", field="at")) from None
    stops = deal_positions(board["board"], deal, has_deals=len(board["deals"]) > 1)
    leader = _leader(deal, lead)
    number = stops.declared if leader is not None else min(max(position.at, stops.declared), stops.last)
    plays = number - stops.declared
    return Game(
        source,
        board["board"],
        deal,
        stops.keys[number],
        stops.keys[number - 1] if plays else "",
        tuple(step.get("a", "") for step in deal["steps"][:plays]),
        leader,
    )


def _leader(deal: ViewDeal, lead: str) -> int | None:
    """Return the seat in an address; None: the seat that led in the game, or the first that could."""
    if not lead:
        return None
    steps, leaders = deal["steps"], deal.get("leaders", [])
    if lead not in map(str, leaders):
        message = _("Only these seats can lead to this deal: %(seats)s.") % {
            "seats": ", ".join(map(str, sorted(leaders)))
        }
        raise mark_translated(Invalid(message, "illegal_sequence", field="lead"))
    seat = int(lead)
    return None if seat == (steps[0].get("s") if steps else leaders[0]) else seat


def explored_view(game: Game, states: Sequence[KakeyaState], cards: Sequence[str]) -> tuple[View, ViewDeal]:
    """Return the view with the deal as continued. If a card is to be played, the last entry is any legal one.

    A renderer at the position before it shows which seat plays.
    """
    last = states[-1]
    following = [last.legal(last.to_act[0])[0]] if last.to_act else []
    before = game.deal["before"]
    if game.lead is not None:
        before = [item for item in before if item["k"] != "lead"]
    deal: ViewDeal = {**game.deal, "before": before, "steps": play_steps(states, [*cards, *following])}
    view = game.source.view
    boards = [
        {**board, "deals": [deal if each["deal"] == deal["deal"] else each for each in board["deals"]]}
        if board["board"] == game.board
        else board
        for board in view["boards"]
    ]
    return {**view, "boards": boards}, deal  # type: ignore[typeddict-item]


def play_steps(states: Sequence[KakeyaState], cards: Sequence[str]) -> list[ViewItem]:
    """Return the entries of a view for cards played from these states; the last may lack a state after it."""
    steps: list[ViewItem] = []
    for index, card in enumerate(cards):
        state = states[index]
        after = states[index + 1] if index + 1 < len(states) else None
        number = index % TRICK_SIZE
        is_full = number == TRICK_SIZE - 1 and after is not None
        captured = after.captured if after is not None and is_full else state.captured
        winner = 0 if after is None else after.tricks[-1][2] if is_full else after.strongest
        steps.append(
            {
                "k": "play",
                "s": state.to_act[0],
                "a": card,
                "t": index // TRICK_SIZE + 1,
                "p": number,
                "w": winner,
                "e": [mask.bit_count() for mask in captured],
            }
        )
    return steps
