"""Simulated seasons for benchmarks of ratings: drawn strengths, and boards that were really played.

Entries play like the bots of ``benchmarks.pool``. On a round's boards, drawn from the pool, the score of
a fixture is the expected score by strengths plus the deviation of the two bots from their mean there. So
most boards are level, scores are skewed, and fixtures on the same boards are correlated, as in reality.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.pool import PoolFixture, pool_fixtures
from league.rating.fixtures import SetScores
from league.rating.ladder import LadderContender, estimate_strengths, next_round

FULL = 500
"""Minimum seasons for which bars apply without tolerance."""
PARTS = 5040
"""Units per stone to which scores are rounded; rounding does not change means."""
FORFEIT = 2.0
USUAL = ("rules", "greedy", "r_e03", "r_e10", "r_e25", "r_keep", "r_void", "g_e30")
"""Sensible bots of the pool; a board score has a standard deviation of 0.70 stones."""
NEAR_EQUAL = ("rules", "r_e03", "r_e10", "r_keep", "r_void")
"""Bots of the pool that play most boards alike."""

Real = NDArray[np.float64]
Whole = NDArray[np.int64]


class SeasonCase(NamedTuple):
    name: str
    entries: int
    rounds: int
    boards: int
    sides: int = 2
    strengths: float = 0.3
    """Standard deviation of strengths, in stones per board."""
    clones: int = 1
    """Versions per bot; their strengths differ by a tenth of the standard deviation."""
    is_alike: bool = True
    """Whether each entry plays like one bot of the pool, so that several play alike on every board;
    otherwise, each fixture is like a random fixture of the pool.
    """
    is_near_equal: bool = False
    is_real: bool = False
    intransitive: float = 0.0
    forfeits: float = 0.0
    pairing: str = "lot"
    is_mean: bool = True


class ShareEstimate(NamedTuple):
    """A percentage over seasons, with its standard error; entries of a season are correlated."""

    percent: float
    error: float
    seasons: int

    def is_within(self, low: float, high: float) -> bool:
        """Return whether the share is within bounds; few seasons get a tolerance."""
        room = tolerance(self.error, self.seasons)
        return low - room <= self.percent <= high + room


def estimate_share(parts: Iterable[tuple[int, int]]) -> ShareEstimate:
    """Estimate a share from (hits, cases) by season."""
    given = np.array(list(parts), np.float64)
    total = float(given[:, 0].sum() / given[:, 1].sum())
    off = given[:, 0] - total * given[:, 1]
    # Even if all or none hit, allow for one season that is different.
    error = max(float(np.sqrt((off**2).sum())), 1.0) / float(given[:, 1].sum())
    return ShareEstimate(100 * total, 100 * error, len(given))


def tolerance(error: float, seasons: int) -> float:
    return 3 * error if seasons < FULL else 0.0


class SimulatedField:
    """Drawn strengths of entries, and board scores of their fixtures."""

    def __init__(self, case: SeasonCase, rng: np.random.Generator) -> None:
        n = case.entries
        self.case, self.rng = case, rng
        self.names = tuple(f"e{number:04}" for number in range(n))
        apart = rng.normal(0, case.strengths, -(-n // case.clones))
        self.strengths = np.repeat(apart, case.clones)[:n]
        if case.clones > 1:
            self.strengths = self.strengths + rng.normal(0, case.strengths / 10, n)
        upper = np.triu(rng.normal(0, case.intransitive, (n, n)), 1)
        self.beyond = upper - upper.T
        self._pool = [
            pool_fixture for pool_fixture in pool_fixtures() if len(pool_fixture.bots) == case.sides
        ]
        known = sorted({bot for fixture in self._pool for bot in fixture.bots})
        like = [bot for bot in known if case.is_real or bot in (NEAR_EQUAL if case.is_near_equal else USUAL)]
        self.like = tuple(like[index] for index in rng.integers(len(like), size=n))
        if case.is_real:
            self.like = tuple(known[:n])
            means = {frozenset(pool_fixture.bots): pool_fixture for pool_fixture in self._pool}
            self.strengths = np.zeros(n)
            for a, b in combinations(range(n), 2):
                pool_fixture = means[frozenset((self.like[a], self.like[b]))]
                self.beyond[a, b] = pool_fixture.scores[:, pool_fixture.bots.index(self.like[a])].mean()
                self.beyond[b, a] = -self.beyond[a, b]
        if case.sides == 2:
            self._fixture_of = self._fixtures_by_bots(like)
        # Forfeits are equally likely for both sides and leave this share of played boards.
        left = 1 - 2 * case.forfeits
        expected = left * (self.strengths[:, None] - self.strengths[None, :] + self.beyond)
        self.truth = expected.mean(axis=1)

    def round(self, number: int, met: Whole) -> SetScores:
        """Return the scores of a round. ``met`` has shape fixtures x sides; all fixtures play the same
        boards.
        """
        case, rng = self.case, self.rng
        count, m, k = len(met), case.sides, case.boards
        noise = self.noise(met)
        own = self.strengths[met]
        mean = m / (m - 1) * (own - own.mean(axis=1, keepdims=True))
        for side in range(m):
            for other in range(m):
                if side != other:
                    mean[:, side] += self.beyond[met[:, side], met[:, other]] / (m - 1)
        scores = np.rint((mean[:, None, :] + noise)[:, :, :-1] * PARTS).astype(np.int64)
        is_ruled: NDArray[np.bool_] = np.zeros(count, np.bool_)
        if case.forfeits:
            has_forfeited = rng.random((count, 2)) < case.forfeits
            is_ruled = has_forfeited[:, 0] | has_forfeited[:, 1]
            value = (has_forfeited[:, 1].astype(np.int64) - has_forfeited[:, 0]) * int(FORFEIT * PARTS)
            scores[is_ruled] = value[is_ruled, None, None]
        assert scores.shape == (count, k, m - 1)
        whole = np.concatenate([scores, -scores.sum(axis=2, keepdims=True)], axis=2)
        return SetScores(
            f"s{number:03}",
            self.names,
            tuple(f"f{number:03}-{index:04}" for index in range(count)),
            met[:, :, None].astype(np.int64),
            whole,
            PARTS,
            is_ruled,
        )

    def noise(self, met: Whole) -> Real:
        """Return deviations of the bots from their mean on drawn boards: fixtures x boards x sides, mean 0
        over the pool.
        """
        boards = self.rng.integers(len(self._pool[0].scores), size=self.case.boards)
        if self.case.sides > 2:
            # The pool has few tables: draw the table and the seating.
            noise_by_fixture = []
            for table in self.rng.integers(len(self._pool), size=len(met)):
                seats = self.rng.permutation(self.case.sides)
                noise_by_fixture.append(self._pool[int(table)].residuals[boards][:, seats])
            return np.array(noise_by_fixture)
        if self.case.is_alike:
            first, second = ([self.like[index] for index in met[:, side]] for side in (0, 1))
        else:
            like = np.array(sorted({bot for bot, _ in self._fixture_of}))
            first, second = (self.rng.choice(like, len(met)).tolist() for _ in range(2))
        rows = [self._fixture_of[pair] for pair in zip(first, second, strict=True)]
        values = np.array([sign * off[boards] for off, sign in rows])
        return np.stack([values, -values], axis=2)

    def _fixtures_by_bots(self, bots: Sequence[str]) -> dict[tuple[str, str], tuple[Real, float]]:
        """Return, by first and second bot, the deviations of the first from its mean, and their sign."""
        fixtures: dict[tuple[str, str], tuple[Real, float]] = {}
        by_bots: dict[frozenset[str], PoolFixture] = {
            frozenset(fixture.bots): fixture for fixture in self._pool
        }
        for index, bot in enumerate(bots):
            for other in bots:
                # Two entries that play like one bot differ like this bot and the next one.
                second = other if other != bot else bots[(index + 1) % len(bots)]
                fixture = by_bots[frozenset((bot, second))]
                fixtures[bot, other] = fixture.residuals[:, 0], 1.0 if fixture.bots[0] == bot else -1.0
        return fixtures


def pair_by_lot(field: SimulatedField) -> Whole:
    """Pair all entries once, at random, as far as tables are full."""
    order = field.rng.permutation(field.case.entries)
    tables = field.case.entries // field.case.sides
    return np.asarray(order[: tables * field.case.sides].reshape(tables, field.case.sides), np.int64)


def pair_round_robin(entries: int, number: int) -> Whole:
    """Return a round of a round robin; with an odd number, one entry sits out."""
    seats = entries + entries % 2
    order = [0, *((index - number) % (seats - 1) + 1 for index in range(seats - 1))]
    pairs = [(order[index], order[-1 - index]) for index in range(seats // 2)]
    return np.array([pair for pair in pairs if max(pair) < entries], np.int64)


def pair_by_score(field: SimulatedField, totals: Real, before: set[tuple[int, int]]) -> Whole:
    """Pair neighbours in the current table that have not met, with random sides."""
    left = np.argsort(-totals - field.rng.random(len(totals)) * 1e-6).tolist()
    pairs = []
    while len(left) > 1:
        first = left.pop(0)
        index = next((index for index, other in enumerate(left) if (first, other) not in before), 0)
        other = left.pop(index)
        pairs.append((first, other) if field.rng.random() < 0.5 else (other, first))
        before |= {(first, other), (other, first)}
    return np.array(pairs, np.int64)


class LadderPairing:
    """Rounds of a ladder as ``league.rating.ladder`` draws them."""

    def __init__(self, field: SimulatedField) -> None:
        self._field = field
        self._lot = random.Random(int(field.rng.integers(2**31)))
        self._meetings: dict[tuple[str, str], int] = {}
        self._rounds = 0
        self._unpaired: frozenset[str] = frozenset()

    def next(self, sets: Sequence[SetScores]) -> Whole:
        """Return the pairing after these sets."""
        names = self._field.names
        contenders = [LadderContender(name, None, self._rounds, name in self._unpaired) for name in names]
        drawn = next_round(
            contenders,
            estimate_strengths(sets, names),
            self._meetings,
            rounds=self._rounds,
            lot=self._lot,
            sides=self._field.case.sides,
        )
        position = {name: index for index, name in enumerate(names)}
        for fixture in drawn.fixtures:
            for a, b in combinations(sorted(fixture.entries), 2):
                self._meetings[a, b] = self._meetings.get((a, b), 0) + 1
        self._rounds += 1
        self._unpaired = frozenset(drawn.unpaired)
        return np.array(
            [[position[name] for name in fixture.entries] for fixture in drawn.fixtures], np.int64
        )


def season_sets(field: SimulatedField) -> list[SetScores]:
    case = field.case
    sets: list[SetScores] = []
    totals = np.zeros(case.entries)
    before: set[tuple[int, int]] = set()
    ladder = LadderPairing(field)
    for number in range(case.rounds):
        if case.pairing == "swiss":
            met = pair_by_score(field, totals, before)
        elif case.pairing == "ladder":
            met = ladder.next(sets)
        elif case.pairing == "turn":
            met = pair_round_robin(case.entries, number)
        else:
            met = pair_by_lot(field)
        sets.append(field.round(number, met))
        np.add.at(totals, met, sets[-1].scores.sum(axis=1) / PARTS)
    return sets
