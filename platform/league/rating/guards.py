"""Conditions for a rating, and the reasons why an entry has none yet."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from league.rating.fixtures import BoolArray, FloatArray, IntArray, RatingSample
from league.rating.solve import RIDGE

MIN_FIXTURES = 3
MIN_BOARDS = 16
MIN_DEGREES = 6
"""Minimum degrees of freedom: with fewer, Student's t interval is too wide to be useful."""
FIXTURES_TO_STRENGTHS = 1.25
"""Minimum comparisons per strength: with fewer, misfit cannot be distinguished from strengths."""
MIN_DETERMINED = 0.5
"""Minimum share of an entry's strength that comes from boards and not from the ridge."""
MAX_CONDITION = 8.0
"""Maximum condition of the scaled equations with mixed partners: half a movement exceeds it."""

Code = Literal[
    "not_connected", "fixtures", "boards", "degrees", "few_fixtures_of_all", "not_estimable", "alone"
]


class UnratedReason(NamedTuple):
    code: Code
    actual: float
    required: float

    @property
    def sentence(self) -> str:
        actual, required = f"{self.actual:g}", f"{self.required:g}"
        return {
            "not_connected": "no chain of fixtures leads to most of the others",
            "fixtures": f"too few fixtures: {actual} of {required}",
            "boards": f"too few boards: {actual} of {required}",
            "degrees": f"too few boards in sets of several: {actual} degrees of freedom of {required}",
            "few_fixtures_of_all": f"the field has played too little: {actual} comparisons of {required}",
            "alone": "nobody else can be compared yet",
            "not_estimable": "its fixtures do not determine its strength",
        }[self.code]


class PlayedCounts(NamedTuple):
    """Counts by entry of a sample."""

    fixtures: IntArray
    boards: IntArray


def played_counts(sample: RatingSample) -> PlayedCounts:
    """Return fixtures and boards of every entry, counted once if it has several seats."""
    n = len(sample.entries)
    fixtures, boards = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for group in sample.groups:
        flat = np.sort(group.members.reshape(len(group.fixtures), -1), axis=1)
        first = np.ones(flat.shape, np.bool_)
        first[:, 1:] = flat[:, 1:] != flat[:, :-1]
        count = np.bincount(flat[first], minlength=n)
        fixtures += count
        boards += count * group.boards
    return PlayedCounts(fixtures, boards)


def largest_component(sample: RatingSample) -> list[str]:
    """Return the largest connected set of entries; of equal ones, the one with the lowest public id."""
    n = len(sample.entries)
    joined = np.zeros((n, n), np.bool_)
    for group in sample.groups:
        flat = group.members.reshape(len(group.fixtures), -1)
        joined[flat[:, :1], flat] = True
    joined |= joined.T
    left = np.ones(n, np.bool_)
    best = np.zeros(n, np.bool_)
    for start in range(n):
        if left[start]:
            component = reachable(joined, start)
            left &= ~component
            if component.sum() > best.sum():
                best = component
    return [sample.entries[index] for index in np.flatnonzero(best).tolist()]


def reachable(joined: BoolArray, start: int) -> BoolArray:
    """Return the members reachable from ``start``, including itself, over a symmetric n x n relation."""
    connected = np.zeros(len(joined), np.bool_)
    connected[start] = True
    edge = connected
    while edge.any():
        edge = joined[edge].any(axis=0) & ~connected
        connected |= edge
    return connected


def comparisons(sample: RatingSample) -> tuple[int, float]:
    """Return the number of comparisons, sides less 1 per fixture, and the number that is needed."""
    actual = sum(len(group.fixtures) * (group.sides - 1) for group in sample.groups)
    return actual, FIXTURES_TO_STRENGTHS * (len(sample.entries) - 1)


def has_mixed_partners(sample: RatingSample) -> bool:
    """Return whether a side has several different members."""
    return any(group.per_side > 1 for group in sample.groups)


def determined_share(inverse: FloatArray, ridge: float = RIDGE) -> FloatArray:
    """Return, by entry, the share of its strength that boards determine, 0 to 1."""
    return np.asarray(1 - ridge * (np.diagonal(inverse) - 1 / (ridge * len(inverse))), np.float64)
