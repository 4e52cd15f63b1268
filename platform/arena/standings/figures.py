"""Statistics of each board over the fixtures of a round, rebuilt from board scores and never edited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

from django.db import transaction

from arena.matches.models import BoardSet
from arena.standings.board_values import value_parts
from arena.standings.luck import luck_mark_due
from arena.standings.models import BoardFigures, FixtureScore

ROWS_AT_ONCE = 5000
BATCH_SIZE = 1000


class BoardTotals:
    def __init__(self) -> None:
        self.best = Fraction(-1)
        self.fixture = self.entry = 0
        self.fixtures: set[int] = set()
        self.sizes: dict[int, int] = defaultdict(int)
        """Sums of absolute numerators by denominator."""
        self.scores = 0

    def add(self, fixture: int, entry: int, numerator: int, denominator: int) -> None:
        # Compare integers: creating a fraction for every score of a large round takes seconds.
        if numerator * self.best.denominator > self.best.numerator * denominator:
            self.best, self.fixture, self.entry = Fraction(numerator, denominator), fixture, entry
        self.fixtures.add(fixture)
        self.sizes[denominator] += abs(numerator)
        self.scores += 1

    @property
    def mean(self) -> Fraction:
        return sum((Fraction(size, of) for of, size in self.sizes.items()), Fraction()) / self.scores


@transaction.atomic
def figures_build(board_sets: Iterable[BoardSet]) -> None:
    """Rebuild the figures of these board sets from their board scores. Three queries per set, and inserts."""
    board_sets = list(board_sets)
    luck_mark_due(board_sets)
    for board_set in board_sets:
        boards: dict[int, BoardTotals] = defaultdict(BoardTotals)
        rows = FixtureScore.objects.filter(fixture__board_set=board_set).order_by("fixture__number", "pk")
        columns = ("fixture_id", "entry_id", "board_values")
        for fixture, entry, text in rows.values_list(*columns).iterator(ROWS_AT_ONCE):
            for board, *value in value_parts(text):
                boards[board].add(fixture, entry, *value)
        BoardFigures.objects.filter(board_set=board_set).delete()
        BoardFigures.objects.bulk_create(
            [
                BoardFigures(
                    tournament_id=board_set.round.stage.tournament_id,
                    board_set=board_set,
                    board=number,
                    fixtures=len(board.fixtures),
                    best_fixture_id=board.fixture,
                    best_entry_id=board.entry,
                    best_numerator=board.best.numerator,
                    best_denominator=board.best.denominator,
                    mean_numerator=board.mean.numerator,
                    mean_denominator=board.mean.denominator,
                    swing=float(board.best),
                    spread=float(board.mean),
                )
                for number, board in sorted(boards.items())
            ],
            batch_size=BATCH_SIZE,
        )
