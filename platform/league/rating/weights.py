"""Weights of a ladder's fixtures: a result far from both strengths counts for less.

Entries that lose on purpose give a fixture a large misfit, so their friends lose two thirds of the gain or
more. Board scores are mostly 0 and skewed, so single boards are never weighted.

Source: P. J. Huber, Robust estimation of a location parameter (1964).
"""

from __future__ import annotations

import numpy as np

from league.rating.equations import FULL_WEIGHT, NormalEquations
from league.rating.fixtures import FixtureGroup, FloatArray, IntArray, RatingSample
from league.rating.solve import ridge_solution

REFITS = 12
"""Maximum alternations of weights and strengths, starting with full weights."""
MAX_FULL_WEIGHT_RATIO = 2.0
"""Maximum misfit with full weight, relative to the usual misfit; 3 would spare half of a friend's gain."""


def misfits(group: FixtureGroup, theta: FloatArray) -> FloatArray:
    """Return fixtures x sides: mean board scores less their prediction, in stones per board."""
    strength = mean_over_last_axis(theta[group.members])
    expected = strength - mean_over_last_axis(strength)[:, None]
    return np.asarray(group.means - group.sides / (group.sides - 1) * expected, np.float64)


def mean_over_last_axis(values: FloatArray) -> FloatArray:
    """Return the mean over the last axis, faster than numpy's for short axes."""
    total = values[..., 0].copy()
    for index in range(1, values.shape[-1]):
        total += values[..., index]
    return np.asarray(total / values.shape[-1], np.float64)


def fixture_weights(sample: RatingSample, sums: NormalEquations | None = None) -> tuple[IntArray, ...]:
    """Return weights of every group's fixtures, in ``FULL_WEIGHT``; all must be connected. Costs ``REFITS``
    fits.

    Forfeited and ruled fixtures keep full weight. ``sums`` are those of the sample, if known.
    """
    sums = sums or NormalEquations(sample)
    theta: FloatArray | None = None
    weights = tuple(np.full(len(group.fixtures), FULL_WEIGHT, np.int64) for group in sample.groups)
    spread = board_spread(sample)
    for _ in range(REFITS):
        theta = ridge_solution(*sums.as_floats(weights), near=theta)
        sizes = [np.sqrt(mean_over_last_axis(misfits(group, theta) ** 2)) for group in sample.groups]
        usual = float(np.median(np.concatenate(sizes)))
        before = weights
        weights = tuple(
            _weights(group, size, max(usual, spread / group.boards**0.5))
            for group, size in zip(sample.groups, sizes, strict=True)
        )
        # Refits depend on the weights alone, so further ones would change nothing.
        if all(np.array_equal(a, b) for a, b in zip(before, weights, strict=True)):
            break
    return weights


def _weights(group: FixtureGroup, size: FloatArray, usual: float) -> IntArray:
    share = np.ones(len(size))
    large = size > MAX_FULL_WEIGHT_RATIO * usual
    share[large] = MAX_FULL_WEIGHT_RATIO * usual / size[large]
    share[group.is_ruled] = 1.0
    return np.asarray(np.maximum(np.rint(share * FULL_WEIGHT), 1), np.int64)


def board_spread(sample: RatingSample) -> float:
    """Return the pooled standard deviation of a side's board score within its fixture, in stones."""
    squares = sum(float((group.residuals**2).sum()) for group in sample.groups)
    degrees = sum(len(group.fixtures) * group.sides * (group.boards - 1) for group in sample.groups)
    return float((squares / degrees) ** 0.5) if degrees else 0.0
