"""Maximisation of a noisy function of a few numbers by local quadratic regression.

Source: R. Coulom, CLOP: confident local optimization for noisy black-box parameter tuning (2011). A quadratic
function is fitted to all scores. Samples for which it is clearly below the weighted mean lose weight, and the
fit is repeated. New points are drawn where weights are high, ever closer to the optimum. Differences from
CLOP: scores are stones instead of wins, so the regression uses least squares; the points of a block are
played on the same boards against the same opponent, so only differences within a block count; the optimum has
an interval from fits on resampled blocks (bootstrap).
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Real = NDArray[np.float64]

SPREAD = 6.0
"""CLOP's H: a sample this many standard errors below the weighted mean has weight 1/e.

CLOP's own value of 3 was less accurate in simulated searches with one parameter and a quadratic truth.
"""
FIT_ROUNDS = 12
"""Rounds of fitting and weighting; weights hardly change after this many."""
RIDGE = 1e-6
"""Ridge term, relative to the largest diagonal element: keeps the equations solvable with few samples."""
MIN_RELATIVE_WEIGHT = 0.1
"""Minimum weight, relative to the largest, of samples that bound the optimum; fits fail further out."""
RESAMPLES = 200
ASCENT_SWEEPS = 30
CANDIDATES_PER_POINT = 400
MIN_WEIGHT = 1e-12


class Samples(NamedTuple):
    """Played points, one row each. Coordinates are from -1 to 1."""

    points: Real
    scores: Real
    """Average board score of each point in its block."""
    blocks: NDArray[np.int64]
    """Block of each point, from 0."""


class QuadraticFit(NamedTuple):
    """A quadratic function up to a constant, with the weights of its samples."""

    coefficients: Real
    weights: Real
    """One per sample."""
    level: float
    error: float
    """Standard error of ``level``."""

    def weight_at(self, points: Real) -> Real:
        """Return the weight, from 0 to 1, that samples at these points would have."""
        return _weights(features(points) @ self.coefficients, self.level, self.error)


def features(points: Real) -> Real:
    columns = range(points.shape[1])
    products = [points[:, i] * points[:, j] for i, j in itertools.combinations_with_replacement(columns, 2)]
    return np.column_stack([points, *products])


def min_blocks(dimensions: int, points: int) -> int:
    """Return the blocks after which there are twice as many differences as coefficients."""
    coefficients = dimensions + dimensions * (dimensions + 1) // 2
    return -(-2 * coefficients // (points - 1))


def fit_quadratic(samples: Samples) -> QuadraticFit:
    table = features(samples.points)
    weights = np.ones(len(samples.scores))
    for _ in range(FIT_ROUNDS):
        coefficients, noise = _regression(table, samples, weights)
        values = table @ coefficients
        level = float(np.average(values, weights=weights))
        error = noise / float(np.sqrt(weights.sum()))
        # Weights only fall: this ends, and what was clearly worse once does not come back.
        weights = np.maximum(np.minimum(weights, _weights(values, level, error)), MIN_WEIGHT)
    return QuadraticFit(coefficients, weights, level, error)


def best_point(fit: QuadraticFit, samples: Samples) -> Real:
    """Return the maximum of the function within the range of the samples with sufficient weight."""
    near = samples.points[fit.weights >= MIN_RELATIVE_WEIGHT * fit.weights.max()]
    low, high = near.min(axis=0), near.max(axis=0)
    starts = np.vstack([near, (low + high) / 2])
    values = features(starts) @ fit.coefficients
    return max(
        (_coordinate_ascent(fit.coefficients, starts[index], low, high) for index in np.argsort(-values)[:4]),
        key=lambda point: float((features(point[None, :]) @ fit.coefficients)[0]),
    )


def next_points(samples: Samples, count: int, rng: np.random.Generator) -> Real:
    """Return ``count`` points for the next block: mirrored pairs at first, later drawn by weight."""
    dimensions = samples.points.shape[1]
    blocks = 0 if not len(samples.blocks) else int(samples.blocks.max()) + 1
    if blocks < min_blocks(dimensions, count):
        half = rng.uniform(-1, 1, (-(-count // 2), dimensions))
        return np.vstack([half, -half])[:count]
    fit = fit_quadratic(samples)
    tries = rng.uniform(-1, 1, (CANDIDATES_PER_POINT * count, dimensions))
    weights = fit.weight_at(tries)
    accepted = np.flatnonzero(rng.uniform(0, 1, len(tries)) < weights)
    if len(accepted) < count:  # so small a region that chance misses it
        accepted = np.argsort(-weights, kind="stable")
    return tries[accepted[:count]]


def best_with_interval(samples: Samples, rng: np.random.Generator) -> tuple[Real, Real, Real]:
    """Return the best point and the ends of its 95% interval by coordinate (bootstrap over blocks)."""
    best = best_point(fit_quadratic(samples), samples)
    members = [np.flatnonzero(samples.blocks == block) for block in range(int(samples.blocks.max()) + 1)]
    best_points = []
    for _ in range(RESAMPLES):
        drawn = rng.integers(0, len(members), len(members))
        rows = np.concatenate([members[block] for block in drawn])
        blocks = np.concatenate([np.full(len(members[block]), index) for index, block in enumerate(drawn)])
        again = Samples(samples.points[rows], samples.scores[rows], blocks)
        best_points.append(best_point(fit_quadratic(again), again))
    low, high = np.quantile(np.array(best_points), [0.025, 0.975], axis=0)
    return best, np.minimum(low, best), np.maximum(high, best)


def _weights(values: Real, level: float, error: float) -> Real:
    if error <= 0:
        return np.ones_like(values)
    return np.exp(np.clip((values - level) / (SPREAD * error), -50, 0))


def _regression(table: Real, samples: Samples, weights: Real) -> tuple[Real, float]:
    """Return coefficients of weighted least squares with a constant per block, and the noise of a sample."""
    count = int(samples.blocks.max()) + 1
    total = np.bincount(samples.blocks, weights, count)
    columns = np.column_stack([table, samples.scores])
    means = np.column_stack(
        [np.bincount(samples.blocks, weights * column, count) / total for column in columns.T]
    )
    centred = columns - means[samples.blocks]
    x, y = centred[:, :-1], centred[:, -1]
    matrix = (x * weights[:, None]).T @ x
    matrix += np.eye(len(matrix)) * (RIDGE * max(float(matrix.diagonal().max()), MIN_WEIGHT))
    solution = np.linalg.solve(matrix, (x * weights[:, None]).T @ y)
    coefficients = np.asarray(solution, dtype=np.float64)
    residuals = y - x @ coefficients
    # The degrees of freedom that weights leave: as many samples as they stand for.
    effective = float(weights.sum()) ** 2 / float((weights**2).sum())
    spent = min(effective - 1, effective * (count / len(y)) + x.shape[1])
    freedom = max(effective - spent, 1.0)
    noise = float(np.sqrt((weights * residuals**2).sum() / weights.sum() * effective / freedom))
    return coefficients, noise


def _coordinate_ascent(coefficients: Real, start: Real, low: Real, high: Real) -> Real:
    """Return the maximum reached from ``start`` by coordinate ascent within bounds."""
    point, dimensions = start.copy(), len(start)
    curvature = np.zeros((dimensions, dimensions))
    pairs = itertools.combinations_with_replacement(range(dimensions), 2)
    for (i, j), coefficient in zip(pairs, coefficients[dimensions:], strict=True):
        curvature[i, j] += coefficient
        curvature[j, i] += coefficient
    for _ in range(ASCENT_SWEEPS):
        for i in range(dimensions):
            slope = coefficients[i] + curvature[i] @ point - curvature[i, i] * point[i]
            bend = curvature[i, i]
            if bend < 0:
                point[i] = np.clip(-slope / bend, low[i], high[i])
            else:
                ends = [slope * end + bend * end * end / 2 for end in (low[i], high[i])]
                point[i] = high[i] if ends[1] > ends[0] else low[i]
    return point
