"""Who met whom in rated sets: the same as from the fixtures one by one."""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction

import pytest

from league.intervals import mean_interval
from league.rating.fixtures import PlayedFixture, set_scores
from league.rating.meetings import crosstable_cells

SIDES = {
    "two alone": [(("a",), ("b",)), (("c",), ("a",)), (("b",), ("c",)), (("a",), ("d",))],
    "three alone": [(("a",), ("b",), ("c",)), (("d",), ("b",), ("a",))],
    "pairs of strangers": [(("a+", "b+"), ("c+", "d+")), (("a+", "c+"), ("b+", "d+"))],
    "one against strangers": [(("a",), ("b+", "c+")), (("a",), ("d",))],
}


@pytest.mark.parametrize("kind", SIDES)
def test_cells_are_those_of_the_boards_two_shared(kind: str) -> None:
    draw = random.Random(kind)
    expected: dict[tuple[str, str], list[Fraction]] = defaultdict(list)
    sets = []
    for number in range(3):
        fixtures = []
        for place, sides in enumerate(SIDES[kind]):
            rows = []
            for _ in range(6 + number):
                scores = [Fraction(draw.randint(-6, 6), 2) for _ in sides[1:]]
                rows.append([*scores, -sum(scores, Fraction())])
            fixtures.append(PlayedFixture(f"f{number}{place}", sides, rows))
            for mine, own in enumerate(sides):
                for theirs, other in enumerate(sides):
                    for pair in ((a, b) for a in own for b in other if mine != theirs):
                        expected[pair] += [(row[mine] - row[theirs]) / 2 for row in rows]
        sets += set_scores(f"s{number}", fixtures)
    entries = sorted({name for sides in SIDES[kind] for side in sides for name in side} - {"d"})
    cells = crosstable_cells(sets, entries)
    assert set(cells) == {pair for pair in expected if set(pair) <= set(entries)}
    for pair, cell in cells.items():
        interval = mean_interval(expected[pair])
        assert (cell.mean, cell.boards) == (interval.mean, interval.boards)
        assert (cell.low, cell.high) == pytest.approx((interval.low, interval.high))
