"""Ranges of ranks, such as "rank 3 to 6", for each entry separately.

Another entry is certainly above if the 95 % interval of the difference lies above 0. At least 95 of 100
ranges cover the true rank; all ranges of a table are jointly correct far less often.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from league.intervals import t_quantile
from league.rating.fixtures import FloatArray, IntArray

SEPARATION_QUANTILE = 0.975
"""Quantile of Student's t that separates two entries."""


class RankRanges(NamedTuple):
    """By entry, from 1."""

    rank: IntArray
    """By estimate; equal estimates share a rank."""
    lowest: IntArray
    highest: IntArray


def rank_ranges(estimates: FloatArray, covariance: FloatArray, degrees: IntArray) -> RankRanges:
    """Return ranks by these estimates and their degrees of freedom."""
    n = len(estimates)
    apart = estimates[None, :] - estimates[:, None]
    error = np.sqrt(np.maximum(difference_variances(covariance), 0.0))
    is_above = apart > separation_quantiles(degrees) * error
    # Equal estimates without any error stay together: no entry is above another.
    return RankRanges(
        1 + (apart > 0).sum(axis=1),
        1 + is_above.sum(axis=1),
        n - is_above.sum(axis=0),
    )


def separation_quantiles(degrees: IntArray) -> FloatArray:
    """Return entries x entries: standard errors that separate a pair, by the smaller degrees of freedom."""
    known, inverse = np.unique(degrees, return_inverse=True)
    quantiles = np.array([t_quantile(SEPARATION_QUANTILE, int(count)) for count in known])
    # Fewer degrees have a larger quantile, so the maximum belongs to the smaller degrees.
    own = quantiles[inverse.reshape(-1)]
    return np.asarray(np.maximum(own[:, None], own[None, :]), np.float64)


def difference_variances(covariance: FloatArray) -> FloatArray:
    """Return entries x entries: the variance of the difference of every two."""
    own = np.diagonal(covariance)
    return np.asarray(own[:, None] + own[None, :] - 2 * covariance, np.float64)
