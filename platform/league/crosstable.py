"""Everybody against everybody: mean board scores with how sure they are.

A cell holds what one entry made against another on the boards of the fixtures they met in. On a board
of more than two sides that is half the difference of their two scores, which with two sides is the
score itself. Partners do not meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from league.intervals import mean_interval
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
    scores: dict[tuple[str, str], list[Fraction]] = {}
    points: dict[tuple[str, str], int] = {}
    for outcome, boards in fixtures:
        totals = outcome.totals
        if outcome.is_void or totals is None:
            continue
        for mine in outcome.sides:
            for theirs in outcome.sides:
                if mine == theirs:
                    continue
                for entry in mine:
                    for other in theirs:
                        pair = (entry, other)
                        points[pair] = points.get(pair, 0) + duel_points(
                            totals[entry], totals[other], draw_margin
                        )
                        scores.setdefault(pair, []).extend(
                            (by_entry[entry] - by_entry[other]) / 2 for by_entry in boards.values()
                        )
    return Crosstable(
        tuple(entries), {pair: _cell(scores[pair], points[pair]) for pair in sorted(points) if scores[pair]}
    )


def _cell(scores: Sequence[Fraction], match_points: int) -> Cell:
    """One cell; the mark by the two intervals."""
    wide = mean_interval(scores)
    mark: Mark = ""
    if wide.boards >= FEWEST_BOARDS and wide.is_clear_of_zero:
        mark = "**" if mean_interval(scores, 0.99).is_clear_of_zero else "*"
    return Cell(wide.mean, wide.boards, wide.low, wide.high, mark, match_points)
