"""Who meets whom in the next round of a ladder, and why.

New entries play a floor of rounds against opponents by lot. After it rounds by overlap and by lot take turns:
an overlap round makes the fixtures that tell most about the order, which alone would distort the scale of
strengths; the rounds by lot repair it. Nobody meets an entry of its own owner, or the same opponent again and
again. Who is left over comes first in the next round, after the new ones.
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
"""Rounds everybody plays by lot before results choose opponents."""
NEAREST_OPPONENTS = 12
"""Opponents in order of strength that an overlap round considers first, each."""
ROUNDS_PER_MEETING = 15
"""One more meeting with the same opponent is allowed for so many rounds."""
MAX_MEETING_RATIO = 1.5
"""And so many times as many as if all opponents had been met equally often."""
DEFAULT_SPREAD = 0.7
"""Of a board score in stones, before there are any."""

Kind = Literal["floor", "overlap", "uniform"]


class LadderContender(NamedTuple):
    """An entry that may play."""

    entry: str
    owner: str | None
    """Equal values are one owner; None: nobody's, may meet everybody."""
    rounds: int
    """Played on this ladder so far."""
    was_left_over: bool = False
    """By the round before."""
    cost: float = 1.0
    """Of a board, as CPU seconds or any other unit; above 0."""


class StrengthEstimates(NamedTuple):
    """What results so far say of the contenders."""

    entries: tuple[str, ...]
    """Sorted."""
    strengths: FloatArray
    """In stones a board."""
    variances: FloatArray
    """Entries x entries: sd^2 (N + ridge)^-1, in stones squared."""


class PairGain(NamedTuple):
    """What a fixture of two would tell."""

    entry: str
    other: str
    difference: float
    """Of strengths as estimated, in stones a board."""
    error: float
    """Its standard error."""
    gain: float
    """Chance that the two stand in the wrong order, times the error, by the cost of both."""


class LadderFixture(NamedTuple):
    """Who meets, and the reason."""

    entries: tuple[str, ...]
    """In the order of the pairing."""
    kind: Kind
    """``floor``: a new entry and others by lot; ``overlap``: the most to tell; ``uniform``: by lot."""
    pairs: tuple[PairGain, ...]
    """Every two of them."""


class DrawnLadderRound(NamedTuple):
    """A round; who is in no fixture comes first in the next."""

    kind: Kind
    fixtures: tuple[LadderFixture, ...]
    left_over: tuple[str, ...]


def round_kind(rounds: int) -> Kind:
    """What round comes after so many of the ladder.

    >>> [kind_of_round(rounds) for rounds in range(6)]
    ['floor', 'floor', 'floor', 'overlap', 'uniform', 'overlap']
    """
    if rounds < FLOOR_ROUNDS:
        return "floor"
    return "overlap" if (rounds - FLOOR_ROUNDS) % 2 == 0 else "uniform"


def estimate_strengths(sets: Iterable[SetScores], entries: Iterable[str]) -> StrengthEstimates:
    """Strengths of these entries from the ladder's closed sets, and how sure they are; all may be new.

    Other entries, of versions that have left, count as opponents. Costs a ladder's fit and n^3.
    """
    sample = build_sample(sets)
    asked = tuple(sorted(set(entries)))
    everybody = tuple(sorted({*asked, *sample.entries}))
    n = len(everybody)
    place = {name: at for at, name in enumerate(everybody)}
    matrix, right = np.zeros((n, n)), np.zeros(n)
    spread = 0.0
    if sample.groups:
        sums = NormalEquations(sample)
        at = np.array([place[name] for name in sample.entries], np.int64)
        matrix[np.ix_(at, at)], right[at] = sums.as_floats(fixture_weights(sample, sums))
        spread = board_spread(sample)
    inverse = ridge_inverse(matrix, RIDGE)
    kept = np.array([place[name] for name in asked], np.int64)
    return StrengthEstimates(
        asked, (inverse @ right)[kept], (spread or DEFAULT_SPREAD) ** 2 * inverse[np.ix_(kept, kept)]
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
    """The round after ``rounds`` of them; the same for the same lot.

    ``met`` has meetings by two entries in the order of public ids; whoever is missing there never met.
    ``most_fixtures`` is what the budget allows. Costs n^2.

    Raises:
        RatingError: fewer than two sides, an entry twice, or one the outlook does not know.
    """
    field = _RoundDraw(contenders, outlook, met, rounds, lot, sides)
    kind = round_kind(rounds)
    tables: list[tuple[Kind, list[int]]] = []
    room = len(contenders) // sides if most_fixtures is None else max(0, most_fixtures)
    for at in field.queue:
        if field.is_new[at] and field.is_free[at] and len(tables) < room:
            tables += [("floor", table) for table in [field.table_by_lot(at)] if table]
    if kind == "overlap":
        tables += [("overlap", table) for table in field.tables_by_gain(room - len(tables))]
    for at in field.queue:
        if field.is_free[at] and len(tables) < room:
            tables += [
                (kind if kind != "overlap" else "uniform", table)
                for table in [field.table_by_lot(at)]
                if table
            ]
    if sides == 2 and len(tables) < room:
        field.repair(tables)
    return DrawnLadderRound(
        kind,
        tuple(field.fixture(why, table) for why, table in tables),
        tuple(field.entries[at] for at in sorted(np.flatnonzero(field.is_free).tolist())),
    )


class _RoundDraw:
    """The contenders by number, and who is still free in the round that is drawn."""

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
        given = sorted(contenders, key=lambda one: one.entry)
        self.entries = [one.entry for one in given]
        known = {name: at for at, name in enumerate(outlook.entries)}
        for name in self.entries:
            if name not in known or self.entries.count(name) > 1:
                raise RatingError(f"{name} must be in the outlook, and a contender once")
        at = np.array([known[name] for name in self.entries], np.int64)
        self.sides = sides
        self.lot = lot
        self.is_new = [one.rounds < FLOOR_ROUNDS for one in given]
        self.was_left_over = [one.was_left_over for one in given]
        self.is_free = np.ones(len(given), np.bool_)
        drawn = lot.sample(range(len(given)), len(given))
        self.queue = sorted(
            drawn, key=lambda a: (not self.is_new[a], not given[a].was_left_over, given[a].rounds)
        )
        self.difference = outlook.strengths[at][:, None] - outlook.strengths[at][None, :]
        own = outlook.variances[np.ix_(at, at)]
        spread = np.diagonal(own)[:, None] + np.diagonal(own)[None, :] - 2 * own
        self.error = np.sqrt(np.maximum(spread, 0))
        self.may_meet = _may_meet(given, met, rounds, sides)
        cost = np.array([one.cost for one in given])
        self.gain = _wrong_order(self.difference, self.error) * self.error / (cost[:, None] + cost[None, :])

    def table_by_lot(self, start: int) -> list[int]:
        """This one with others by lot, free and allowed to meet all at the table; empty if too few are."""
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
        """Greedy: the two with the largest gain, then whoever adds most; the left over come first."""
        found: list[list[int]] = []
        for at in self.queue:
            if self.was_left_over[at] and self.is_free[at] and len(found) < most:
                partners = np.where(self.may_meet[at] & self.is_free, self.gain[at], -1.0)
                if partners.max(initial=-1.0) >= 0:
                    self._fill([at, self._largest(partners)], found)
        for a, b in self._pairs_by_gain():
            if len(found) >= most:
                break
            if self.is_free[a] and self.is_free[b]:
                self._fill([a, b], found)
        return found

    def _fill(self, table: list[int], found: list[list[int]]) -> None:
        while len(table) < self.sides:
            allowed = self.may_meet[table].all(axis=0) & self.is_free
            added = np.where(allowed, self.gain[table].sum(axis=0), -1.0)
            if added.max() < 0:
                return
            table.append(self._largest(added))
        self.is_free[table] = False
        found.append(table)

    def _largest(self, values: FloatArray) -> int:
        """The place of the largest value, of equal ones by lot."""
        return self.lot.choice(np.flatnonzero(values == values.max()).tolist())

    def _pairs_by_gain(self) -> list[tuple[int, int]]:
        """Free pairs, largest gain first, ties by lot: those of near neighbours before all others."""
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
        """Two who are left and may not meet part the two of a fixture, drawn by lot if possible."""
        left = [at for at in self.queue if self.is_free[at]]
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
        """With its reason, sides by lot."""
        order = self.lot.sample(list(table), len(table))
        return LadderFixture(
            tuple(self.entries[at] for at in order),
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
    """Entries x entries: not of one owner, and neither has met the other too often for its opponents.

    At a table of more than two the meetings it brings count as well: of four entries, three of which have
    met once, no three could be seated otherwise.
    """
    n = len(contenders)
    place = {one.entry: at for at, one in enumerate(contenders)}
    times: IntArray = np.zeros((n, n), np.int64)
    for (a, b), count in met.items():
        if a in place and b in place:
            times[place[a], place[b]] = times[place[b], place[a]] = count
    owners: dict[str, int] = {}
    owner = np.array(
        [
            -1 - at if one.owner is None else owners.setdefault(one.owner, len(owners))
            for at, one in enumerate(contenders)
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
    """The chance that two stand in the wrong order: Phi(-|d| / se)."""
    n = len(difference)
    upper = np.triu_indices(n, 1)
    ratio = np.abs(difference[upper]) / np.maximum(error[upper], 1e-12)
    half = np.zeros((n, n))
    half[upper] = [_normal_tail(value) for value in ratio.tolist()]
    return np.asarray(half + half.T, np.float64)


def _normal_tail(value: float) -> float:
    return math.erfc(value / math.sqrt(2)) / 2
