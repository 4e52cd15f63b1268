"""Board scores of closed board sets, for pages of fixtures and boards."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import NamedTuple

from django.db.models import ExpressionWrapper, F, FloatField

from arena.matches.models import Fixture
from arena.standings.models import BoardScore, FixtureScore


def fixture_board_scores(fixture: Fixture, numbers: Collection[int]) -> dict[int, dict[int, Fraction]]:
    """Return board scores by board and key of the entry; empty while sealed. One query."""
    scores: dict[int, dict[int, Fraction]] = {}
    if fixture.board_set.is_sealed:
        return scores
    rows = BoardScore.objects.filter(fixture=fixture, board__in=list(numbers)).order_by("board", "pk")
    for board, entry, *value in rows.values_list("board", "entry_id", "numerator", "denominator"):
        scores.setdefault(board, {})[entry] = Fraction(*value)
    return scores


class BestBoard(NamedTuple):
    board: int
    entry: int
    """Key of the first entry with the score."""
    value: Fraction
    """Greater than 0."""


def best_board_score(fixture: Fixture) -> BestBoard | None:
    """Return the largest board score of a fixture, of equal ones the first board's. One query.

    None while sealed, or if no board was decided.
    """
    if fixture.board_set.is_sealed:
        return None
    value = ExpressionWrapper(F("numerator") * 1.0 / F("denominator"), output_field=FloatField())
    rows = BoardScore.objects.filter(fixture=fixture, numerator__gt=0)
    best = rows.order_by(value.desc(), "board", "pk").first()
    return None if best is None else BestBoard(best.board, best.entry_id, best.value)


def fixture_totals_of(fixture: Fixture) -> dict[int, Fraction]:
    if fixture.board_set.is_sealed:
        return {}
    return {row.entry_id: row.value for row in FixtureScore.objects.filter(fixture=fixture).order_by("pk")}


def scores_on(fixtures: Iterable[Fixture], number: int) -> dict[tuple[int, int], Fraction]:
    """Return the scores on a closed board by keys of fixture and entry. One query."""
    rows = BoardScore.objects.filter(fixture__in=list(fixtures), board=number).order_by("pk")
    columns = rows.values_list("fixture_id", "entry_id", "numerator", "denominator")
    return {(fixture, entry): Fraction(*value) for fixture, entry, *value in columns}
