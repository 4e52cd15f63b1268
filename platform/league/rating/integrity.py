"""Pairs whose results against each other do not fit how they play against everybody else.

For every two entries that met on enough boards: what one won from the other, less what their strengths say,
by how sure that is. Of all pairs those are flagged that are too unlikely for so many (Benjamini-Hochberg),
step by step: the most unlikely first, then the strengths are computed without that pair's fixtures, and all
pairs are tested again, so that one guilty pair does not make others look so. At tables of three sides or more
two helpers may also both win from the rest: there the sum of what both won is tested beside the difference.

A flag is a reason to look at boards, for people who decide; nothing follows from it by itself. Forfeited and
ruled fixtures are left out here, and are looked at in ``opponents``.

Source: docs/contracts.md#scores-standings-ratings.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

import numpy as np

from league.rating.equations import NormalEquations
from league.rating.fixtures import (
    BoolArray,
    FixtureGroup,
    FloatArray,
    IntArray,
    RatingSample,
    SetScores,
    build_sample,
    without_fixtures,
)
from league.rating.significance import q_values, t_tails
from league.rating.solve import RIDGE, ridge_inverse

MIN_BOARDS = 16
"""A pair is tested from so many common boards on."""
FALSE_DISCOVERY_RATE = 0.05
"""Of all findings, the share that is false on the average."""
POOLED_DEGREES = 8
"""Degrees of freedom by which the spread of all pairs counts beside a pair's own."""
MEDIAN_SQUARE = 0.455
"""Of a standard normal value."""
MIN_INDEPENDENT_SHARE = 0.2
"""Part of a pair's result that its own fixtures may not have determined: with less nothing can be seen."""
MAX_FINDINGS = 50
MAX_ODD_BOARDS = 8
PAIRS_PER_CHUNK = 2048
"""Pairs whose expectations are held in memory at once."""

Kind = Literal["duel", "dump", "gang"]
"""Between two sides; of more, what one won less what the other did, and what both won together."""


class OddBoard(NamedTuple):
    """A board to look at."""

    board_set: str
    fixture: str
    board: int
    """From 1, in the order of its set."""
    stones: float
    """By how much it was off what strengths say, in the direction of the finding; largest first."""


class PairFinding(NamedTuple):
    """Two entries and what does not fit."""

    entry: str
    """Who gained; of a gang the lower public id."""
    other: str
    kind: Kind
    residual: float
    """Stones a board beyond what strengths say, computed without the fixtures of flagged pairs: of a duel
    what ``entry`` won; at larger tables what it won less what ``other`` did, or of a gang what both won. A
    gang's may be negative: they lost to the rest."""
    error: float
    """Its standard error."""
    p: float
    """The chance of a residual so large, when it was flagged."""
    q: float
    """The share of false findings to expect among all pairs as unlikely."""
    fixtures: tuple[str, ...]
    """All that both met in, sorted."""
    boards: int
    odd_boards: tuple[OddBoard, ...]


class PairTestResult(NamedTuple):
    """What a test of a season's or event's pairs found."""

    findings: tuple[PairFinding, ...]
    """In the order in which they were flagged."""
    pairs: int
    """Tested, with every kind of test of a pair counted once."""


class _PairTests(NamedTuple):
    """Every test there is: two entries, a kind and the sides of the fixtures; one place in each array."""

    first: IntArray
    """Place of the lower public id among the entries."""
    second: IntArray
    sign: IntArray
    """-1: first less second; +1: both."""
    sides: IntArray


class _PairMeetings(NamedTuple):
    """Every fixture of every test, one place in each array."""

    test: IntArray
    fixture: IntArray
    """Its number in the sample, groups in turn."""
    boards: IntArray
    value: FloatArray
    """Mean of the statistic over the fixture's boards."""
    squares: FloatArray
    """Sum of squares of it within the fixture."""
    members: IntArray
    """Meetings x members of a fixture: places among the entries; 0 beyond the last."""
    parts: FloatArray
    """Of the same shape: how each member's strength counts in what is expected of the statistic."""
    here: IntArray
    """Side of the first."""
    there: IntArray

    def select(self, kept: BoolArray) -> _PairMeetings:
        """These places of every array."""
        return _PairMeetings(
            self.test[kept],
            self.fixture[kept],
            self.boards[kept],
            self.value[kept],
            self.squares[kept],
            self.members[kept],
            self.parts[kept],
            self.here[kept],
            self.there[kept],
        )


class _TestStatistics(NamedTuple):
    residual: FloatArray
    error: FloatArray
    p: FloatArray
    is_tested: BoolArray


def pair_findings(sets: Iterable[SetScores], *, false_share: float = FALSE_DISCOVERY_RATE) -> PairTestResult:
    """Flagged pairs of these closed sets. Costs a fit, n^3 and a pass over all pairs for every finding.

    Fixtures weigh alike, on ladders too: what a pair threw would otherwise count for less and explain less.
    """
    given = list(sets)
    given = without_fixtures(given, _ruled_fixtures(given))
    sample = build_sample(given)
    if not sample.groups:
        return PairTestResult((), 0)
    pairs, meetings = _all_meetings(sample)
    fixtures = [name for group in sample.groups for name in group.fixtures]
    is_kept = np.ones(len(fixtures), np.bool_)
    flagged: dict[int, tuple[float, float]] = {}
    tested = 0
    while True:
        left = build_sample(
            without_fixtures(given, (fixtures[at] for at in np.flatnonzero(~is_kept).tolist()))
        )
        theta, inverse = _fit(left, sample.entries)
        found = _run_tests(pairs, meetings, theta, inverse, is_kept, list(flagged))
        at = np.flatnonzero(found.is_tested)
        tested = max(tested, len(at))
        q = np.ones(len(pairs.first))
        q[at] = q_values(found.p[at])
        q[list(flagged)] = 1.0
        # The smallest p; where several are too small to tell apart, the one with most errors.
        size = np.abs(found.residual) / np.maximum(found.error, 1e-12)
        open_ = [int(one) for one in np.flatnonzero(q <= false_share)]
        if not open_ or len(flagged) == MAX_FINDINGS:
            break
        worst = min(open_, key=lambda one: (float(found.p[one]), -float(size[one]), one))
        flagged[worst] = (float(found.p[worst]), float(q[worst]))
        is_kept[meetings.fixture[meetings.test == worst]] = False
    return PairTestResult(
        tuple(
            _finding(sample, pairs, meetings, theta, found, one, *chance) for one, chance in flagged.items()
        ),
        tested,
    )


def _ruled_fixtures(sets: Iterable[SetScores]) -> list[str]:
    return [one.fixtures[at] for one in sets for at in np.flatnonzero(one.is_ruled).tolist()]


def _fit(sample: RatingSample, entries: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    """theta and (N + ridge)^-1 over all the entries, of whom some may have no fixture left."""
    n = len(entries)
    matrix, right = np.zeros((n, n)), np.zeros(n)
    place = {name: at for at, name in enumerate(entries)}
    at = np.array([place[name] for name in sample.entries], np.int64)
    if len(at):
        matrix[np.ix_(at, at)], right[at] = NormalEquations(sample).as_floats()
    inverse = ridge_inverse(matrix, RIDGE)
    return np.asarray(inverse @ right, np.float64), inverse


def _all_meetings(sample: RatingSample) -> tuple[_PairTests, _PairMeetings]:
    """Every two entries on different sides of a fixture, with what they won there, if boards are enough."""
    n = len(sample.entries)
    width = max(group.sides * group.per_side for group in sample.groups)
    keys: list[IntArray] = []
    found: list[_PairMeetings] = []
    start = 0
    for group in sample.groups:
        seats = [(side, place) for side in range(group.sides) for place in range(group.per_side)]
        for (a, one), (b, other) in combinations(seats, 2):
            first, second = group.members[:, a, one], group.members[:, b, other]
            row = np.flatnonzero(first != second) if a != b else np.zeros(0, np.int64)
            if not len(row):
                continue
            swap = (first > second)[row]
            low, high = np.minimum(first, second)[row], np.maximum(first, second)[row]
            here, there = np.where(swap, b, a), np.where(swap, a, b)
            for sign in (-1,) if group.sides == 2 else (-1, 1):
                keys.append(((group.sides * 2 + (sign > 0)) * n + low) * n + high)
                found.append(_meetings(group, row, here, there, sign, start, width))
        start += len(group.fixtures)
    together = _PairMeetings(
        np.concatenate([one.test for one in found]),
        np.concatenate([one.fixture for one in found]),
        np.concatenate([one.boards for one in found]),
        np.concatenate([one.value for one in found]),
        np.concatenate([one.squares for one in found]),
        np.concatenate([one.members for one in found]),
        np.concatenate([one.parts for one in found]),
        np.concatenate([one.here for one in found]),
        np.concatenate([one.there for one in found]),
    )
    key = np.concatenate(keys)
    _, at, size = np.unique(key, return_inverse=True, return_counts=True)
    enough = np.bincount(at.reshape(-1), together.boards, len(size)) >= MIN_BOARDS
    kept = enough[at.reshape(-1)]
    tests, test = np.unique(key[kept], return_inverse=True)
    shape, low, high = tests // (n * n), tests // n % n, tests % n
    return (
        _PairTests(low, high, np.where(shape % 2 == 1, 1, -1), shape // 2),
        together.select(kept)._replace(test=test.reshape(-1).astype(np.int64)),
    )


def _meetings(
    group: FixtureGroup, row: IntArray, here: IntArray, there: IntArray, sign: int, start: int, width: int
) -> _PairMeetings:
    """Of two seats of a group's fixtures; ``test`` is still to be filled in."""
    part, m = _scale(group.sides), group.sides
    off = part * (group.residuals[row, :, here] + sign * group.residuals[row, :, there])
    members = np.zeros((len(row), width), np.int64)
    parts = np.zeros((len(row), width))
    members[:, : m * group.per_side] = group.members[row].reshape(len(row), -1)
    for side in range(m):
        # m/(m-1) P a, of a with ``part`` at one side and ``sign`` times it at the other.
        share = part * ((here == side) + sign * (there == side) - (1 + sign) / m) * m / (m - 1)
        parts[:, side * group.per_side : (side + 1) * group.per_side] = share[:, None] / group.per_side
    return _PairMeetings(
        np.zeros(len(row), np.int64),
        start + row,
        np.full(len(row), group.boards, np.int64),
        part * (group.means[row, here] + sign * group.means[row, there]),
        (off**2).sum(axis=1),
        members,
        parts,
        here,
        there,
    )


def _scale(sides: int) -> float:
    """A duel's statistic is what the first won, which is half of first less second."""
    return 0.5 if sides == 2 else 1.0


def _own_part(
    meetings: _PairMeetings, test: IntArray, weight: FloatArray, inverse: FloatArray, count: int
) -> FloatArray:
    """By test: w' (N + ridge)^-1 w, with w the mean over its meetings, so weighted, of what is expected."""
    n = len(inverse)
    order = np.argsort(test, kind="stable")
    found = np.zeros(count)
    edges = np.searchsorted(test[order], np.arange(0, count + PAIRS_PER_CHUNK, PAIRS_PER_CHUNK))
    for number, (low, high) in enumerate(pairwise(edges.tolist())):
        rows = order[low:high]
        size = min(PAIRS_PER_CHUNK, count - number * PAIRS_PER_CHUNK)
        places = (test[rows] - number * PAIRS_PER_CHUNK)[:, None] * n + meetings.members[rows]
        parts = meetings.parts[rows] * weight[rows][:, None]
        load = np.bincount(places.reshape(-1), parts.reshape(-1), size * n).reshape(size, n)
        found[number * PAIRS_PER_CHUNK : number * PAIRS_PER_CHUNK + size] = ((load @ inverse) * load).sum(
            axis=1
        )
    return found


def _run_tests(
    pairs: _PairTests,
    meetings: _PairMeetings,
    theta: FloatArray,
    inverse: FloatArray,
    is_kept: BoolArray,
    flagged: list[int],
) -> _TestStatistics:
    """All pairs against this fit. Flagged ones keep their fixtures, all others lose those of flagged ones."""
    count = len(pairs.first)
    is_flagged = np.zeros(count, np.bool_)
    is_flagged[flagged] = True
    kept = is_kept[meetings.fixture] | is_flagged[meetings.test]
    used = meetings.select(kept)
    test, k = used.test, used.boards.astype(np.float64)
    boards = np.bincount(test, k, count)
    degrees = np.bincount(test, k - 1, count)
    safe = np.maximum(boards, 1)
    expected = (used.parts * theta[used.members]).sum(axis=1)
    residual = np.bincount(test, k * (used.value - expected), count) / safe
    # How much of the pair's noise its own fixtures carried into the strengths.
    m = pairs.sides
    own = np.where(m == 2, 0.25, 1.0) * (2 - 2 * (1 + pairs.sign) / m)
    moved = _own_part(used, test, k / safe[test], inverse, count)
    taken = boards * (m - 1) / m * moved / np.maximum(own, 1e-12)
    left = np.where(is_flagged, 1 + taken, 1 - taken)
    is_tested = (boards >= MIN_BOARDS) & (left >= MIN_INDEPENDENT_SHARE)
    squares = np.bincount(test, used.squares, count)
    variance = np.zeros(count)
    misfit = np.zeros(count)
    kinds = 2 * m + (pairs.sign > 0)
    for kind in np.unique(kinds):
        same = kinds == kind
        pooled = squares[same].sum() / max(1.0, degrees[same].sum())
        variance[same] = (squares[same] + POOLED_DEGREES * pooled) / (degrees[same] + POOLED_DEGREES)
        honest = same & is_tested & ~is_flagged
        misfit[same] = _honest_misfit(
            residual[honest] ** 2, (variance * left / safe)[honest], left[honest] ** 2
        )
    error = np.sqrt(np.maximum(variance * left / safe + misfit * left**2, 0.0))
    p = np.ones(count)
    sure = is_tested & (np.abs(residual) > 1e-12)
    ratio = np.abs(residual[sure]) / np.maximum(error[sure], 1e-12)
    p[sure] = t_tails(ratio, (degrees[sure] + POOLED_DEGREES).astype(np.int64))
    return _TestStatistics(residual, error, p, is_tested)


def _honest_misfit(squares: FloatArray, noise: FloatArray, scale: FloatArray) -> float:
    """tau^2 with which the median of squares / (noise + tau^2 scale) is that of a standard normal square."""
    if not len(squares) or float(np.median(squares / np.maximum(noise, 1e-12))) <= MEDIAN_SQUARE:
        return 0.0
    low, high = 0.0, float((squares / scale).max()) / MEDIAN_SQUARE
    for _ in range(60):
        middle = (low + high) / 2
        if float(np.median(squares / np.maximum(noise + middle * scale, 1e-300))) > MEDIAN_SQUARE:
            low = middle
        else:
            high = middle
    return high


def _finding(
    sample: RatingSample,
    pairs: _PairTests,
    meetings: _PairMeetings,
    theta: FloatArray,
    found: _TestStatistics,
    one: int,
    p: float,
    q: float,
) -> PairFinding:
    first, second = int(pairs.first[one]), int(pairs.second[one])
    sign, residual = int(pairs.sign[one]), float(found.residual[one])
    kind: Kind = "duel" if pairs.sides[one] == 2 else "gang" if sign > 0 else "dump"
    turned = sign < 0 and residual < 0
    towards = -1.0 if residual < 0 else 1.0
    names = sample.entries[first], sample.entries[second]
    starts = np.cumsum([0, *(len(group.fixtures) for group in sample.groups)])
    odd: list[OddBoard] = []
    met: set[str] = set()
    boards = 0
    for at in np.flatnonzero(meetings.test == one).tolist():
        number = int(np.searchsorted(starts, meetings.fixture[at], side="right")) - 1
        group, f = sample.groups[number], int(meetings.fixture[at] - starts[number])
        a, b = int(meetings.here[at]), int(meetings.there[at])
        won = group.means[f, a] + group.residuals[f, :, a]
        won = won + sign * (group.means[f, b] + group.residuals[f, :, b])
        off = _scale(group.sides) * won - float(meetings.parts[at] @ theta[meetings.members[at]])
        met.add(group.fixtures[f])
        boards += group.boards
        odd += [
            OddBoard(sample.board_sets[int(group.board_set[f])], group.fixtures[f], board, towards * value)
            for board, value in enumerate(off.tolist(), 1)
        ]
    odd.sort(key=lambda board: (-board.stones, board.fixture, board.board))
    return PairFinding(
        names[turned],
        names[not turned],
        kind,
        abs(residual) if sign < 0 else residual,
        float(found.error[one]),
        p,
        q,
        tuple(sorted(met)),
        boards,
        tuple(board for board in odd[:MAX_ODD_BOARDS] if board.stones > 0),
    )
