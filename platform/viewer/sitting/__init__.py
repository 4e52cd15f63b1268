"""View of a seat that plays, rendered from an observation and its legal actions alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viewer import cards
from viewer.cards import COURT_ORDER
from viewer.games import deck_of_game, game_part
from viewer.markup import Html, joined
from viewer.position_scene import Observation
from viewer.sitting.pieces import SeatContext, Sitting, Steps
from viewer.sitting.words import sitting_texts
from viewer.words import ENGLISH, Words

__all__ = ["Sitting", "Steps", "is_drawn", "sitting_of", "table_symbols"]


def is_drawn(game: str) -> bool:
    """Return whether seats of this game can be rendered."""
    return game_part(game, "SITTING") is not None


def sitting_of(
    observation: Observation,
    *,
    legal: Sequence[str] = (),
    names: Mapping[int, str],
    last: Steps = (),
    words: Words = ENGLISH,
    court: str = COURT_ORDER,
) -> Sitting:
    """Return the parts of a page for a seat.

    ``legal`` is empty while the seat is not to act; ``names`` has the other seats; ``last`` has the actions
    since the previous position.
    """
    context = SeatContext(observation, legal, names, last, words, sitting_texts(words.language), court)
    sitting: Sitting = game_part(str(observation["game"]), "SITTING")(context)
    return sitting


def table_symbols(game: str, court: str = COURT_ORDER) -> Html:
    """Return all symbols of a page that follows a table: every card, and the crests."""
    return joined([cards.deck_symbols(deck_of_game(game), court), cards.marks()])
