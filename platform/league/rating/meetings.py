"""Crosstable of the entries in the sets of a rating, from their common boards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from fractions import Fraction
from itertools import permutations

import numpy as np

from league.crosstable import Cell, Pair, PairResult, crosstable_cell
from league.intervals import Moments
from league.rating.fixtures import SetScores


def crosstable_cells(sets: Iterable[SetScores], entries: Collection[str]) -> dict[Pair, Cell]:
    """Return the crosstable of these entries in both directions, without match points, in one pass."""
    number = {name: index for index, name in enumerate(entries)}
    moments: dict[Pair, Moments] = defaultdict(Moments)
    names = list(number)
    for scores in sets:
        numbers = np.array([number.get(name, -1) for name in scores.names], np.int64)[scores.members]
        for later in range(1, numbers.shape[2]):
            # With sides of different sizes, a member may occur on a side several times.
            again = (numbers[:, :, later, None] == numbers[:, :, :later]).any(axis=2)
            numbers[:, :, later][again] = -1
        for side, opponent_side in permutations(range(numbers.shape[1]), 2):
            for own in range(numbers.shape[2]):
                for other in range(numbers.shape[2]):
                    _add_results(
                        moments,
                        names,
                        scores,
                        numbers[:, side, own],
                        numbers[:, opponent_side, other],
                        (side, opponent_side),
                    )
    cells = {pair: crosstable_cell([PairResult(0, moments[pair])]) for pair in sorted(moments)}
    return {pair: cell for pair, cell in cells.items() if cell is not None}


def _add_results(
    moments: dict[Pair, Moments],
    names: list[str],
    scores: SetScores,
    rows: np.ndarray[tuple[int], np.dtype[np.int64]],
    columns: np.ndarray[tuple[int], np.dtype[np.int64]],
    sides: tuple[int, int],
) -> None:
    (met,) = np.nonzero((rows >= 0) & (columns >= 0) & (rows != columns))
    if not met.size:
        return
    gains = scores.scores[met, :, sides[0]] - scores.scores[met, :, sides[1]]
    totals, squares = gains.sum(axis=1), (gains * gains).sum(axis=1)
    parts = 2 * scores.parts
    for row, column, total, square in zip(
        rows[met].tolist(), columns[met].tolist(), totals.tolist(), squares.tolist(), strict=True
    ):
        before = moments[names[row], names[column]]
        moments[names[row], names[column]] = Moments(
            before.boards + scores.boards,
            before.total + Fraction(total, parts),
            before.squares + Fraction(square, parts * parts),
        )
