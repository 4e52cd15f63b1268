"""Ranges of ranks: "rank 3 to 6", for each entry for itself.

Another stands above for sure if the 95 % interval of the difference lies above 0. Of two equals each does so
by mistake in 2.5 of 100 tables, so that at least 95 of 100 ranges cover their own rank whatever the field,
and 97 or more where strengths differ. All ranges of a table together hold far less often.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from league.intervals import t_quantile
from league.rating.fixtures import FloatArray, IntArray

SEPARATION_QUANTILE = 0.975
"""Of Student's t: the quantile of standard errors by which another must be ahead to stand above for sure."""


class RankRanges(NamedTuple):
    """By entry, from 1."""

    rank: IntArray
    """By estimate; equal estimates share one."""
    lowest: IntArray
    highest: IntArray


def rank_ranges(estimates: FloatArray, covariance: FloatArray, degrees: IntArray) -> RankRanges:
    """Ranks by these estimates and their degrees of freedom."""
    n = len(estimates)
    apart = estimates[None, :] - estimates[:, None]
    error = np.sqrt(np.maximum(difference_variances(covariance), 0.0))
    is_above = apart > separation_quantiles(degrees) * error
    # Equal estimates without any error stay together: nobody is above anybody.
    return RankRanges(
        1 + (apart > 0).sum(axis=1),
        1 + is_above.sum(axis=1),
        n - is_above.sum(axis=0),
    )


def separation_quantiles(degrees: IntArray) -> FloatArray:
    """Entries x entries: standard errors that decide a pair, by the smaller degrees of freedom of both."""
    known, at = np.unique(degrees, return_inverse=True)
    quantiles = np.array([t_quantile(SEPARATION_QUANTILE, int(one)) for one in known])
    # Fewer degrees need more errors, so that of two the larger quantile is that of the smaller degrees.
    own = quantiles[at.reshape(-1)]
    return np.asarray(np.maximum(own[:, None], own[None, :]), np.float64)


def difference_variances(covariance: FloatArray) -> FloatArray:
    """Entries x entries: the variance of the difference of every two."""
    own = np.diagonal(covariance)
    return np.asarray(own[:, None] + own[None, :] - 2 * covariance, np.float64)
