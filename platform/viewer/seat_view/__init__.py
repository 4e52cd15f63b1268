"""View of a seat that plays, rendered from an observation and its legal actions alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viewer import cards
from viewer.cards import COURT_ORDER
from viewer.games import deck_of_game, game_part
from viewer.markup import Html, joined
from viewer.position_scene import Observation
from viewer.seat_view.pieces import SeatContext, SeatView, Steps
from viewer.seat_view.texts import seat_view_texts
from viewer.texts import ENGLISH, ViewerTexts

__all__ = ["SeatView", "Steps", "is_drawn", "seat_view_of", "table_symbols"]


def is_drawn(game: str) -> bool:
    """Return whether seats of this game can be rendered."""
    return game_part(game, "SEAT_VIEW") is not None


def seat_view_of(
    observation: Observation,
    *,
    legal: Sequence[str] = (),
    names: Mapping[int, str],
    last: Steps = (),
    texts: ViewerTexts = ENGLISH,
    court: str = COURT_ORDER,
) -> SeatView:
    """Return the parts of a page for a seat.

    ``legal`` is empty while the seat is not to act; ``names`` has the other seats; ``last`` has the actions
    since the previous position.
    """
    context = SeatContext(observation, legal, names, last, texts, seat_view_texts(texts.language), court)
    sitting: SeatView = game_part(str(observation["game"]), "SEAT_VIEW")(context)
    return sitting


def table_symbols(game: str, court: str = COURT_ORDER) -> Html:
    """Return all symbols of a page that follows a table: every card, and the crests."""
    return joined([cards.deck_symbols(deck_of_game(game), court), cards.marks()])
