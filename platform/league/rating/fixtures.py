"""What ratings are made of: board scores of settled fixtures, by closed board set.

A set is checked once, when it comes in, and kept as arrays of whole numbers; ``build_sample`` puts
sets together into what a fit works on. The order in which sets and fixtures come does not matter after that.
"""

from __future__ import annotations

import enum
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain, islice, pairwise
from operator import eq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from league.errors import RatingError

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

MIN_BOARDS_PER_SET = 2
"""A set of one board says nothing about its own noise and is left out of ratings."""
OTHER_PARTNERS_SUFFIX = "+"
"""Ends the name of a version's second column: its strength with partners other than itself."""
MAX_EXACT = 2**53
"""Whole numbers below this are exact as floats."""


class PlayedFixture(NamedTuple):
    """One settled fixture that counts: no bye, not void."""

    fixture: str
    """Public id."""
    sides: tuple[tuple[str, ...], ...]
    """The members of every side, two sides or more. A name twice on a side counts twice."""
    scores: Sequence[Sequence[Fraction | int]]
    """Board scores in stones: a row a board, a value a side, each row summing to 0. Those that count
    (``counted_scores``), so after forfeits."""
    is_ruled: bool = False
    """Forfeited or ruled, wholly or in part: it keeps its full weight in a ladder."""


class CountedScores(enum.Enum):
    """Which board scores of a fixture are rated."""

    AS_RULED = "as ruled"
    """Those that count in the event."""
    AS_PLAYED = "as played"
    """Those of its tables, whatever was ruled."""
    NOT = "not"
    """None."""


def counted_scores(ruling: str | None, *, by_person: bool, is_whole: bool) -> CountedScores:
    """Which scores of a fixture are rated after the ruling that holds (its kind; None: no ruling).

    A person's forfeit or draw is an opinion about the event, no evidence of strength. ``is_whole``: all
    tables of the fixture were played to their end.

    Source: docs/ratings.md#what-counts.
    """
    if ruling is None or not by_person:
        return CountedScores.AS_RULED
    return CountedScores.AS_PLAYED if is_whole and ruling in ("forfeit", "draw") else CountedScores.NOT


class SetScores(NamedTuple):
    """The fixtures of one closed board set, all of the same shape: sides, members a side and boards."""

    board_set: str
    """Public id. Fixtures of one set are dealt the same boards."""
    names: tuple[str, ...]
    """Members, sorted."""
    fixtures: tuple[str, ...]
    """Public ids, sorted; rows of the arrays are in this order."""
    members: IntArray
    """Fixtures x sides x members a side: places in ``names``."""
    scores: IntArray
    """Fixtures x boards x sides, in ``parts`` of a stone."""
    parts: int
    is_ruled: BoolArray
    """By fixture."""

    @property
    def boards(self) -> int:
        """Boards of the set."""
        return int(self.scores.shape[1])


class FixtureGroup(NamedTuple):
    """All fixtures of a sample with as many sides, members a side and boards, sorted by public id."""

    fixtures: tuple[str, ...]
    members: IntArray
    """Fixtures x sides x members: places among the entries of the sample."""
    totals: IntArray
    """Fixtures x sides: board scores added up, in ``parts`` of a stone."""
    parts: int
    means: FloatArray
    """Fixtures x sides, in stones a board."""
    residuals: FloatArray
    """Fixtures x boards x sides: board scores less the fixture's mean, in stones."""
    first_board: IntArray
    """By fixture: the number of its first board among all boards of the sample."""
    board_set: IntArray
    """By fixture: the number of its set."""
    is_ruled: BoolArray

    @property
    def boards(self) -> int:
        """Boards of each fixture."""
        return int(self.residuals.shape[1])

    @property
    def sides(self) -> int:
        """Sides of each fixture."""
        return int(self.members.shape[1])

    @property
    def per_side(self) -> int:
        """Members of each side."""
        return int(self.members.shape[2])


class RatingSample(NamedTuple):
    """Everything a fit is computed from, in an order of its own."""

    entries: tuple[str, ...]
    """Public ids, sorted: the columns of the fit."""
    groups: tuple[FixtureGroup, ...]
    board_sets: tuple[str, ...]
    """Sorted."""
    set_boards: tuple[int, ...]
    """Boards of each set."""

    @property
    def fixtures(self) -> int:
        """How many fixtures there are."""
        return sum(len(group.fixtures) for group in self.groups)

    @property
    def boards(self) -> int:
        """How many boards there are in all sets."""
        return sum(self.set_boards)


def partner_columns(side: Sequence[str]) -> tuple[str, ...]:
    """The members of a side where versions play with partners: who has itself as partner keeps its name.

    A version has two strengths then, and their difference shows only where fixtures connect both.

    >>> partner_columns(["a", "a"]), partner_columns(["b", "a"])
    (('a',), ('a+', 'b+'))
    """
    if len(set(side)) == 1:
        return (side[0],)
    return tuple(sorted(name + OTHER_PARTNERS_SUFFIX for name in side))


def set_scores(board_set: str, fixtures: Iterable[PlayedFixture]) -> list[SetScores]:
    """A closed set as arrays, one for every shape its fixtures have; none for a set of one board.

    Sides of different sizes are brought to one by counting members several times.

    Raises:
        RatingError: a fixture twice, fewer than two sides, an empty side, a row of scores of another
            length or sum, or fixtures of different numbers of boards.
    """
    shapes: dict[tuple[int, int], list[PlayedFixture]] = defaultdict(list)
    found = sorted(fixtures, key=lambda fixture: fixture.fixture)
    for before, after in pairwise(found):
        if before.fixture == after.fixture:
            raise RatingError(f"board set {board_set}: fixture {after.fixture} is given twice")
    for fixture in found:
        _check_fixture(board_set, fixture, len(found[0].scores))
        shortest = [_reduced_members(side) for side in fixture.sides]
        per_side = math.lcm(*(len(side) for side in shortest))
        even = tuple(tuple(sorted(side * (per_side // len(side)))) for side in shortest)
        shapes[len(even), per_side].append(fixture._replace(sides=even))
    return [
        _as_arrays(board_set, same)
        for _, same in sorted(shapes.items())
        if len(same[0].scores) >= MIN_BOARDS_PER_SET
    ]


def _reduced_members(side: Sequence[str]) -> tuple[str, ...]:
    """Members in the same shares, each as seldom as possible: a version that partners itself stands once."""
    counted = Counter(side)
    shared = math.gcd(*counted.values())
    return tuple(name for name, count in sorted(counted.items()) for _ in range(count // shared))


def _check_fixture(board_set: str, fixture: PlayedFixture, boards: int) -> None:
    where = f"board set {board_set}, fixture {fixture.fixture}"
    if len(fixture.sides) < 2 or not all(fixture.sides):
        raise RatingError(f"{where}: two sides or more are needed, each with a member")
    if len(fixture.scores) != boards or not boards:
        raise RatingError(f"{where}: {len(fixture.scores)} boards in a set of {boards}")
    for number, row in enumerate(fixture.scores):
        if len(row) != len(fixture.sides):
            raise RatingError(f"{where}, board {number}: {len(row)} scores for {len(fixture.sides)} sides")
        if sum(row) != 0:
            raise RatingError(f"{where}, board {number}: scores sum to {sum(row)}, not 0")


def _as_arrays(board_set: str, fixtures: Sequence[PlayedFixture]) -> SetScores:
    names = sorted({name for fixture in fixtures for side in fixture.sides for name in side})
    place = {name: at for at, name in enumerate(names)}
    parts = math.lcm(*{score.denominator for one in fixtures for row in one.scores for score in row})
    return SetScores(
        board_set,
        tuple(names),
        tuple(fixture.fixture for fixture in fixtures),
        np.array([[[place[name] for name in side] for side in one.sides] for one in fixtures], np.int64),
        np.array(
            [
                [[score.numerator * (parts // score.denominator) for score in row] for row in one.scores]
                for one in fixtures
            ],
            np.int64,
        ),
        parts,
        np.array([fixture.is_ruled for fixture in fixtures], np.bool_),
    )


def build_sample(sets: Iterable[SetScores]) -> RatingSample:
    """All these sets together. Costs one pass over the scores.

    Raises:
        RatingError: a fixture in two places, or a set given with different numbers of boards.
    """
    given = sorted(sets, key=lambda one: (one.board_set, one.members.shape[1:]))
    boards: dict[str, int] = {}
    for one in given:
        if boards.setdefault(one.board_set, one.boards) != one.boards:
            raise RatingError(f"board set {one.board_set}: {one.boards} boards and {boards[one.board_set]}")
    entries = tuple(sorted({name for one in given for name in one.names}))
    place = {name: at for at, name in enumerate(entries)}
    first = dict(zip(boards, np.cumsum([0, *boards.values()])[:-1].tolist(), strict=True))
    number = {name: at for at, name in enumerate(boards)}
    shapes: dict[tuple[int, ...], list[SetScores]] = defaultdict(list)
    for one in given:
        shapes[(*one.members.shape[1:], one.boards)].append(one)
    groups = tuple(_group(same, place, first, number) for _, same in sorted(shapes.items()))
    # Each group is sorted, so that this is but a merge.
    fixtures = sorted(chain.from_iterable(group.fixtures for group in groups))
    if any(map(eq, fixtures, islice(fixtures, 1, None))):
        raise RatingError("a fixture is given twice")
    return RatingSample(entries, groups, tuple(boards), tuple(boards.values()))


def _group(
    sets: Sequence[SetScores], place: dict[str, int], first: dict[str, int], number: dict[str, int]
) -> FixtureGroup:
    fixtures = [name for one in sets for name in one.fixtures]
    order = np.array(sorted(range(len(fixtures)), key=fixtures.__getitem__), np.int64)
    parts = math.lcm(*{one.parts for one in sets})
    members = [np.array([place[name] for name in one.names], np.int64)[one.members] for one in sets]
    scores = np.concatenate([one.scores * (parts // one.parts) for one in sets])[order]
    if float(np.abs(scores).max(initial=0)) * scores.shape[1] * len(order) * 4096 >= MAX_EXACT:
        raise RatingError(f"board scores in parts of 1/{parts} stone are too fine to add up exactly")
    totals = scores.sum(axis=1)
    sizes = [len(one.fixtures) for one in sets]
    boards = scores.shape[1]
    # One division of whole numbers each: the nearest float, whatever the parts are.
    residuals = (scores * boards - totals[:, None, :]) / float(parts * boards)
    return FixtureGroup(
        tuple(fixtures[at] for at in order.tolist()),
        np.concatenate(members)[order],
        totals,
        parts,
        totals / float(parts * boards),
        residuals,
        np.repeat(np.array([first[one.board_set] for one in sets], np.int64), sizes)[order],
        np.repeat(np.array([number[one.board_set] for one in sets], np.int64), sizes)[order],
        np.concatenate([one.is_ruled for one in sets])[order],
    )


def subsample(sample: RatingSample, kept: Sequence[str]) -> RatingSample:
    """The sample of these entries and the fixtures among them alone; others must not share a fixture."""
    chosen = set(kept)
    column = np.full(len(sample.entries), -1, np.int64)
    entries = [(at, name) for at, name in enumerate(sample.entries) if name in chosen]
    for to, (at, _) in enumerate(entries):
        column[at] = to
    groups = []
    for group in sample.groups:
        inside = column[group.members[:, 0, 0]] >= 0
        if inside.all():
            groups.append(group._replace(members=column[group.members]))
        elif inside.any():
            groups.append(
                group._replace(
                    fixtures=tuple(
                        name for name, stays in zip(group.fixtures, inside.tolist(), strict=True) if stays
                    ),
                    members=column[group.members[inside]],
                    totals=group.totals[inside],
                    means=group.means[inside],
                    residuals=group.residuals[inside],
                    first_board=group.first_board[inside],
                    board_set=group.board_set[inside],
                    is_ruled=group.is_ruled[inside],
                )
            )
    return sample._replace(entries=tuple(name for _, name in entries), groups=tuple(groups))


def fixtures_between(sets: Iterable[SetScores], first: str, second: str) -> list[str]:
    """The fixtures, sorted, in which these two sit on different sides, with whatever partners."""
    found = []
    for one in sets:
        sides = []
        for name in (first, second):
            places = [
                at for at, known in enumerate(one.names) if known in (name, name + OTHER_PARTNERS_SUFFIX)
            ]
            sides.append(np.isin(one.members, places).any(axis=2))
        here, there = sides
        # Of sides with both of them, one alone is not enough.
        both = here.sum(axis=1) * there.sum(axis=1) - (here & there).sum(axis=1)
        apart = both > 0
        found += [name for name, is_apart in zip(one.fixtures, apart.tolist(), strict=True) if is_apart]
    return sorted(found)


def without_fixtures(sets: Iterable[SetScores], fixtures: Iterable[str]) -> list[SetScores]:
    """The sets without these fixtures: those of a pair that a ruling or a test leaves out."""
    left_out = frozenset(fixtures)
    found = []
    for one in sets:
        stays = np.array([name not in left_out for name in one.fixtures], np.bool_)
        if stays.all():
            found.append(one)
        elif stays.any():
            members = one.members[stays]
            used = np.unique(members)
            found.append(
                one._replace(
                    names=tuple(one.names[at] for at in used.tolist()),
                    fixtures=tuple(name for name in one.fixtures if name not in left_out),
                    members=np.searchsorted(used, members).astype(np.int64),
                    scores=one.scores[stays],
                    is_ruled=one.is_ruled[stays],
                )
            )
    return found
