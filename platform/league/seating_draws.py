"""Results of a stage as they might have been without duplicate boards: each board played from one seating.

Each draw chooses one table of every board of every fixture at random, and averages the stones that the
entries won there. Draws show the effect of the choice of seats for the boards as dealt. ``variance_ratio``
also counts the effect of the deals: it compares the variance of an entry's average between samples of boards,

    sum over fixtures of (boards * s^2 + sum over boards of v) / n^2   with one seating per board,
    sum over fixtures of  boards * s^2                         / n^2   with duplicate boards,

each summed over the entries. s^2 is the variance of the board scores of a fixture, v the variance of the
stones over the tables of a board, and n the number of boards of the entry.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from league.luck import EVEN_TOLERANCE, MIN_BOARDS, MIN_UNEVEN_BOARDS, FixtureStones

DRAWS = 100


class EntryDraws(NamedTuple):
    entry: str
    boards: int
    """Boards of all its fixtures."""
    mean: float
    """Average board score, in stones."""
    draws: tuple[float, ...]
    """Average stones per board in each draw."""


class SeatingDraws(NamedTuple):
    entries: tuple[EntryDraws, ...]
    """Best average board score first."""
    other_best: int
    """Draws in which no entry with the best average board score has the best average."""
    variance_ratio: float | None
    """None with too few boards (``league.luck``)."""

    @property
    def draws(self) -> int:
        return len(self.entries[0].draws)


def draw_seatings(
    fixtures: Iterable[tuple[FixtureStones, Sequence[Sequence[str]]]], seed: str, draws: int = DRAWS
) -> SeatingDraws | None:
    """Return the draws of these fixtures, given with the entries of each side; None without fixtures.

    The result depends on the seed and not on the order of the fixtures. Fixtures with a forfeit or ruling are
    left out by the caller.
    """
    boards: dict[str, int] = defaultdict(int)
    totals: dict[str, float] = defaultdict(float)
    drawn: dict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros(draws))
    duplicate: dict[str, list[float]] = defaultdict(list)
    seating: dict[str, list[float]] = defaultdict(list)
    uneven: dict[str, NDArray[np.bool_]] = {}
    for fixture, sides in fixtures:
        stones = np.array(fixture.stones, dtype=np.float64)  # boards x tables x sides
        count = len(stones)
        scores = stones.mean(axis=1)
        chosen = stones[np.arange(count), _choices(seed, fixture, stones.shape[1], draws)]
        sums = chosen.sum(axis=1)  # draws x sides
        is_uneven = (abs(scores - scores.mean(axis=0)) > EVEN_TOLERANCE).any(axis=1)
        uneven[fixture.board_set] = uneven.get(fixture.board_set, False) | is_uneven
        for side, entries in enumerate(sides):
            for entry in entries:
                boards[entry] += count
                totals[entry] += scores[:, side].sum()
                drawn[entry] += sums[:, side]
                if count > 1:
                    duplicate[entry].append(count * scores[:, side].var(ddof=1))
                    seating[entry].append(stones[:, :, side].var(axis=1).sum())
    if not boards:
        return None
    averages = [
        EntryDraws(entry, n, totals[entry] / n, tuple((drawn[entry] / n).tolist()))
        for entry, n in boards.items()
    ]
    averages.sort(key=lambda row: (-row.mean, row.entry))
    enough = (
        sum(map(len, uneven.values())) >= MIN_BOARDS
        and sum(int(row.sum()) for row in uneven.values()) >= MIN_UNEVEN_BOARDS
    )
    ratio = _ratio(boards, duplicate, seating) if enough else None
    return SeatingDraws(tuple(averages), _other_best(averages, draws), ratio)


def _choices(seed: str, fixture: FixtureStones, tables: int, draws: int) -> NDArray[Any]:
    """Return a table for each draw and board. From a hash, so that no release of numpy changes them."""
    count = len(fixture.stones)
    stream = hashlib.shake_256(f"{seed}|{fixture.fixture}".encode()).digest(4 * draws * count)
    return (np.frombuffer(stream, dtype="<u4") % tables).reshape(draws, count)


def _other_best(rows: Sequence[EntryDraws], draws: int) -> int:
    means = np.array([row.draws for row in rows])
    is_first = np.array([math.isclose(row.mean, rows[0].mean, abs_tol=EVEN_TOLERANCE) for row in rows])
    return draws - int((means[is_first].max(axis=0) >= means.max(axis=0) - EVEN_TOLERANCE).sum())


def _ratio(
    boards: dict[str, int], duplicate: dict[str, list[float]], seating: dict[str, list[float]]
) -> float | None:
    dealt = math.fsum(value / boards[entry] ** 2 for entry in duplicate for value in duplicate[entry])
    seated = math.fsum(value / boards[entry] ** 2 for entry in seating for value in seating[entry])
    return (dealt + seated) / dealt if dealt > EVEN_TOLERANCE else None
