"""Ranges of ranks: "rank 3 to 6", for each entry for itself.

A range covers the entry's own rank in at least 97 of 100 tables, but all ranges of a table together far less
often. Where a whole table is claimed at once, ask for ``at_once``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from league.intervals import t_quantile
from league.rating.fixtures import Real, Whole

CLEAR = 1.645
"""Standard errors by which another must be ahead to stand above for sure."""


class RankRanges(NamedTuple):
    """By entry, from 1."""

    rank: Whole
    """By estimate; equal estimates share one."""
    lowest: Whole
    highest: Whole


def rank_ranges(estimates: Real, covariance: Real, clear: float = CLEAR) -> RankRanges:
    """Ranks of these estimates; ``clear`` is the number of standard errors that decides a pair."""
    n = len(estimates)
    apart = estimates[None, :] - estimates[:, None]
    error = np.sqrt(np.maximum(difference_variances(covariance), 0.0))
    is_above = apart > clear * error
    # Equal estimates without any error stay together: nobody is above anybody.
    return RankRanges(
        1 + (apart > 0).sum(axis=1),
        1 + is_above.sum(axis=1),
        n - is_above.sum(axis=0),
    )


def difference_variances(covariance: Real) -> Real:
    """Entries x entries: the variance of the difference of every two."""
    own = np.diagonal(covariance)
    return np.asarray(own[:, None] + own[None, :] - 2 * covariance, np.float64)


def at_once(entries: int, degrees: int) -> float:
    """Standard errors for a table all of whose ranges hold together in 95 of 100 tables (Bonferroni)."""
    pairs = max(1, entries * (entries - 1) // 2)
    return t_quantile(1 - 0.025 / pairs, degrees)
