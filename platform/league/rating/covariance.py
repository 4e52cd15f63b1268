"""Covariance of all rating estimates, clustered by board, with a term for misfit.

Fixtures of a round are played on the same boards, so their errors are correlated. Errors that are constant
within a fixture (a bot that does better against some opponents, a forfeited table) are invisible to board
clusters; the misfit term adds their variance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from league.rating.equations import FULL_WEIGHT, misfit_matrix
from league.rating.fixtures import BoolArray, FloatArray, IntArray, RatingSample
from league.rating.weights import misfits


class CovarianceEstimate(NamedTuple):
    """Basis of the intervals."""

    covariance: FloatArray
    """Entries x entries, in stones squared."""
    degrees: IntArray
    """Degrees of freedom by entry: boards less 1, over the sets it played in."""
    misfit: float
    """Variance, in stones squared, of a side's fixture mean that strengths do not explain."""


def estimate_covariance(
    sample: RatingSample,
    theta: FloatArray,
    inverse: FloatArray,
    rated: BoolArray,
    weights: Sequence[IntArray] | None = None,
) -> CovarianceEstimate:
    """Return the covariance of strengths relative to the mean of the ``rated`` entries.

    ``inverse`` is the inverse of N with its ridge. There must be more fixtures than strengths. Costs (boards
    + entries) x entries^2.
    """
    errors = _board_errors(sample, weights)
    misfit = misfit_variance(sample, theta)
    middle = errors.T @ errors
    if misfit > 0:
        middle += misfit * misfit_matrix(sample, weights)
    lead = inverse - inverse[rated].mean(axis=0, keepdims=True)
    covariance = lead @ middle @ lead.T
    return CovarianceEstimate(
        np.asarray((covariance + covariance.T) / 2, np.float64), degrees_of_freedom(sample), misfit
    )


def _board_errors(sample: RatingSample, weights: Sequence[IntArray] | None) -> FloatArray:
    """Return boards x entries: each board's contribution to r beyond its fixture's mean, times k/(k-1)."""
    n = len(sample.entries)
    total = np.zeros((sample.boards, n))
    for number, group in enumerate(sample.groups):
        share = np.full(len(group.fixtures), 1 / group.per_side)
        if weights is not None:
            share *= weights[number] / FULL_WEIGHT
        share *= math.sqrt(group.boards / (group.boards - 1))
        values = group.residuals * share[:, None, None]
        rows = (group.first_board[:, None] + np.arange(group.boards)[None, :]) * n
        places = rows[:, :, None, None] + group.members[:, None, :, :]
        spread = np.broadcast_to(values[:, :, :, None], places.shape)
        total += np.bincount(places.reshape(-1), spread.reshape(-1), sample.boards * n).reshape(-1, n)
    return total


def misfit_variance(sample: RatingSample, theta: FloatArray) -> float:
    """Return tau^2: the squares of fixtures' misfits beyond the noise of their boards; 0 or more."""
    squares = noise = 0.0
    degrees = 0
    for group in sample.groups:
        squares += float((misfits(group, theta) ** 2).sum())
        noise += float((group.residuals**2).sum()) / (group.boards * (group.boards - 1))
        degrees += len(group.fixtures) * (group.sides - 1)
    free = degrees - (len(sample.entries) - 1)
    return max(0.0, squares * degrees / free - noise) / degrees if free > 0 else 0.0


def degrees_of_freedom(sample: RatingSample) -> IntArray:
    """Return, by entry, boards less 1, summed over the sets it played in."""
    n = len(sample.entries)
    sets = np.zeros((len(sample.board_sets), n), np.bool_)
    for group in sample.groups:
        sets[group.board_set[:, None], group.members.reshape(len(group.fixtures), -1)] = True
    return np.asarray((np.array(sample.set_boards, np.int64) - 1) @ sets, np.int64)
