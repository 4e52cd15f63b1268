"""Board scores of closed board sets, for pages of fixtures and boards."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import NamedTuple

from arena.matches.models import Fixture
from arena.standings.board_values import value_on
from arena.standings.models import FixtureScore


def fixture_board_scores(fixture: Fixture, numbers: Collection[int]) -> dict[int, dict[int, Fraction]]:
    """Return board scores by board and key of the entry; empty while sealed. One query."""
    scores: dict[int, dict[int, Fraction]] = {}
    if fixture.board_set.is_sealed:
        return scores
    rows = list(FixtureScore.objects.filter(fixture=fixture).order_by("pk"))
    for number in sorted(numbers):
        by_entry = {row.entry_id: value_on(row.board_values, number) for row in rows}
        if known := {entry: value for entry, value in by_entry.items() if value is not None}:
            scores[number] = known
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
    scores = [
        (value, -board, -position, row.entry_id)
        for position, row in enumerate(FixtureScore.objects.filter(fixture=fixture).order_by("pk"))
        for board, value in row.boards.items()
        if value > 0
    ]
    if not scores:
        return None
    value, board, _, entry = max(scores)
    return BestBoard(-board, entry, value)


def fixture_totals_of(fixture: Fixture) -> dict[int, Fraction]:
    if fixture.board_set.is_sealed:
        return {}
    return {row.entry_id: row.value for row in FixtureScore.objects.filter(fixture=fixture).order_by("pk")}


def scores_on(fixtures: Iterable[Fixture], number: int) -> dict[tuple[int, int], Fraction]:
    """Return the scores on a closed board by keys of fixture and entry. One query."""
    rows = FixtureScore.objects.filter(fixture__in=list(fixtures)).order_by("pk")
    columns = rows.values_list("fixture_id", "entry_id", "board_values")
    return {
        (fixture, entry): value
        for fixture, entry, text in columns
        if (value := value_on(text, number)) is not None
    }
