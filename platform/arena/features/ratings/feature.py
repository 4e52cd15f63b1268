"""Feature descriptor of ratings."""

from __future__ import annotations

from collections.abc import Collection

from arena.common.features import Feature
from arena.competition.models import Tournament
from arena.features.ratings.services import sets_mark_due
from arena.features.ratings.tasks import ratings_due, ratings_request


def _round_closed(tournament: Tournament) -> None:
    ratings_request()


def _results_changed(board_sets: Collection[int]) -> None:
    sets_mark_due(board_sets)
    ratings_request()


RATINGS = Feature(
    name="ratings",
    urls="arena.features.ratings.urls",
    api_urls="arena.features.ratings.api_urls",
    tick=[ratings_due],
    round_closed=_round_closed,
    results_changed=_results_changed,
)
