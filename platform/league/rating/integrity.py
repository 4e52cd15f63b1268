"""Pairs whose results against each other do not fit their results against other entries.

The test statistic is the result of one against the other, less the result that their strengths predict,
divided by its standard error. Pairs are flagged that are too unlikely for their number (Benjamini-Hochberg),
step by step: after the most unlikely pair is flagged, strengths are computed without its fixtures and all
pairs are tested again, so that one guilty pair does not make others look guilty. At tables of three sides or
more, the sum of the results of two entries is tested in addition to the difference.

A flag is a reason to inspect boards, without automatic consequences. Forfeited and ruled fixtures are tested
in ``opponents``. Source: docs/contracts.md#scores-standings-ratings.
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
"""Minimum common boards of a tested pair."""
FALSE_DISCOVERY_RATE = 0.05
"""Expected share of false findings among all findings."""
POOLED_DEGREES = 8
"""Degrees of freedom that the spread of all pairs adds to a pair's own."""
MEDIAN_SQUARE = 0.455
"""Median of the square of a standard normal value."""
MIN_INDEPENDENT_SHARE = 0.2
"""Minimum share of a tested pair's result that its own fixtures did not determine."""
MAX_FINDINGS = 50
MAX_ODD_BOARDS = 8
PAIRS_PER_CHUNK = 2048
"""Pairs whose expectations are in memory at the same time."""

Kind = Literal["duel", "transfer", "alliance"]
"""Between two sides; with more sides, the difference of both results, and their sum."""


class OddBoard(NamedTuple):
    """A board to inspect."""

    board_set: str
    fixture: str
    board: int
    stones: float
    """Deviation from the prediction in the direction of the finding; largest first."""


class PairFinding(NamedTuple):
    """Two entries with an implausible result."""

    entry: str
    other: str
    kind: Kind
    residual: float
    """Stones per board beyond the prediction, computed without the fixtures of flagged pairs.

    Duel: the result of ``entry``. Larger tables: its result less that of ``other``, or, for an alliance, the
    sum of both, which is negative if they lost to the other sides.
    """
    error: float
    """Standard error of the residual."""
    p: float
    """Probability of such a residual when it was flagged."""
    q: float
    """Expected share of false findings among all pairs that are at least as unlikely."""
    fixtures: tuple[str, ...]
    boards: int
    unusual_boards: tuple[OddBoard, ...]


class PairTestResult(NamedTuple):
    """Result of testing the pairs of a season or event."""

    findings: tuple[PairFinding, ...]
    """In the order in which they were flagged."""
    pairs: int
    """Number of tests; each kind of test of a pair counts once."""


class _PairTests(NamedTuple):
    """All tests as arrays: two entries, a kind and the sides of the fixtures."""

    first: IntArray
    """Index of the lower public id among the entries."""
    second: IntArray
    sign: IntArray
    """-1: first less second; +1: both."""
    sides: IntArray


class _PairMeetings(NamedTuple):
    """Every fixture of every test, as arrays."""

    test: IntArray
    fixture: IntArray
    """Number in the sample, over all groups."""
    boards: IntArray
    value: FloatArray
    """Mean of the statistic over the fixture's boards."""
    squares: FloatArray
    """Sum of its squares within the fixture."""
    members: IntArray
    """Meetings x members of a fixture: indices among the entries; 0 after the last."""
    parts: FloatArray
    """Same shape: weight of each member's strength in the predicted statistic."""
    here: IntArray
    """Side of the first."""
    there: IntArray

    def select(self, mask: BoolArray) -> _PairMeetings:
        return _PairMeetings(
            self.test[mask],
            self.fixture[mask],
            self.boards[mask],
            self.value[mask],
            self.squares[mask],
            self.members[mask],
            self.parts[mask],
            self.here[mask],
            self.there[mask],
        )


class _TestStatistics(NamedTuple):
    residual: FloatArray
    error: FloatArray
    p: FloatArray
    is_tested: BoolArray


def pair_findings(sets: Iterable[SetScores], *, false_share: float = FALSE_DISCOVERY_RATE) -> PairTestResult:
    """Return flagged pairs of these closed sets. Costs a fit, n^3 and a pass over all pairs for every
    finding.

    All fixtures have equal weight, on ladders too: reduced weights would hide results lost on purpose.
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
            without_fixtures(given, (fixtures[indices] for indices in np.flatnonzero(~is_kept).tolist()))
        )
        theta, inverse = _fit(left, sample.entries)
        statistics = _run_tests(pairs, meetings, theta, inverse, is_kept, list(flagged))
        indices = np.flatnonzero(statistics.is_tested)
        tested = max(tested, len(indices))
        q = np.ones(len(pairs.first))
        q[indices] = q_values(statistics.p[indices])
        q[list(flagged)] = 1.0
        # The smallest p; if several underflow, the one with the most standard errors.
        size = np.abs(statistics.residual) / np.maximum(statistics.error, 1e-12)
        open_ = [int(number) for number in np.flatnonzero(q <= false_share)]
        if not open_ or len(flagged) == MAX_FINDINGS:
            break
        worst = min(open_, key=lambda number: (float(statistics.p[number]), -float(size[number]), number))
        flagged[worst] = (float(statistics.p[worst]), float(q[worst]))
        is_kept[meetings.fixture[meetings.test == worst]] = False
    return PairTestResult(
        tuple(
            _finding(sample, pairs, meetings, theta, statistics, number, *chance)
            for number, chance in flagged.items()
        ),
        tested,
    )


def _ruled_fixtures(sets: Iterable[SetScores]) -> list[str]:
    return [scores.fixtures[index] for scores in sets for index in np.flatnonzero(scores.is_ruled).tolist()]


def _fit(sample: RatingSample, entries: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    """Return theta and (N + ridge)^-1 over all the entries, some of which may have no fixture left."""
    n = len(entries)
    matrix, right = np.zeros((n, n)), np.zeros(n)
    index = {name: indices for indices, name in enumerate(entries)}
    indices = np.array([index[name] for name in sample.entries], np.int64)
    if len(indices):
        matrix[np.ix_(indices, indices)], right[indices] = NormalEquations(sample).as_floats()
    inverse = ridge_inverse(matrix, RIDGE)
    return np.asarray(inverse @ right, np.float64), inverse


def _all_meetings(sample: RatingSample) -> tuple[_PairTests, _PairMeetings]:
    """Return every two entries with enough common boards on different sides, and their results there."""
    n = len(sample.entries)
    width = max(group.sides * group.per_side for group in sample.groups)
    keys: list[IntArray] = []
    parts: list[_PairMeetings] = []
    start = 0
    for group in sample.groups:
        seats = [(side, position) for side in range(group.sides) for position in range(group.per_side)]
        for (a, part), (b, other) in combinations(seats, 2):
            first, second = group.members[:, a, part], group.members[:, b, other]
            row = np.flatnonzero(first != second) if a != b else np.zeros(0, np.int64)
            if not len(row):
                continue
            swap = (first > second)[row]
            low, high = np.minimum(first, second)[row], np.maximum(first, second)[row]
            here, there = np.where(swap, b, a), np.where(swap, a, b)
            for sign in (-1,) if group.sides == 2 else (-1, 1):
                keys.append(((group.sides * 2 + (sign > 0)) * n + low) * n + high)
                parts.append(_meetings(group, row, here, there, sign, start, width))
        start += len(group.fixtures)
    together = _PairMeetings(
        np.concatenate([part.test for part in parts]),
        np.concatenate([part.fixture for part in parts]),
        np.concatenate([part.boards for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.squares for part in parts]),
        np.concatenate([part.members for part in parts]),
        np.concatenate([part.parts for part in parts]),
        np.concatenate([part.here for part in parts]),
        np.concatenate([part.there for part in parts]),
    )
    key = np.concatenate(keys)
    _, inverse, size = np.unique(key, return_inverse=True, return_counts=True)
    enough = np.bincount(inverse.reshape(-1), together.boards, len(size)) >= MIN_BOARDS
    mask = enough[inverse.reshape(-1)]
    tests, test = np.unique(key[mask], return_inverse=True)
    shape, low, high = tests // (n * n), tests // n % n, tests % n
    return (
        _PairTests(low, high, np.where(shape % 2 == 1, 1, -1), shape // 2),
        together.select(mask)._replace(test=test.reshape(-1).astype(np.int64)),
    )


def _meetings(
    group: FixtureGroup, row: IntArray, here: IntArray, there: IntArray, sign: int, start: int, width: int
) -> _PairMeetings:
    """Return the meetings of two seats in a group's fixtures, with ``test`` still unset."""
    part, m = _scale(group.sides), group.sides
    off = part * (group.residuals[row, :, here] + sign * group.residuals[row, :, there])
    members = np.zeros((len(row), width), np.int64)
    parts = np.zeros((len(row), width))
    members[:, : m * group.per_side] = group.members[row].reshape(len(row), -1)
    for side in range(m):
        # m/(m-1) P a, where a is ``part`` at one side and ``sign`` times ``part`` at the other.
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
    """Return the factor of the statistic: a duel's is the result of the first, half of first less second."""
    return 0.5 if sides == 2 else 1.0


def _own_part(
    meetings: _PairMeetings, test: IntArray, weight: FloatArray, inverse: FloatArray, count: int
) -> FloatArray:
    """Return, by test, w' (N + ridge)^-1 w, with w the weighted mean of the prediction over its meetings."""
    n = len(inverse)
    order = np.argsort(test, kind="stable")
    result = np.zeros(count)
    edges = np.searchsorted(test[order], np.arange(0, count + PAIRS_PER_CHUNK, PAIRS_PER_CHUNK))
    for number, (low, high) in enumerate(pairwise(edges.tolist())):
        rows = order[low:high]
        size = min(PAIRS_PER_CHUNK, count - number * PAIRS_PER_CHUNK)
        places = (test[rows] - number * PAIRS_PER_CHUNK)[:, None] * n + meetings.members[rows]
        parts = meetings.parts[rows] * weight[rows][:, None]
        load = np.bincount(places.reshape(-1), parts.reshape(-1), size * n).reshape(size, n)
        result[number * PAIRS_PER_CHUNK : number * PAIRS_PER_CHUNK + size] = ((load @ inverse) * load).sum(
            axis=1
        )
    return result


def _run_tests(
    pairs: _PairTests,
    meetings: _PairMeetings,
    theta: FloatArray,
    inverse: FloatArray,
    is_kept: BoolArray,
    flagged: list[int],
) -> _TestStatistics:
    """Test all pairs. Flagged pairs keep their fixtures; other pairs lose the fixtures of flagged ones."""
    count = len(pairs.first)
    is_flagged = np.zeros(count, np.bool_)
    is_flagged[flagged] = True
    mask = is_kept[meetings.fixture] | is_flagged[meetings.test]
    used = meetings.select(mask)
    test, k = used.test, used.boards.astype(np.float64)
    boards = np.bincount(test, k, count)
    degrees = np.bincount(test, k - 1, count)
    safe = np.maximum(boards, 1)
    expected = (used.parts * theta[used.members]).sum(axis=1)
    residual = np.bincount(test, k * (used.value - expected), count) / safe
    # Share of the pair's noise that its own fixtures added to the strengths.
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
    """Return the tau^2 at which the median of squares / (noise + tau^2 scale) is a squared normal's."""
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
    statistics: _TestStatistics,
    number_of_test: int,
    p: float,
    q: float,
) -> PairFinding:
    first, second = int(pairs.first[number_of_test]), int(pairs.second[number_of_test])
    sign, residual = int(pairs.sign[number_of_test]), float(statistics.residual[number_of_test])
    kind: Kind = "duel" if pairs.sides[number_of_test] == 2 else "alliance" if sign > 0 else "transfer"
    turned = sign < 0 and residual < 0
    towards = -1.0 if residual < 0 else 1.0
    names = sample.entries[first], sample.entries[second]
    starts = np.cumsum([0, *(len(group.fixtures) for group in sample.groups)])
    odd: list[OddBoard] = []
    met: set[str] = set()
    boards = 0
    for index in np.flatnonzero(meetings.test == number_of_test).tolist():
        number = int(np.searchsorted(starts, meetings.fixture[index], side="right")) - 1
        group, f = sample.groups[number], int(meetings.fixture[index] - starts[number])
        a, b = int(meetings.here[index]), int(meetings.there[index])
        won = group.means[f, a] + group.residuals[f, :, a]
        won = won + sign * (group.means[f, b] + group.residuals[f, :, b])
        off = _scale(group.sides) * won - float(meetings.parts[index] @ theta[meetings.members[index]])
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
        float(statistics.error[number_of_test]),
        p,
        q,
        tuple(sorted(met)),
        boards,
        tuple(board for board in odd[:MAX_ODD_BOARDS] if board.stones > 0),
    )
