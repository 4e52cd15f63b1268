"""A table as one seat sees it while it plays, drawn from nothing but an observation and what is legal.

What is not in the observation cannot be drawn: no other hand ever reaches the page of somebody who sits at a
table. The reader's own seat is always nearest, the others go round from its right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viewer import cards
from viewer.cards import COURT_ORDER
from viewer.games import deck_of_game, drawing_of
from viewer.markup import Html, joined
from viewer.position_scene import Observation
from viewer.sitting.pieces import Seen, Sitting, Steps
from viewer.sitting.words import sitting_words
from viewer.words import ENGLISH, Words

__all__ = ["Sitting", "Steps", "is_drawn", "sitting_of", "table_symbols"]


def is_drawn(game: str) -> bool:
    """Whether a seat of the game with this key can be drawn."""
    return drawing_of(game, "SITTING") is not None


def sitting_of(
    observation: Observation,
    *,
    legal: Sequence[str] = (),
    names: Mapping[int, str],
    last: Steps = (),
    words: Words = ENGLISH,
    court: str = COURT_ORDER,
) -> Sitting:
    """The parts of a page for a seat.

    ``legal`` is empty while the seat is not to act; ``names`` are those of the other seats; ``last`` is what
    happened since the position shown before.
    """
    seen = Seen(observation, legal, names, last, words, sitting_words(words.language), court)
    sitting: Sitting = drawing_of(str(observation["game"]), "SITTING")(seen)
    return sitting


def table_symbols(game: str, court: str = COURT_ORDER) -> Html:
    """All symbols of a page that follows a table: of every card, whoever holds it, and of the crests.

    With komatsufuda come the French cards, for readers who want those.
    """
    return joined([cards.deck_symbols(deck_of_game(game), court), cards.marks()])
