"""Everybody against everybody: mean board scores with how sure they are.

A cell holds what one entry made against another on the boards of the fixtures they met in. On a board
of more than two sides that is half the difference of their two scores, which with two sides is the
score itself. Partners do not meet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Literal, NamedTuple

from league.intervals import Moments
from league.scoring import FixtureOutcome, Scores, duel_points

Mark = Literal["", "*", "**"]
"""Whether zero lies outside the interval: not, at 95 %, at 99 %."""

FEWEST_BOARDS = 8
"""Boards a mark needs. Fewer show nothing at 99 % even if all of them went one way: the sign test gives
2 x (1/2)^8 = 0.8 % for eight."""


class Cell(NamedTuple):
    """One entry against another."""

    mean: float
    """Stones a board, from the side of the entry of the row."""
    boards: int
    low: float
    """95 % interval of the mean (Student's t over boards); infinite for a single board."""
    high: float
    mark: Mark
    match_points: int
    """Won against this opponent."""


class Crosstable(NamedTuple):
    """Cells by (entry, opponent), both ways round; pairs that did not meet have none."""

    entries: tuple[str, ...]
    """In the order asked for: the standings'."""
    cells: Mapping[tuple[str, str], Cell]


def crosstable(
    entries: Sequence[str],
    fixtures: Iterable[tuple[FixtureOutcome, Scores]],
    draw_margin: Fraction | int = 0,
) -> Crosstable:
    """The cells of all who met, from the fixtures that count with their board scores.

    Void fixtures, byes and those still being played give nothing. Cost: linear in boards.
    """
    seen: dict[tuple[str, str], Moments] = {}
    points: Counter[tuple[str, str]] = Counter()
    for outcome, boards in fixtures:
        totals = outcome.totals
        if outcome.is_void or totals is None:
            continue
        for mine, theirs in permutations(outcome.sides, 2):
            # Every member of a side has the side's score.
            won = duel_points(totals[mine[0]], totals[theirs[0]], draw_margin)
            halves = [(by_entry[mine[0]] - by_entry[theirs[0]]) / 2 for by_entry in boards.values()]
            for pair in product(mine, theirs):
                points[pair] += won
                seen[pair] = seen.get(pair, Moments()).plus(halves)
    return Crosstable(
        tuple(entries), {pair: _cell(seen[pair], points[pair]) for pair in sorted(seen) if seen[pair].boards}
    )


def _cell(seen: Moments, match_points: int) -> Cell:
    """One cell; the mark by the two intervals."""
    wide = seen.interval()
    mark: Mark = ""
    if wide.boards >= FEWEST_BOARDS and wide.is_clear_of_zero:
        mark = "**" if seen.interval(0.99).is_clear_of_zero else "*"
    return Cell(wide.mean, wide.boards, wide.low, wide.high, mark, match_points)
