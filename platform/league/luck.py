"""How much of the luck of the cards duplicate play took out of an event, from its own tables.

On every board of a fixture the sides change places until each has held every hand, and the board score is the
mean over these tables. Had each table been dealt cards of its own, that mean would vary by the sum of the
variances of the single tables, by the square of their number; with the same cards it varies less. The factor
is the first variance by the second, so it is also how many times as many boards an event without duplicate
play would have needed for results as sure as these:

    factor = sum over fixtures, sides of  sum over tables SS(x) / m^2  :  SS(mean over tables of x)

with SS(x) the sum of squares over the boards of a fixture about their mean: each table has a mean of its own,
since that of a role is no luck. Fixtures count by their boards, their sides alike. Both sums are over the
boards, so what the fixtures of a board set add to them can be kept, and the sets put together later.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from league.errors import ScoresError
from league.intervals import t_quantile

MIN_BOARDS = 32
"""No factor from fewer different boards."""
MIN_UNEVEN_BOARDS = 12
"""And none while fewer of them were worth something to somebody: where both sides mostly play alike, the rare
other boards are all that the second variance is made of."""
MIN_BOARDS_PER_SET = 4
"""Sets of fewer boards say nothing of how their own boards vary."""
CONFIDENCE = 0.95
EVEN_TOLERANCE = 1e-9
"""A board worth no more than this, in stones squared, told nobody from anybody."""


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


class TooFewBoards(NamedTuple):
    """No factor can be told yet."""

    boards: int
    fewest_boards: int
    uneven: int
    """Boards on which somebody's score was not the fixture's mean."""
    fewest_uneven: int


class BoardLuck(NamedTuple):
    """What the fixtures that played a board add to both variances, in stones squared."""

    without: float = 0.0
    """With cards of their own at every table."""
    duplicate: float = 0.0
    """As played."""


class SetLuck(NamedTuple):
    """What the fixtures of one board set say."""

    fixtures: int
    degrees: int
    """Of freedom, over fixtures and sides."""
    boards: tuple[BoardLuck, ...]
    """Empty if no fixture says anything."""


def set_luck(fixtures: Iterable[FixtureStones]) -> SetLuck:
    """What these fixtures of one board set say; the same whatever their order. One pass over the tables.

    Fixtures of a single board say nothing about variance and are left out; so must be, by the caller, those
    with a forfeit or ruling.

    Raises:
        ScoresError: boards with different tables or sides, fewer tables than two, other boards than another
            fixture's, or stones that do not sum to zero.
    """
    given = sorted((one for one in fixtures if len(one.stones) > 1), key=lambda one: one.fixture)
    rows: list[BoardLuck] = []
    degrees = 0
    for one in given:
        tables, sides = _shape(one)
        k = len(one.stones)
        rows = rows or [BoardLuck()] * k
        if len(rows) != k:
            raise ScoresError(f"board set {one.board_set}: {k} boards and {len(rows)}")
        degrees += (k - 1) * sides
        for side in range(sides):
            by_table = [[row[table][side] for row in one.stones] for table in range(tables)]
            sums = [sum(values) for values in by_table]
            for at in range(k):
                # So many times the distances from the means as make them whole numbers.
                off = [k * values[at] - total for values, total in zip(by_table, sums, strict=True)]
                without, duplicate = rows[at]
                rows[at] = BoardLuck(
                    without + sum(value * value for value in off) / (k * tables) ** 2,
                    duplicate + (sum(off) / (k * tables)) ** 2,
                )
    return SetLuck(len(given), degrees, tuple(rows))


def luck_of_sets(sets: Iterable[SetLuck]) -> Luck | TooFewBoards:
    """The factor of an event from what its board sets say; the same whatever their order."""
    said = [one for one in sets if one.boards]
    boards = [row for one in said for row in one.boards]
    uneven = sum(1 for row in boards if row.duplicate > EVEN_TOLERANCE)
    if len(boards) < MIN_BOARDS or uneven < MIN_UNEVEN_BOARDS:
        return TooFewBoards(len(boards), MIN_BOARDS, uneven, MIN_UNEVEN_BOARDS)
    without = math.fsum(row.without for row in boards)
    duplicate = math.fsum(row.duplicate for row in boards)
    degrees = sum(one.degrees for one in said)
    error = _log_error([one.boards for one in said], without, duplicate)
    reach = math.exp(t_quantile((1 + CONFIDENCE) / 2, len(boards) - len(said)) * error)
    factor = without / duplicate
    return Luck(
        factor,
        factor / reach,
        factor * reach,
        math.sqrt(duplicate / degrees),
        math.sqrt(without / degrees),
        sum(one.fixtures for one in said),
        len(boards),
    )


def luck_of_fixtures(fixtures: Iterable[FixtureStones]) -> Luck | TooFewBoards:
    """The factor of these fixtures; as ``set_luck`` and ``luck_of_sets``."""
    by_set: dict[str, list[FixtureStones]] = defaultdict(list)
    for one in fixtures:
        by_set[one.board_set].append(one)
    return luck_of_sets(set_luck(given) for given in by_set.values())


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


def _log_error(sets: Iterable[Sequence[BoardLuck]], without: float, duplicate: float) -> float:
    """Standard error of the factor's logarithm: of a ratio of sums over boards, clustered by board.

    Which fixtures there were is given, so that a set's boards are compared with their own mean. Distances
    from a mean of few boards hide a part of their spread: for normal scores k/(k-2) puts it right. Sets too
    small for that are compared with each other as a whole.
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
