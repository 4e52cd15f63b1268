"""Pairings of the next round of a ladder, with their reasons.

New entries play a minimum number of rounds against random opponents. After that, overlap rounds, with the
most information about the order, and random rounds, which correct the scale of strengths, alternate. Entries
of one owner never meet, and no two entries meet too often. Entries left over come first in the next round,
after the new ones.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from league.errors import RatingError
from league.rating.equations import NormalEquations
from league.rating.fixtures import BoolArray, FloatArray, IntArray, SetScores, build_sample
from league.rating.solve import RIDGE, ridge_inverse
from league.rating.weights import board_spread, fixture_weights

FLOOR_ROUNDS = 3
"""Random rounds of a new entry before results determine its opponents."""
NEAREST_OPPONENTS = 12
"""Nearest opponents by strength that an overlap round considers first for each entry."""
ROUNDS_PER_MEETING = 15
"""Rounds for which one more meeting with the same opponent is allowed."""
MAX_MEETING_RATIO = 1.5
"""Maximum meetings with one opponent, relative to an even distribution over all opponents."""
DEFAULT_SPREAD = 0.7
"""Standard deviation of a board score in stones, before there are any."""

Kind = Literal["floor", "overlap", "uniform"]


class LadderContender(NamedTuple):
    """An entry that may play."""

    entry: str
    owner: str | None
    """Equal values are one owner; None: no owner, may meet every entry."""
    rounds: int
    """Number of rounds played on this ladder."""
    was_unpaired: bool = False
    """Whether the previous round left it over."""
    cost: float = 1.0
    """Cost of a board in CPU seconds or any other unit; above 0."""


class StrengthEstimates(NamedTuple):
    """Strengths of the contenders from the results so far."""

    entries: tuple[str, ...]
    strengths: FloatArray
    """In stones per board."""
    variances: FloatArray
    """Entries x entries: sd^2 (N + ridge)^-1, in stones squared."""


class PairGain(NamedTuple):
    """Expected information from a fixture of two entries."""

    entry: str
    other: str
    difference: float
    """Estimated difference of strengths, in stones per board."""
    error: float
    """Standard error of the difference."""
    gain: float
    """Probability that the two are in the wrong order, times the error, divided by the cost of both."""


class LadderFixture(NamedTuple):
    entries: tuple[str, ...]
    """In the order of the pairing."""
    kind: Kind
    """``floor``: a new entry and random opponents; ``overlap``: most information; ``uniform``: random."""
    pairs: tuple[PairGain, ...]
    """All pairs among the entries."""


class DrawnLadderRound(NamedTuple):
    kind: Kind
    fixtures: tuple[LadderFixture, ...]
    unpaired: tuple[str, ...]


def round_kind(rounds: int) -> Kind:
    """Return the kind of the round after this number of rounds.

    >>> [round_kind(rounds) for rounds in range(6)]
    ['floor', 'floor', 'floor', 'overlap', 'uniform', 'overlap']
    """
    if rounds < FLOOR_ROUNDS:
        return "floor"
    return "overlap" if (rounds - FLOOR_ROUNDS) % 2 == 0 else "uniform"


def estimate_strengths(sets: Iterable[SetScores], entries: Iterable[str]) -> StrengthEstimates:
    """Estimate the strengths of these entries, which may be new, with variances, from the closed sets.

    Other entries, of versions that have left, count as opponents. Costs a ladder's fit and n^3.
    """
    sample = build_sample(sets)
    requested = tuple(sorted(set(entries)))
    names = tuple(sorted({*requested, *sample.entries}))
    n = len(names)
    index = {name: indices for indices, name in enumerate(names)}
    matrix, right = np.zeros((n, n)), np.zeros(n)
    spread = 0.0
    if sample.groups:
        sums = NormalEquations(sample)
        indices = np.array([index[name] for name in sample.entries], np.int64)
        matrix[np.ix_(indices, indices)], right[indices] = sums.as_floats(fixture_weights(sample, sums))
        spread = board_spread(sample)
    inverse = ridge_inverse(matrix, RIDGE)
    indices_of_requested = np.array([index[name] for name in requested], np.int64)
    return StrengthEstimates(
        requested,
        (inverse @ right)[indices_of_requested],
        (spread or DEFAULT_SPREAD) ** 2 * inverse[np.ix_(indices_of_requested, indices_of_requested)],
    )


def next_round(
    contenders: Sequence[LadderContender],
    outlook: StrengthEstimates,
    met: Mapping[tuple[str, str], int],
    *,
    rounds: int,
    lot: random.Random,
    sides: int = 2,
    most_fixtures: int | None = None,
) -> DrawnLadderRound:
    """Return the round after ``rounds`` rounds; deterministic for a lot.

    ``met`` has meetings by two entries in the order of public ids. ``most_fixtures`` is the limit of the
    budget. Costs n^2. Raise ``RatingError`` for fewer than two sides, or a duplicate or unknown entry.
    """
    field = _RoundDraw(contenders, outlook, met, rounds, lot, sides)
    kind = round_kind(rounds)
    tables: list[tuple[Kind, list[int]]] = []
    room = len(contenders) // sides if most_fixtures is None else max(0, most_fixtures)
    for number in field.queue:
        if field.is_new[number] and field.is_free[number] and len(tables) < room:
            tables += [("floor", table) for table in [field.table_by_lot(number)] if table]
    if kind == "overlap":
        tables += [("overlap", table) for table in field.tables_by_gain(room - len(tables))]
    for number in field.queue:
        if field.is_free[number] and len(tables) < room:
            tables += [
                (kind if kind != "overlap" else "uniform", table)
                for table in [field.table_by_lot(number)]
                if table
            ]
    if sides == 2 and len(tables) < room:
        field.repair(tables)
    return DrawnLadderRound(
        kind,
        tuple(field.fixture(why, table) for why, table in tables),
        tuple(field.entries[number] for number in sorted(np.flatnonzero(field.is_free).tolist())),
    )


class _RoundDraw:
    """The contenders by number, and which are still free in the round."""

    def __init__(
        self,
        contenders: Sequence[LadderContender],
        outlook: StrengthEstimates,
        met: Mapping[tuple[str, str], int],
        rounds: int,
        lot: random.Random,
        sides: int,
    ) -> None:
        if sides < 2:
            raise RatingError(f"a fixture has two sides or more, not {sides}")
        given = sorted(contenders, key=lambda contender: contender.entry)
        self.entries = [contender.entry for contender in given]
        known = {name: indices for indices, name in enumerate(outlook.entries)}
        for name in self.entries:
            if name not in known or self.entries.count(name) > 1:
                raise RatingError(f"{name} must be in the outlook, and a contender once")
        indices = np.array([known[name] for name in self.entries], np.int64)
        self.sides = sides
        self.lot = lot
        self.is_new = [contender.rounds < FLOOR_ROUNDS for contender in given]
        self.was_unpaired = [contender.was_unpaired for contender in given]
        self.is_free = np.ones(len(given), np.bool_)
        drawn = lot.sample(range(len(given)), len(given))
        self.queue = sorted(
            drawn, key=lambda a: (not self.is_new[a], not given[a].was_unpaired, given[a].rounds)
        )
        self.difference = outlook.strengths[indices][:, None] - outlook.strengths[indices][None, :]
        own = outlook.variances[np.ix_(indices, indices)]
        spread = np.diagonal(own)[:, None] + np.diagonal(own)[None, :] - 2 * own
        self.error = np.sqrt(np.maximum(spread, 0))
        self.may_meet = _may_meet(given, met, rounds, sides)
        cost = np.array([contender.cost for contender in given])
        self.gain = _wrong_order(self.difference, self.error) * self.error / (cost[:, None] + cost[None, :])

    def table_by_lot(self, start: int) -> list[int]:
        """Return this entry with random free opponents that may all meet; empty if there are too few."""
        table = [start]
        allowed = self.may_meet[start] & self.is_free
        while len(table) < self.sides:
            choices = np.flatnonzero(allowed).tolist()
            if not choices:
                return []
            table.append(self.lot.choice(choices))
            allowed = allowed & self.may_meet[table[-1]]
        self.is_free[table] = False
        return table

    def tables_by_gain(self, most: int) -> list[list[int]]:
        """Greedy: pair the largest gain, then add the entry with the most gain; left-over entries first."""
        tables: list[list[int]] = []
        for number in self.queue:
            if self.was_unpaired[number] and self.is_free[number] and len(tables) < most:
                partners = np.where(self.may_meet[number] & self.is_free, self.gain[number], -1.0)
                if partners.max(initial=-1.0) >= 0:
                    self._fill([number, self._largest(partners)], tables)
        for a, b in self._pairs_by_gain():
            if len(tables) >= most:
                break
            if self.is_free[a] and self.is_free[b]:
                self._fill([a, b], tables)
        return tables

    def _fill(self, table: list[int], tables: list[list[int]]) -> None:
        while len(table) < self.sides:
            allowed = self.may_meet[table].all(axis=0) & self.is_free
            added = np.where(allowed, self.gain[table].sum(axis=0), -1.0)
            if added.max() < 0:
                return
            table.append(self._largest(added))
        self.is_free[table] = False
        tables.append(table)

    def _largest(self, values: FloatArray) -> int:
        """Return the index of the largest value, ties by lot."""
        return self.lot.choice(np.flatnonzero(values == values.max()).tolist())

    def _pairs_by_gain(self) -> list[tuple[int, int]]:
        """Return free pairs, largest gain first, ties by lot: pairs of near neighbours before all others."""
        allowed = self.may_meet & self.is_free[:, None] & self.is_free[None, :]
        near = np.zeros_like(allowed)
        apart = np.where(allowed, np.abs(self.difference), np.inf)
        closest = np.argsort(apart, axis=1, kind="stable")[:, :NEAREST_OPPONENTS]
        np.put_along_axis(near, closest, True, axis=1)
        near |= near.T
        first, second = np.nonzero(np.triu(allowed, 1))
        drawn = np.array([self.lot.random() for _ in range(len(first))])
        order = np.lexsort((drawn, -self.gain[first, second], ~near[first, second]))
        return list(zip(first[order].tolist(), second[order].tolist(), strict=True))

    def repair(self, tables: list[tuple[Kind, list[int]]]) -> None:
        """Split a fixture, preferably a random one, between two left-over entries that may not meet."""
        left = [free for free in self.queue if self.is_free[free]]
        for a, b in combinations(left, 2):
            order = sorted(range(len(tables)), key=lambda number: tables[number][0] == "overlap")
            for number in order if self.is_free[a] and self.is_free[b] else ():
                why, (c, d) = tables[number]
                if not (self.may_meet[a, c] and self.may_meet[b, d]):
                    c, d = d, c
                if self.may_meet[a, c] and self.may_meet[b, d]:
                    drawn: Kind = "uniform" if why == "overlap" else why
                    tables[number] = (drawn, [a, c])
                    tables.append((drawn, [b, d]))
                    self.is_free[[a, b]] = False
                    break

    def fixture(self, kind: Kind, table: Sequence[int]) -> LadderFixture:
        """Return the fixture with its reason, sides by lot."""
        order = self.lot.sample(list(table), len(table))
        return LadderFixture(
            tuple(self.entries[number] for number in order),
            kind,
            tuple(
                PairGain(
                    self.entries[a],
                    self.entries[b],
                    float(self.difference[a, b]),
                    float(self.error[a, b]),
                    float(self.gain[a, b]),
                )
                for a, b in combinations(sorted(table), 2)
            ),
        )


def _may_meet(
    contenders: Sequence[LadderContender], met: Mapping[tuple[str, str], int], rounds: int, sides: int
) -> BoolArray:
    """Return entries x entries: different owners, and neither has met the other too often for its opponents.

    At a table of more than two, the meetings of the new table count as well.
    """
    n = len(contenders)
    index = {contender.entry: number for number, contender in enumerate(contenders)}
    times: IntArray = np.zeros((n, n), np.int64)
    for (a, b), count in met.items():
        if a in index and b in index:
            times[index[a], index[b]] = times[index[b], index[a]] = count
    owners: dict[str, int] = {}
    owner = np.array(
        [
            -1 - number if contender.owner is None else owners.setdefault(contender.owner, len(owners))
            for number, contender in enumerate(contenders)
        ]
    )
    allowed = owner[:, None] != owner[None, :]
    opponents = np.maximum(1, allowed.sum(axis=1))
    meetings = np.where(allowed, times, 0).sum(axis=1)
    coming = 0 if sides == 2 else sides - 1
    most = np.maximum(
        1 + rounds / ROUNDS_PER_MEETING, np.ceil(MAX_MEETING_RATIO * (meetings + coming) / opponents)
    )
    least = np.where(allowed, times, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
    open_to = (times + 1 <= most[:, None]) | (times == least[:, None])
    return np.asarray(allowed & open_to & open_to.T, np.bool_)


def _wrong_order(difference: FloatArray, error: FloatArray) -> FloatArray:
    """Return the probability that two are in the wrong order: Phi(-|d| / se)."""
    n = len(difference)
    upper = np.triu_indices(n, 1)
    ratio = np.abs(difference[upper]) / np.maximum(error[upper], 1e-12)
    half = np.zeros((n, n))
    half[upper] = [_normal_tail(value) for value in ratio.tolist()]
    return np.asarray(half + half.T, np.float64)


def _normal_tail(value: float) -> float:
    return math.erfc(value / math.sqrt(2)) / 2
