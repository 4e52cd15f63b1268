"""Luck factor: how much card luck duplicate play removed from an event, from its own tables.

On every board of a fixture the sides change places until each has held every hand. The board score is the
mean over these tables. With independent cards at each table, its variance would be the sum of the variances
of the tables, divided by the square of their number; with the same cards it is smaller. The factor is the
first variance divided by the second: how many times more boards play without duplicates would have needed.

    factor = sum over fixtures, sides of  sum over tables SS(x) / m^2  :  SS(mean over tables of x)

with SS(x) the sum of squares over the boards of a fixture about their mean. Each table has its own mean,
since the mean of a role is not luck. Fixtures count by their boards, their sides equally.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from league.errors import ScoresError
from league.intervals import t_quantile

MIN_BOARDS = 32
"""Minimum different boards for a factor."""
MIN_UNEVEN_BOARDS = 12
"""Minimum boards that were not even, since the second variance depends on these alone."""
MIN_BOARDS_PER_SET = 4
"""Minimum boards of a set for an estimate of the variance within the set."""
CONFIDENCE = 0.95
EVEN_TOLERANCE = 1e-9
"""Maximum variance of an even board, in stones squared."""


class FixtureStones(NamedTuple):
    """Results of one fixture without a forfeit or ruling."""

    fixture: str
    board_set: str
    """Public id. All fixtures of a set play the same boards."""
    stones: Sequence[Sequence[Sequence[int]]]
    """Boards x tables x sides, in the order of the set: stones won, summing to 0 over the sides."""


class Luck(NamedTuple):
    """The factor of an event."""

    factor: float
    """Variance with independent cards at every table, divided by the actual variance."""
    low: float
    high: float
    spread: float
    """Standard deviation of a board score within its fixture, in stones."""
    spread_without: float
    """Estimated standard deviation without duplicate play, in stones."""
    fixtures: int
    boards: int
    """Number of different boards."""


class TooFewBoards(NamedTuple):
    """Result of an event without enough boards for a factor."""

    boards: int
    fewest_boards: int
    uneven: int
    """Boards on which at least one score differed from the mean of the fixture."""
    fewest_uneven: int


class BoardLuck(NamedTuple):
    """Contribution of one board to both variances, in stones squared, over the fixtures that played it."""

    without: float = 0.0
    """Variance with independent cards at every table."""
    duplicate: float = 0.0
    """Variance as played."""


class SetLuck(NamedTuple):
    """Contributions of the fixtures of one board set."""

    fixtures: int
    degrees: int
    """Degrees of freedom, over fixtures and sides."""
    boards: tuple[BoardLuck, ...]
    """Contributions by board; empty if no fixture contributes."""


def set_luck(fixtures: Iterable[FixtureStones]) -> SetLuck:
    """Return the contributions of these fixtures of one board set, independent of their order, in one pass.

    Fixtures of a single board are skipped; the caller leaves out fixtures with a forfeit or ruling. Raise
    ``ScoresError`` for boards with different tables or sides, fewer than two tables, different boards than
    another fixture, or stones that do not sum to zero.
    """
    given = sorted(
        (fixture for fixture in fixtures if len(fixture.stones) > 1), key=lambda fixture: fixture.fixture
    )
    rows: list[BoardLuck] = []
    degrees = 0
    for fixture in given:
        tables, sides = _shape(fixture)
        k = len(fixture.stones)
        rows = rows or [BoardLuck()] * k
        if len(rows) != k:
            raise ScoresError(f"board set {fixture.board_set}: {k} boards and {len(rows)}")
        degrees += (k - 1) * sides
        for side in range(sides):
            by_table = [[row[table][side] for row in fixture.stones] for table in range(tables)]
            sums = [sum(values) for values in by_table]
            for index in range(k):
                # Distances from the means, multiplied by k to be whole numbers.
                off = [k * values[index] - total for values, total in zip(by_table, sums, strict=True)]
                without, duplicate = rows[index]
                rows[index] = BoardLuck(
                    without + sum(value * value for value in off) / (k * tables) ** 2,
                    duplicate + (sum(off) / (k * tables)) ** 2,
                )
    return SetLuck(len(given), degrees, tuple(rows))


def luck_of_sets(sets: Iterable[SetLuck]) -> Luck | TooFewBoards:
    """Return the factor of an event from its board sets, independent of their order."""
    counted = [contribution for contribution in sets if contribution.boards]
    boards = [row for contribution in counted for row in contribution.boards]
    uneven = sum(1 for row in boards if row.duplicate > EVEN_TOLERANCE)
    if len(boards) < MIN_BOARDS or uneven < MIN_UNEVEN_BOARDS:
        return TooFewBoards(len(boards), MIN_BOARDS, uneven, MIN_UNEVEN_BOARDS)
    without = math.fsum(row.without for row in boards)
    duplicate = math.fsum(row.duplicate for row in boards)
    degrees = sum(contribution.degrees for contribution in counted)
    error = _log_error([contribution.boards for contribution in counted], without, duplicate)
    reach = math.exp(t_quantile((1 + CONFIDENCE) / 2, len(boards) - len(counted)) * error)
    factor = without / duplicate
    return Luck(
        factor,
        factor / reach,
        factor * reach,
        math.sqrt(duplicate / degrees),
        math.sqrt(without / degrees),
        sum(contribution.fixtures for contribution in counted),
        len(boards),
    )


def luck_of_fixtures(fixtures: Iterable[FixtureStones]) -> Luck | TooFewBoards:
    """Return the factor of these fixtures by ``set_luck`` and ``luck_of_sets``."""
    by_set: dict[str, list[FixtureStones]] = defaultdict(list)
    for fixture in fixtures:
        by_set[fixture.board_set].append(fixture)
    return luck_of_sets(set_luck(given) for given in by_set.values())


def _shape(fixture: FixtureStones) -> tuple[int, int]:
    tables, sides = len(fixture.stones[0]), len(fixture.stones[0][0]) if fixture.stones[0] else 0
    for number, row in enumerate(fixture.stones, 1):
        where = f"fixture {fixture.fixture}, board {number}"
        if len(row) != tables or tables < 2 or any(len(table) != sides for table in row):
            raise ScoresError(f"{where}: every board needs the same two tables or more, with the same sides")
        if any(sum(table) for table in row):
            raise ScoresError(f"{where}: the stones of a table do not sum to zero")
    return tables, sides


def _log_error(sets: Iterable[Sequence[BoardLuck]], without: float, duplicate: float) -> float:
    """Return the standard error of the factor's logarithm: a ratio of sums over boards, clustered by board.

    The boards of a set are compared with their own mean. Distances from a mean of few boards underestimate
    the spread; k/(k-2) corrects it. Smaller sets are compared with each other as wholes.
    """
    squares: list[float] = []
    small: list[float] = []
    for rows in sets:
        k = len(rows)
        pull = [row.without / without - row.duplicate / duplicate for row in rows]
        if k < MIN_BOARDS_PER_SET:
            small.append(math.fsum(pull))
            continue
        mean = math.fsum(pull) / k
        squares += [k / (k - 2) * (value - mean) ** 2 for value in pull]
    if small:
        mean = math.fsum(small) / len(small) if len(small) > 1 else 0.0
        scale = len(small) / max(1, len(small) - 1)
        squares += [scale * (value - mean) ** 2 for value in small]
    return math.sqrt(math.fsum(squares))
