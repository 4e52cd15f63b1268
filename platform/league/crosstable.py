"""Everybody against everybody: mean board scores with how sure they are.

A cell holds what one entry made against another on the boards of the fixtures they met in. On a board
of more than two sides that is half the difference of their two scores, which with two sides is the
score itself. Partners do not meet.
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
"""Whether zero lies outside the interval: not, at 95 %, at 99 %."""

MIN_BOARDS = 8
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
    cells: Mapping[Pair, Cell]


class PairResult(NamedTuple):
    """What one fixture adds to the cell of an entry against another."""

    match_points: int
    scores: Moments


def pair_results(
    outcome: FixtureOutcome, boards: Scores, draw_margin: Fraction | int = 0
) -> dict[Pair, PairResult]:
    """What a fixture with these board scores adds, by (entry, opponent), both ways round."""
    totals = outcome.totals
    if outcome.is_void or totals is None:
        return {}
    found = {}
    for mine, theirs in combinations(outcome.sides, 2):
        # Every member of a side has the side's score.
        own, other = mine[0], theirs[0]
        scores = Moments().with_scores((by_entry[own] - by_entry[other]) / 2 for by_entry in boards.values())
        won = duel_points(totals[own], totals[other], draw_margin)
        lost = duel_points(totals[other], totals[own], draw_margin)
        found.update(dict.fromkeys(product(mine, theirs), PairResult(won, scores)))
        # The other way round it is the same with the other sign, exactly.
        mirrored = scores._replace(total=-scores.total)
        found.update(dict.fromkeys(product(theirs, mine), PairResult(lost, mirrored)))
    return found


def crosstable_cell(meetings: Sequence[PairResult]) -> Cell | None:
    """The cell of all meetings of two; the mark by its two intervals. None if they shared no board."""
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
