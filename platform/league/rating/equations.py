"""The exact normal equations of a rating: N theta = r with whole numbers over a common denominator.

A fixture of k boards between m sides expects for side s ``m/(m-1)`` times the distance of its strength from
the mean of all sides, which is its own strength less the mean of the others'. Least squares over boards gives

    N = sum over fixtures of  h k m/(m-1) C'PC        r = sum over fixtures of  h k C' xbar

with ``C`` the mean over a side's members, ``P`` centring over sides and ``h`` the weight of the fixture.
Between two sides of one member each, this adds k on the diagonal and -k off it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from league.errors import RatingError
from league.rating.fixtures import MAX_EXACT, FixtureGroup, FloatArray, IntArray, RatingSample

FULL_WEIGHT = 4096
"""Denominator of the weights of fixtures, which are whole numbers."""


class NormalEquations:
    """N and r of a sample for any weights of its fixtures, exact; only those below full weight have a cost.

    Weights are, for every group, in parts of ``FULL_WEIGHT``; None: all full.
    """

    def __init__(self, sample: RatingSample) -> None:
        n = len(sample.entries)
        self._groups = sample.groups
        self._share = math.lcm(1, *(group.per_side**2 * (group.sides - 1) for group in sample.groups))
        self._full = np.zeros((n, n))
        for group in sample.groups:
            self._full += _link_matrix(group, np.full(len(group.fixtures), float(self._scale(group))), n)
        self._won = [
            np.bincount(
                group.members.reshape(-1),
                np.repeat(group.totals.reshape(-1), group.per_side).astype(np.float64),
                n,
            )
            for group in sample.groups
        ]

    def matrix(self, weights: Sequence[IntArray] | None = None) -> tuple[FloatArray, int]:
        """Return N in whole numbers, stored as floats, and its denominator."""
        parts = 1 if weights is None else FULL_WEIGHT
        # Sums of whole numbers are exact as floats up to MAX_EXACT; no element of N exceeds the diagonal.
        if float(np.diagonal(self._full).max(initial=0)) * parts >= MAX_EXACT:
            raise RatingError("too many boards to add up exactly")
        total = self._full * float(parts)
        for group, light, less in self._reduced_fixtures(weights):
            size = less * float(self._scale(group))
            flat = group.members[light].reshape(len(light), group.sides * group.per_side)
            side = np.repeat(np.arange(group.sides), group.per_side)
            for a, b in product(range(flat.shape[1]), repeat=2):
                of_pair = group.sides - 1.0 if side[a] == side[b] else -1.0
                np.subtract.at(total, (flat[:, a], flat[:, b]), size * of_pair)
        return total, self._share * parts

    def right_side(self, weights: Sequence[IntArray] | None = None) -> tuple[NDArray[np.object_], int]:
        """Return r in whole numbers of any size, and its denominator in parts of a stone."""
        weight = 1 if weights is None else FULL_WEIGHT
        won = [values * float(weight) for values in self._won]
        for number, (group, light, less) in enumerate(self._reduced_fixtures(weights)):
            missing = np.repeat((group.totals[light] * less[:, None]).reshape(-1), group.per_side)
            np.subtract.at(won[number], group.members[light].reshape(-1), missing)
        sizes = [group.parts * group.per_side for group in self._groups]
        parts = math.lcm(1, *sizes)
        total = np.zeros(len(self._full), np.object_)
        for values, size in zip(won, sizes, strict=True):
            total += values.astype(np.int64).astype(np.object_) * (parts // size)
        return total, parts * weight

    def as_floats(self, weights: Sequence[IntArray] | None = None) -> tuple[FloatArray, FloatArray]:
        """Return N in boards and r in stones, each value the nearest float."""
        matrix, parts = self.matrix(weights)
        right, stones = self.right_side(weights)
        matrix /= float(parts)
        return matrix, np.asarray(right / stones, np.float64)

    def _scale(self, group: FixtureGroup) -> int:
        """Return what a fixture of full weight adds for a pair of members, in ``_share`` of a board."""
        return group.boards * (self._share // (group.per_side**2 * (group.sides - 1)))

    def _reduced_fixtures(
        self, weights: Sequence[IntArray] | None
    ) -> Iterator[tuple[FixtureGroup, IntArray, FloatArray]]:
        """Yield, by group, its fixtures below full weight and their missing weight."""
        for group, some in zip(self._groups, weights or (), strict=False):
            light = np.flatnonzero(some != FULL_WEIGHT)
            yield group, light, (FULL_WEIGHT - some[light]).astype(np.float64)


def misfit_matrix(sample: RatingSample, weights: Sequence[IntArray] | None = None) -> FloatArray:
    """Return the sum of h^2 k^2 C'PC: the effect on r of a unit of misfit in every fixture."""
    n = len(sample.entries)
    total = np.zeros((n, n))
    for number, group in enumerate(sample.groups):
        h = np.ones(len(group.fixtures)) if weights is None else weights[number] / FULL_WEIGHT
        total += _link_matrix(group, (h * group.boards) ** 2 / (group.per_side**2 * group.sides), n)
    return total


def _link_matrix(group: FixtureGroup, size: FloatArray, n: int) -> FloatArray:
    """Return the sum over fixtures of size x (m on one side, less 1 everywhere); exact for whole sizes."""
    flat = group.members.reshape(len(group.fixtures), -1)
    side = np.repeat(np.arange(group.sides), group.per_side)
    places: list[IntArray] = []
    values: list[FloatArray] = []
    for a in range(flat.shape[1]):
        for b in range(a + 1, flat.shape[1]):
            places.append(flat[:, a] * n + flat[:, b])
            values.append(size * (group.sides - 1.0 if side[a] == side[b] else -1.0))
    half = np.bincount(np.concatenate(places), np.concatenate(values), n * n).reshape(n, n)
    whole = half + half.T
    diagonal = np.bincount(flat.reshape(-1), np.repeat(size * (group.sides - 1.0), flat.shape[1]), n)
    whole[np.arange(n), np.arange(n)] += diagonal
    return np.asarray(whole, np.float64)
