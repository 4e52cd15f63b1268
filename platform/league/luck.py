"""How much of the luck of the cards duplicate play took out of an event, from its own tables.

On every board of a fixture the sides change places until each has held every hand, and the board score is the
mean over these tables. Had each table been dealt cards of its own, that mean would vary by the sum of the
variances of the single tables, by the square of their number; with the same cards it varies less. The factor
is the first variance by the second, so it is also how many times as many boards an event without duplicate
play would have needed for results as sure as these:

    factor = sum over fixtures, sides of  sum over tables SS(x) / m^2  :  SS(mean over tables of x)

with SS(x) the sum of squares over the boards of a fixture about their mean: each table has a mean of its own,
since that of a role is no luck. Fixtures count by their boards, their sides alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from league.errors import ScoresError
from league.intervals import t_quantile

FEWEST_BOARDS = 32
"""No factor from fewer different boards."""
FEWEST_UNEVEN = 12
"""And none while fewer of them were worth something to somebody: where both sides mostly play alike, the rare
other boards are all that the second variance is made of."""
FEWEST_OF_A_SET = 4
"""Sets of fewer boards say nothing of how their own boards vary."""
CONFIDENCE = 0.95


class FixtureStones(NamedTuple):
    """What was played in one fixture without a forfeit or ruling."""

    fixture: str
    """Public id."""
    board_set: str
    """Public id. The boards of a set are dealt to all its fixtures."""
    stones: Sequence[Sequence[Sequence[int]]]
    """Boards x tables x sides, boards in the order of the set: as won at each table, 0 over its sides."""


class Luck(NamedTuple):
    """The factor of an event."""

    factor: float
    """Variance with cards of their own at every table, by the variance there was; above 1 it helped."""
    low: float
    high: float
    """95 % interval, over boards."""
    spread: float
    """Standard deviation of a board score within its fixture, in stones."""
    spread_without: float
    """What it would have been without duplicate play."""
    fixtures: int
    boards: int
    """Different ones."""


class TooFew(NamedTuple):
    """No factor can be told yet."""

    boards: int
    fewest_boards: int
    uneven: int
    """Boards on which somebody's score was not the fixture's mean."""
    fewest_uneven: int


class _Board(NamedTuple):
    """What a board adds to both variances, in stones squared."""

    without: float = 0.0
    duplicate: float = 0.0

    def plus(self, without: float, duplicate: float) -> _Board:
        return _Board(self.without + without, self.duplicate + duplicate)


def luck_of(fixtures: Iterable[FixtureStones]) -> Luck | TooFew:
    """The factor of these fixtures; the same whatever their order. Costs one pass over the tables.

    Fixtures of a single board say nothing about variance and are left out; so must be, by the caller, those
    with a forfeit or ruling.

    Raises:
        ScoresError: boards with different tables or sides, fewer tables than two, or stones that do not
            sum to zero.
    """
    given = sorted((one for one in fixtures if len(one.stones) > 1), key=lambda one: one.fixture)
    boards: dict[str, list[_Board]] = {}
    without = duplicate = Fraction()
    degrees = 0
    for one in given:
        tables, sides = _shape(one)
        k = len(one.stones)
        rows = boards.setdefault(one.board_set, [_Board()] * k)
        if len(rows) != k:
            raise ScoresError(f"board set {one.board_set}: {k} boards and {len(rows)}")
        degrees += (k - 1) * sides
        for side in range(sides):
            by_table = [[row[table][side] for row in one.stones] for table in range(tables)]
            summed = [sum(values) for values in zip(*by_table, strict=True)]
            without += Fraction(sum(map(_squares, by_table)), k * tables**2)
            duplicate += Fraction(_squares(summed), k * tables**2)
            means = [sum(values) / k for values in by_table]
            for at in range(k):
                off = [values[at] - mean for values, mean in zip(by_table, means, strict=True)]
                rows[at] = rows[at].plus(
                    sum(value * value for value in off) / tables**2, (sum(off) / tables) ** 2
                )
    count = sum(map(len, boards.values()))
    uneven = sum(1 for rows in boards.values() for row in rows if row.duplicate > 1e-9)
    if count < FEWEST_BOARDS or uneven < FEWEST_UNEVEN:
        return TooFew(count, FEWEST_BOARDS, uneven, FEWEST_UNEVEN)
    factor = float(without / duplicate)
    error = _log_error(boards, float(without), float(duplicate))
    reach = math.exp(t_quantile((1 + CONFIDENCE) / 2, count - len(boards)) * error)
    return Luck(
        factor,
        factor / reach,
        factor * reach,
        math.sqrt(duplicate / degrees),
        math.sqrt(without / degrees),
        len(given),
        count,
    )


def _shape(one: FixtureStones) -> tuple[int, int]:
    """Tables and sides of every board."""
    tables, sides = len(one.stones[0]), len(one.stones[0][0]) if one.stones[0] else 0
    for number, row in enumerate(one.stones, 1):
        where = f"fixture {one.fixture}, board {number}"
        if len(row) != tables or tables < 2 or any(len(table) != sides for table in row):
            raise ScoresError(f"{where}: every board needs the same two tables or more, with the same sides")
        if any(sum(table) for table in row):
            raise ScoresError(f"{where}: the stones of a table do not sum to zero")
    return tables, sides


def _squares(values: Sequence[int]) -> int:
    """So many times their number as is the sum of squares about the mean."""
    return len(values) * sum(value * value for value in values) - sum(values) ** 2


def _log_error(boards: dict[str, list[_Board]], without: float, duplicate: float) -> float:
    """Standard error of the factor's logarithm: of a ratio of sums over boards, clustered by board.

    Which fixtures there were is given, so that a set's boards are compared with their own mean. Distances
    from a mean of few boards hide a part of their spread: for normal scores k/(k-2) puts it right. Sets too
    small for that are compared with each other as a whole.
    """
    squares: list[float] = []
    small: list[float] = []
    for rows in boards.values():
        k = len(rows)
        pull = [row.without / without - row.duplicate / duplicate for row in rows]
        if k < FEWEST_OF_A_SET:
            small.append(math.fsum(pull))
            continue
        mean = math.fsum(pull) / k
        squares += [k / (k - 2) * (value - mean) ** 2 for value in pull]
    if small:
        mean = math.fsum(small) / len(small) if len(small) > 1 else 0.0
        scale = len(small) / max(1, len(small) - 1)
        squares += [scale * (value - mean) ** 2 for value in small]
    return math.sqrt(math.fsum(squares))
