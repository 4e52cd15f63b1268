"""Results of tables and board scores one by one, as they are stored compactly."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from arena.competition.models import Entry
from arena.matches.board_results import BoardResult, format_results
from arena.matches.models import Fixture, Table
from arena.standings.models import FixtureScore


class BoardScore(NamedTuple):
    fixture: Fixture
    board: int
    entry: Entry
    value: Fraction


def board_scores(board: int | None = None, **which: Any) -> list[BoardScore]:
    """Board scores by fixture, board and entry; ``which`` filters rows of ``FixtureScore``."""
    rows = FixtureScore.objects.filter(**which).select_related("fixture__board_set", "entry__version__bot")
    scores = [
        BoardScore(row.fixture, number, row.entry, value)
        for row in rows
        for number, value in row.boards.items()
        if board in (None, number)
    ]
    return sorted(scores, key=lambda score: (score.fixture.pk, score.board, score.entry.pk))


def all_results(**which: Any) -> list[tuple[int, BoardResult]]:
    """Key of the table and result, of the tables that ``which`` filters."""
    tables = Table.objects.filter(**which).order_by("pk")
    return [(table.pk, result) for table in tables for result in table.results]


def results_change(table: Table, change: Callable[[BoardResult], BoardResult | None]) -> None:
    """Change or remove stored results."""
    changed = [new for result in table.results if (new := change(result)) is not None]
    Table.objects.filter(pk=table.pk).update(compact_results=format_results(changed))
