"""Crosstable: mean board scores of each entry against each other on the boards of their fixtures.

On a board with more than two sides this is half the difference of the two scores. Partners are not compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Literal, NamedTuple

from league.intervals import Moments
from league.scoring import FixtureOutcome, Scores, duel_points

Pair = tuple[str, str]
"""An entry and its opponent."""
Mark = Literal["", "*", "**"]
"""Whether zero lies outside the interval: no, at 95 %, at 99 %."""

MIN_BOARDS = 8
"""Minimum boards for a mark: with fewer, no result is significant at 99 % by the sign test."""


class Cell(NamedTuple):
    mean: float
    """Stones per board, from the view of the entry of the row."""
    boards: int
    low: float
    """95 % interval of the mean (Student's t over boards); infinite for a single board."""
    high: float
    mark: Mark
    match_points: int
    """Match points won against this opponent."""


class Crosstable(NamedTuple):
    """Cells by (entry, opponent) in both directions; pairs that did not meet have none."""

    entries: tuple[str, ...]
    cells: Mapping[Pair, Cell]


class PairResult(NamedTuple):
    """Contribution of one fixture to the cell of an entry against another."""

    match_points: int
    scores: Moments


def pair_results(
    outcome: FixtureOutcome, boards: Scores, draw_margin: Fraction | int = 0
) -> dict[Pair, PairResult]:
    """Return a fixture's contributions by (entry, opponent) in both directions."""
    totals = outcome.totals
    if outcome.is_void or totals is None:
        return {}
    results = {}
    for first, second in combinations(outcome.sides, 2):
        # All members of a side have the same score.
        own, other = first[0], second[0]
        scores = Moments().with_scores((by_entry[own] - by_entry[other]) / 2 for by_entry in boards.values())
        points = duel_points(totals[own], totals[other], draw_margin)
        opponent_points = duel_points(totals[other], totals[own], draw_margin)
        results.update(dict.fromkeys(product(first, second), PairResult(points, scores)))
        # The opposite direction is exactly the same with the other sign.
        mirrored = scores._replace(total=-scores.total)
        results.update(dict.fromkeys(product(second, first), PairResult(opponent_points, mirrored)))
    return results


def crosstable_cell(meetings: Sequence[PairResult]) -> Cell | None:
    """Return the cell of all results of a pair, with its mark; None if they shared no board."""
    scores = Moments(
        sum(meeting.scores.boards for meeting in meetings),
        sum((meeting.scores.total for meeting in meetings), Fraction()),
        sum((meeting.scores.squares for meeting in meetings), Fraction()),
    )
    if not scores.boards:
        return None
    wide = scores.interval()
    mark: Mark = ""
    if wide.boards >= MIN_BOARDS and wide.is_clear_of_zero:
        mark = "**" if scores.interval(0.99).is_clear_of_zero else "*"
    match_points = sum(meeting.match_points for meeting in meetings)
    return Cell(wide.mean, wide.boards, wide.low, wide.high, mark, match_points)
