"""Input of ratings: board scores of settled fixtures, by closed board set, in any order.

A set is validated once and stored as arrays; ``build_sample`` combines sets into the input of a fit.
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
"""Minimum boards of a set: a set of one board has no estimate of its noise and is left out of ratings."""
OTHER_PARTNERS_SUFFIX = "+"
"""Suffix of the second column of a version: its strength with partners other than itself."""
MAX_EXACT = 2**53
"""Whole numbers below this are exact as floats."""


class PlayedFixture(NamedTuple):
    fixture: str
    """Public id."""
    sides: tuple[tuple[str, ...], ...]
    """The members of two or more sides. A name twice on a side counts twice."""
    scores: Sequence[Sequence[Fraction | int]]
    """Board scores in stones, after forfeits: a row per board, a value per side, each row summing to 0."""
    is_ruled: bool = False
    """Forfeited or ruled, at least in part: it keeps its full weight in a ladder."""


class CountedScores(enum.Enum):
    """Selection of the board scores of a fixture that are rated."""

    AS_RULED = "as ruled"
    """Scores that count in the event."""
    AS_PLAYED = "as played"
    """Scores of its tables, independent of rulings."""
    NOT = "not"


def counted_scores(ruling: str | None, *, by_person: bool, is_whole: bool) -> CountedScores:
    """Return which scores of a fixture are rated after the current ruling (its kind; None: no ruling).

    A person's forfeit or draw is no evidence of strength. ``is_whole``: all tables were played to their end.
    Source: docs/ratings.md#what-counts.
    """
    if ruling is None or not by_person:
        return CountedScores.AS_RULED
    return CountedScores.AS_PLAYED if is_whole and ruling in ("forfeit", "draw") else CountedScores.NOT


class SetScores(NamedTuple):
    """Fixtures of one closed board set with the same shape: sides, members per side and boards."""

    board_set: str
    """Public id. Fixtures of one set play the same boards."""
    names: tuple[str, ...]
    """Members, sorted."""
    fixtures: tuple[str, ...]
    """Public ids, sorted, in the order of the rows of the arrays."""
    members: IntArray
    """Fixtures x sides x members per side: indices in ``names``."""
    scores: IntArray
    """Fixtures x boards x sides, in ``parts`` of a stone."""
    parts: int
    is_ruled: BoolArray
    """By fixture."""

    @property
    def boards(self) -> int:
        return int(self.scores.shape[1])


class FixtureGroup(NamedTuple):
    """All fixtures of a sample with the same sides, members per side and boards, sorted by public id."""

    fixtures: tuple[str, ...]
    members: IntArray
    """Fixtures x sides x members: indices among the entries of the sample."""
    totals: IntArray
    """Fixtures x sides: sums of board scores, in ``parts`` of a stone."""
    parts: int
    means: FloatArray
    """Fixtures x sides, in stones per board."""
    residuals: FloatArray
    """Fixtures x boards x sides: board scores less the fixture's mean, in stones."""
    first_board: IntArray
    """By fixture: the number of its first board among all boards of the sample."""
    board_set: IntArray
    """By fixture: the number of its set."""
    is_ruled: BoolArray

    @property
    def boards(self) -> int:
        return int(self.residuals.shape[1])

    @property
    def sides(self) -> int:
        return int(self.members.shape[1])

    @property
    def per_side(self) -> int:
        return int(self.members.shape[2])


class RatingSample(NamedTuple):
    """Input of a fit, in canonical order."""

    entries: tuple[str, ...]
    """Public ids, sorted: the columns of the fit."""
    groups: tuple[FixtureGroup, ...]
    board_sets: tuple[str, ...]
    set_boards: tuple[int, ...]

    @property
    def fixtures(self) -> int:
        return sum(len(group.fixtures) for group in self.groups)

    @property
    def boards(self) -> int:
        return sum(self.set_boards)


def partner_columns(side: Sequence[str]) -> tuple[str, ...]:
    """Return the members of a side where versions play with partners: a version with itself keeps its name.

    A version then has two strengths; their difference is estimated only if fixtures connect both.

    >>> partner_columns(["a", "a"]), partner_columns(["b", "a"])
    (('a',), ('a+', 'b+'))
    """
    if len(set(side)) == 1:
        return (side[0],)
    return tuple(sorted(name + OTHER_PARTNERS_SUFFIX for name in side))


def set_scores(board_set: str, fixtures: Iterable[PlayedFixture]) -> list[SetScores]:
    """Return a closed set as arrays, one for every shape of its fixtures; empty for a set of one board.

    Sides of different sizes are made equal by counting members several times. Raise ``RatingError`` for a
    duplicate fixture, fewer than two sides, an empty side, a row of scores with a wrong length or sum, or
    fixtures with different numbers of boards.
    """
    shapes: dict[tuple[int, int], list[PlayedFixture]] = defaultdict(list)
    ordered = sorted(fixtures, key=lambda fixture: fixture.fixture)
    for before, after in pairwise(ordered):
        if before.fixture == after.fixture:
            raise RatingError(f"board set {board_set}: fixture {after.fixture} is given twice")
    for fixture in ordered:
        _check_fixture(board_set, fixture, len(ordered[0].scores))
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
    """Return members in the same shares, each as rarely as possible: a version with itself occurs once."""
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
    index = {name: position for position, name in enumerate(names)}
    parts = math.lcm(*{score.denominator for played in fixtures for row in played.scores for score in row})
    return SetScores(
        board_set,
        tuple(names),
        tuple(fixture.fixture for fixture in fixtures),
        np.array(
            [[[index[name] for name in side] for side in played.sides] for played in fixtures], np.int64
        ),
        np.array(
            [
                [[score.numerator * (parts // score.denominator) for score in row] for row in played.scores]
                for played in fixtures
            ],
            np.int64,
        ),
        parts,
        np.array([fixture.is_ruled for fixture in fixtures], np.bool_),
    )


def build_sample(sets: Iterable[SetScores]) -> RatingSample:
    """Combine sets in one pass. Raise ``RatingError`` for a fixture twice or differing boards of a set."""
    given = sorted(sets, key=lambda scores: (scores.board_set, scores.members.shape[1:]))
    boards: dict[str, int] = {}
    for scores in given:
        if boards.setdefault(scores.board_set, scores.boards) != scores.boards:
            raise RatingError(
                f"board set {scores.board_set}: {scores.boards} boards and {boards[scores.board_set]}"
            )
    entries = tuple(sorted({name for scores in given for name in scores.names}))
    index = {name: position for position, name in enumerate(entries)}
    first = dict(zip(boards, np.cumsum([0, *boards.values()])[:-1].tolist(), strict=True))
    number = {name: position for position, name in enumerate(boards)}
    shapes: dict[tuple[int, ...], list[SetScores]] = defaultdict(list)
    for scores in given:
        shapes[(*scores.members.shape[1:], scores.boards)].append(scores)
    groups = tuple(_group(same, index, first, number) for _, same in sorted(shapes.items()))
    # Each group is sorted, so sorting is only a merge.
    fixtures = sorted(chain.from_iterable(group.fixtures for group in groups))
    if any(map(eq, fixtures, islice(fixtures, 1, None))):
        raise RatingError("a fixture is given twice")
    return RatingSample(entries, groups, tuple(boards), tuple(boards.values()))


def _group(
    sets: Sequence[SetScores], index: dict[str, int], first: dict[str, int], number: dict[str, int]
) -> FixtureGroup:
    fixtures = [name for part in sets for name in part.fixtures]
    order = np.array(sorted(range(len(fixtures)), key=fixtures.__getitem__), np.int64)
    parts = math.lcm(*{part.parts for part in sets})
    members = [np.array([index[name] for name in part.names], np.int64)[part.members] for part in sets]
    scores = np.concatenate([part.scores * (parts // part.parts) for part in sets])[order]
    if float(np.abs(scores).max(initial=0)) * scores.shape[1] * len(order) * 4096 >= MAX_EXACT:
        raise RatingError(f"board scores in parts of 1/{parts} stone are too fine to add up exactly")
    totals = scores.sum(axis=1)
    sizes = [len(part.fixtures) for part in sets]
    boards = scores.shape[1]
    # A single division of whole numbers gives the nearest float, independent of the parts.
    residuals = (scores * boards - totals[:, None, :]) / float(parts * boards)
    return FixtureGroup(
        tuple(fixtures[position] for position in order.tolist()),
        np.concatenate(members)[order],
        totals,
        parts,
        totals / float(parts * boards),
        residuals,
        np.repeat(np.array([first[part.board_set] for part in sets], np.int64), sizes)[order],
        np.repeat(np.array([number[part.board_set] for part in sets], np.int64), sizes)[order],
        np.concatenate([part.is_ruled for part in sets])[order],
    )


def subsample(sample: RatingSample, names: Sequence[str]) -> RatingSample:
    """Return the sample of these entries; other entries must not share a fixture with them."""
    chosen = set(names)
    column = np.full(len(sample.entries), -1, np.int64)
    entries = [(index, name) for index, name in enumerate(sample.entries) if name in chosen]
    for to, (index, _) in enumerate(entries):
        column[index] = to
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
    """Return the fixtures, sorted, in which these two sit on different sides, with any partners."""
    fixtures = []
    for scores in sets:
        sides = []
        for name in (first, second):
            places = [
                index
                for index, known in enumerate(scores.names)
                if known in (name, name + OTHER_PARTNERS_SUFFIX)
            ]
            sides.append(np.isin(scores.members, places).any(axis=2))
        here, there = sides
        # A single side that has both does not count.
        both = here.sum(axis=1) * there.sum(axis=1) - (here & there).sum(axis=1)
        apart = both > 0
        fixtures += [name for name, is_apart in zip(scores.fixtures, apart.tolist(), strict=True) if is_apart]
    return sorted(fixtures)


def without_fixtures(sets: Iterable[SetScores], fixtures: Iterable[str]) -> list[SetScores]:
    """Return the sets without these fixtures, which a ruling or a test excludes."""
    left_out = frozenset(fixtures)
    remaining = []
    for scores in sets:
        stays = np.array([name not in left_out for name in scores.fixtures], np.bool_)
        if stays.all():
            remaining.append(scores)
        elif stays.any():
            members = scores.members[stays]
            used = np.unique(members)
            remaining.append(
                scores._replace(
                    names=tuple(scores.names[index] for index in used.tolist()),
                    fixtures=tuple(name for name in scores.fixtures if name not in left_out),
                    members=np.searchsorted(used, members).astype(np.int64),
                    scores=scores.scores[stays],
                    is_ruled=scores.is_ruled[stays],
                )
            )
    return remaining
