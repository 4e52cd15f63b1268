"""What ratings give to the core."""

from __future__ import annotations

from collections.abc import Collection

from arena.common.features import Feature
from arena.competition.models import Tournament
from arena.ratings.services import sets_changed
from arena.ratings.tasks import ratings_due, ratings_publish


def _round_closed(tournament: Tournament) -> None:
    ratings_publish()


def _results_changed(board_sets: Collection[int]) -> None:
    sets_changed(board_sets)
    ratings_publish()


RATINGS = Feature(
    name="ratings", tick=[ratings_due], round_closed=_round_closed, results_changed=_results_changed
)
