"""A deal of a table continued with other cards: the line of plays in an address, and its positions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from arena.common.errors import Invalid, NotFound, mark_translated
from arena.features.analysis.positions import deal_states
from arena.matches.models import Table
from arena.matches.replays import table_view
from engine.games.kakeya.notation import TRICK_SIZE
from engine.games.kakeya.state import KakeyaState
from viewer.position import PositionError, deal_positions, find_deal, first_position, parse_position
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
            raise Invalid(f"A deal has {MAX_PLAYS} plays.", "illegal_sequence", field="plays")
        return cls(tuple(Tried(part.removesuffix(BEST), part.endswith(BEST)) for part in parts))

    def __str__(self) -> str:
        return SEPARATOR.join(card + (BEST if is_best else "") for card, is_best in self.tried)

    def with_card(self, card: str, *, is_best: bool = False) -> Line:
        return Line((*self.tried, Tried(card, is_best)))

    @property
    def shorter(self) -> Line:
        return Line(self.tried[:-1])


class Game(NamedTuple):
    """The deal as played, up to the position that the line starts from."""

    view: View
    board: int
    deal: ViewDeal
    key: str
    """Position as in the address of the table's page."""
    before_key: str
    """Position one play earlier; empty at the start of the deal."""
    played: tuple[str, ...]

    @property
    def next_card(self) -> str:
        """The card played next in the game; empty after the last."""
        steps = self.deal["steps"]
        return steps[len(self.played)]["a"] if len(self.played) < len(steps) else ""

    def states(self, line: Line) -> tuple[KakeyaState, ...]:
        """Return the states from the first lead on. Raises Invalid ``illegal_sequence``, Conflict."""
        cards = [*self.played, *(tried.card for tried in line.tried)]
        return deal_states(self.view, self.board, self.deal["deal"], None, cards)


def game_of(table: Table, key: str, texts: ViewerTexts) -> Game:
    """Return the deal of an open table at a position; empty text is the start.

    Raises NotFound ``view_not_found``, Invalid for a position that does not exist.
    """
    stored = table_view(table)
    if stored is None:
        raise NotFound("This table has no view.", "view_not_found")
    view: View = json.loads(stored)
    try:
        position = parse_position(key, view) if key else first_position(view)
        board, deal = find_deal(view, position)
    except PositionError as error:
        raise mark_translated(Invalid(error.said(texts), "invalid", field="at")) from None
    stops = deal_positions(board["board"], deal, has_deals=len(board["deals"]) > 1)
    number = min(max(position.at, stops.declared), stops.last)
    plays = number - stops.declared
    return Game(
        view,
        board["board"],
        deal,
        stops.keys[number],
        stops.keys[number - 1] if plays else "",
        tuple(step.get("a", "") for step in deal["steps"][:plays]),
    )


def explored_view(game: Game, states: Sequence[KakeyaState], cards: Sequence[str]) -> tuple[View, ViewDeal]:
    """Return the view with the deal as continued. If a card is to be played, the last entry is any legal one.

    A renderer at the position before it shows which seat plays.
    """
    last = states[-1]
    following = [last.legal(last.to_act[0])[0]] if last.to_act else []
    steps: list[ViewItem] = []
    for index, card in enumerate([*cards, *following]):
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
    deal: ViewDeal = {**game.deal, "steps": steps}
    boards = [
        {**board, "deals": [deal if each["deal"] == deal["deal"] else each for each in board["deals"]]}
        if board["board"] == game.board
        else board
        for board in game.view["boards"]
    ]
    return {**game.view, "boards": boards}, deal  # type: ignore[typeddict-item]
