"""Who met whom in the sets of a rating, and what they made against each other on the same boards."""

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
    """The crosstable of these entries, by (entry, opponent), both ways round.

    Match points are not counted. Partners do not meet. Costs one pass over the sets they played in.
    """
    number = {name: at for at, name in enumerate(entries)}
    found: dict[Pair, Moments] = defaultdict(Moments)
    names = list(number)
    for one in sets:
        place = np.array([number.get(name, -1) for name in one.names], np.int64)[one.members]
        for later in range(1, place.shape[2]):
            # Where sides have different sizes, a member may stand on a side several times.
            again = (place[:, :, later, None] == place[:, :, :later]).any(axis=2)
            place[:, :, later][again] = -1
        for mine, theirs in permutations(range(place.shape[1]), 2):
            for own in range(place.shape[2]):
                for other in range(place.shape[2]):
                    _add_results(
                        found, names, one, place[:, mine, own], place[:, theirs, other], (mine, theirs)
                    )
    cells = {pair: crosstable_cell([PairResult(0, found[pair])]) for pair in sorted(found)}
    return {pair: cell for pair, cell in cells.items() if cell is not None}


def _add_results(
    found: dict[Pair, Moments],
    names: list[str],
    one: SetScores,
    rows: np.ndarray[tuple[int], np.dtype[np.int64]],
    columns: np.ndarray[tuple[int], np.dtype[np.int64]],
    sides: tuple[int, int],
) -> None:
    (met,) = np.nonzero((rows >= 0) & (columns >= 0) & (rows != columns))
    if not met.size:
        return
    gains = one.scores[met, :, sides[0]] - one.scores[met, :, sides[1]]
    totals, squares = gains.sum(axis=1), (gains * gains).sum(axis=1)
    parts = 2 * one.parts
    for row, column, total, square in zip(
        rows[met].tolist(), columns[met].tolist(), totals.tolist(), squares.tolist(), strict=True
    ):
        before = found[names[row], names[column]]
        found[names[row], names[column]] = Moments(
            before.boards + one.boards,
            before.total + Fraction(total, parts),
            before.squares + Fraction(square, parts * parts),
        )
