"""Ratings of a season: estimates, intervals, ranks, differences, and entries without a rating."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from league.errors import RatingError
from league.intervals import t_quantile
from league.rating.covariance import degrees_of_freedom, estimate_covariance
from league.rating.equations import FULL_WEIGHT, NormalEquations
from league.rating.fixtures import FloatArray, IntArray, RatingSample, SetScores, build_sample, subsample
from league.rating.guards import (
    MAX_CONDITION,
    MIN_BOARDS,
    MIN_DEGREES,
    MIN_DETERMINED,
    MIN_FIXTURES,
    Code,
    UnratedReason,
    comparisons,
    determined_share,
    has_mixed_partners,
    largest_component,
    played_counts,
)
from league.rating.ranks import RankRanges, rank_ranges
from league.rating.solve import RIDGE, ridge_inverse, ridge_solution, scaled_condition
from league.rating.weights import fixture_weights

CONFIDENCE = 0.95


class RatedEntry(NamedTuple):
    """Row of a rated entry; all except counts in stones per board."""

    entry: str
    estimate: float
    """Relative to the average rated entry."""
    low: float
    high: float
    standard_error: float
    rank: int
    rank_low: int
    """Best plausible rank, from 1."""
    rank_high: int
    fixtures: int
    boards: int
    degrees: int
    """Degrees of freedom of its interval."""


class UnratedEntry(NamedTuple):
    """An entry that is not comparable yet, with all reasons."""

    entry: str
    fixtures: int
    boards: int
    reasons: tuple[UnratedReason, ...]


class Difference(NamedTuple):
    """One entry's strength less another's, in stones per board."""

    mean: float
    low: float
    high: float
    standard_error: float
    degrees: int


@dataclasses.dataclass(frozen=True, eq=False)
class RatingTable:
    """Result of ``rate``. Rows and columns of arrays are the rated entries in the order of public ids."""

    entries: tuple[str, ...]
    estimates: FloatArray
    covariance: FloatArray
    degrees: IntArray
    fixtures: IntArray
    boards: IntArray
    unrated: tuple[UnratedEntry, ...]
    """In the order of public ids."""
    misfit: float
    """Variance, in stones squared, of a side's mean in a fixture that strengths do not explain."""
    weights: dict[str, float]
    """Weights below 1, by fixture."""

    @cached_property
    def rows(self) -> tuple[RatedEntry, ...]:
        """Best first; equal estimates in the order of public ids."""
        ranks = self.ranks()
        half = self._quantiles(self.degrees) * self.errors
        order = sorted(
            range(len(self.entries)), key=lambda index: (-float(self.estimates[index]), self.entries[index])
        )
        return tuple(
            RatedEntry(
                self.entries[index],
                float(self.estimates[index]),
                float(self.estimates[index] - half[index]),
                float(self.estimates[index] + half[index]),
                float(self.errors[index]),
                int(ranks.rank[index]),
                int(ranks.lowest[index]),
                int(ranks.highest[index]),
                int(self.fixtures[index]),
                int(self.boards[index]),
                int(self.degrees[index]),
            )
            for index in order
        )

    @cached_property
    def errors(self) -> FloatArray:
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))

    def ranks(self) -> RankRanges:
        return rank_ranges(self.estimates, self.covariance, self.degrees)

    def difference(self, entry: str, other: str, confidence: float = CONFIDENCE) -> Difference:
        """Return the difference between two rated entries, or raise ``RatingError``."""
        a, b = self._place(entry), self._place(other)
        v = self.covariance
        error = math.sqrt(max(0.0, float(v[a, a] + v[b, b] - 2 * v[a, b])))
        mean = float(self.estimates[a] - self.estimates[b])
        degrees = int(min(self.degrees[a], self.degrees[b]))
        half = t_quantile((1 + confidence) / 2, degrees) * error
        return Difference(mean, mean - half, mean + half, error, degrees)

    def differences_from(self, reference: str) -> dict[str, Difference]:
        """Return the difference of every rated entry from one of them, by entry. Costs n.

        The reference's own is 0 without an error. Raises ``RatingError`` if it is not rated.
        """
        index, v = self._place(reference), self.covariance
        variances = np.diagonal(v) + v[index, index] - 2 * v[:, index]
        variances[index] = 0.0
        means = self.estimates - self.estimates[index]
        degrees = np.minimum(self.degrees, self.degrees[index])
        half = self._quantiles(degrees) * (errors := np.sqrt(np.maximum(variances, 0.0)))
        columns = (means, means - half, means + half, errors, degrees)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return {entry: Difference(*row) for entry, row in zip(self.entries, rows, strict=True)}

    def _place(self, entry: str) -> int:
        try:
            return self.entries.index(entry)
        except ValueError:
            raise RatingError(f"{entry} has no rating yet") from None

    @staticmethod
    def _quantiles(degrees: IntArray) -> FloatArray:
        return np.array([t_quantile((1 + CONFIDENCE) / 2, int(each)) for each in degrees])


def rate(
    sets: Iterable[SetScores],
    *,
    entries: Iterable[str] = (),
    is_ladder: bool = False,
    is_guarded: bool = True,
    ridge: float = RIDGE,
) -> RatingTable:
    """Return ratings from the closed sets of a season, bitwise independent of their order.

    ``entries`` without fixtures are listed as unrated. Ladders (``is_ladder``) weight fixtures by their
    misfit. ``is_guarded=False`` skips all guards except connection, for measurements. Costs about n^3 +
    boards x n^2, and with weights a dozen solutions.
    """
    return rate_sample(
        build_sample(sets), entries=entries, is_ladder=is_ladder, is_guarded=is_guarded, ridge=ridge
    )


def rate_sample(
    sample: RatingSample,
    *,
    entries: Iterable[str] = (),
    is_ladder: bool = False,
    is_guarded: bool = True,
    ridge: float = RIDGE,
) -> RatingTable:
    """Rate sets that were combined before; otherwise as ``rate``."""
    component = largest_component(sample)
    inside = subsample(sample, component)
    counts = _counts(sample, entries)
    reasons: dict[str, list[UnratedReason]] = {name: [] for name in counts}
    for name in counts.keys() - set(component):
        reasons[name].append(UnratedReason("not_connected", 0, 1))
    if is_guarded:
        _guard_counts(inside, counts, reasons)
    if len(component) < 2:
        return _all_unrated(reasons, counts)
    sums = NormalEquations(inside)
    weights = fixture_weights(inside, sums) if is_ladder else None
    matrix, right = sums.as_floats(weights)
    theta = ridge_solution(matrix, right, ridge)
    inverse = ridge_inverse(matrix, ridge)
    if is_guarded:
        _guard_field(inside, matrix, determined_share(inverse, ridge), reasons)
    rated = np.array([not reasons[name] for name in component], np.bool_)
    if rated.sum() < 2:
        for why in reasons.values():
            if not why:
                why.append(UnratedReason("alone", 0, 1))
        return _all_unrated(reasons, counts)
    spread = estimate_covariance(inside, theta, inverse, rated, weights)
    indices = np.flatnonzero(rated)
    names = tuple(component[index] for index in indices.tolist())
    return RatingTable(
        names,
        (theta - theta[rated].mean())[indices],
        spread.covariance[np.ix_(indices, indices)],
        spread.degrees[indices],
        np.array([counts[name].fixtures for name in names], np.int64),
        np.array([counts[name].boards for name in names], np.int64),
        _unrated(reasons, counts),
        spread.misfit,
        _reduced_weights(inside, weights),
    )


class _PlayedCount(NamedTuple):
    fixtures: int
    boards: int


def _counts(sample: RatingSample, entries: Iterable[str]) -> dict[str, _PlayedCount]:
    counts = dict.fromkeys(entries, _PlayedCount(0, 0))
    fixtures, boards = played_counts(sample)
    for index, name in enumerate(sample.entries):
        counts[name] = _PlayedCount(int(fixtures[index]), int(boards[index]))
    return dict(sorted(counts.items()))


def _guard_counts(
    inside: RatingSample, counts: dict[str, _PlayedCount], reasons: dict[str, list[UnratedReason]]
) -> None:
    """Add the reasons of entries that have not played enough."""
    degrees = dict(zip(inside.entries, degrees_of_freedom(inside).tolist(), strict=True))
    for name, count in counts.items():
        requirements: tuple[tuple[Code, int, int], ...] = (
            ("fixtures", count.fixtures, MIN_FIXTURES),
            ("boards", count.boards, MIN_BOARDS),
            ("degrees", degrees.get(name, MIN_DEGREES), MIN_DEGREES),
        )
        reasons[name] += [
            UnratedReason(code, actual, required)
            for code, actual, required in requirements
            if actual < required
        ]


def _guard_field(
    inside: RatingSample, matrix: FloatArray, known: FloatArray, reasons: dict[str, list[UnratedReason]]
) -> None:
    """Add the reasons of a field that has not played enough, and of undetermined strengths."""
    actual, required = comparisons(inside)
    condition = scaled_condition(matrix) if has_mixed_partners(inside) else 1.0
    for name, part in zip(inside.entries, known.tolist(), strict=True):
        if actual < required:
            reasons[name].append(UnratedReason("few_fixtures_of_all", actual, required))
        if part < MIN_DETERMINED or condition >= MAX_CONDITION:
            reasons[name].append(UnratedReason("not_estimable", part, MIN_DETERMINED))


def _unrated(
    reasons: dict[str, list[UnratedReason]], counts: dict[str, _PlayedCount]
) -> tuple[UnratedEntry, ...]:
    return tuple(UnratedEntry(name, *counts[name], tuple(why)) for name, why in reasons.items() if why)


def _all_unrated(reasons: dict[str, list[UnratedReason]], counts: dict[str, _PlayedCount]) -> RatingTable:
    none = np.zeros(0, np.int64)
    return RatingTable(
        (), np.zeros(0), np.zeros((0, 0)), none, none, none, _unrated(reasons, counts), 0.0, {}
    )


def _reduced_weights(inside: RatingSample, weights: tuple[IntArray, ...] | None) -> dict[str, float]:
    if weights is None:
        return {}
    return {
        group.fixtures[index]: int(some[index]) / FULL_WEIGHT
        for group, some in zip(inside.groups, weights, strict=True)
        for index in np.flatnonzero(some < FULL_WEIGHT).tolist()
    }
