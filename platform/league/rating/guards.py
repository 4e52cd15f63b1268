"""Who can be compared, and why somebody cannot be yet."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from league.rating.fixtures import BoolArray, FloatArray, IntArray, RatingSample
from league.rating.solve import RIDGE

MIN_FIXTURES = 3
MIN_BOARDS = 16
MIN_DEGREES = 6
"""Of freedom: with fewer, Student's t is so wide that an interval says nothing."""
FIXTURES_TO_STRENGTHS = 1.25
"""Comparisons needed for each strength: with hardly more than strengths, misfit cannot be told from them."""
MIN_DETERMINED = 0.5
"""Part of an entry's strength that must come from boards and not from the ridge."""
MAX_CONDITION = 8.0
"""Of the scaled equations where partners are mixed: half a movement leaves some strengths open."""

Code = Literal[
    "not_connected", "fixtures", "boards", "degrees", "few_fixtures_of_all", "not_estimable", "alone"
]


class UnratedReason(NamedTuple):
    """Why an entry has no rating yet."""

    code: Code
    have: float
    need: float

    @property
    def sentence(self) -> str:
        """For people, in English."""
        have, need = f"{self.have:g}", f"{self.need:g}"
        return {
            "not_connected": "no chain of fixtures leads to most of the others",
            "fixtures": f"too few fixtures: {have} of {need}",
            "boards": f"too few boards: {have} of {need}",
            "degrees": f"too few boards in sets of several: {have} degrees of freedom of {need}",
            "few_fixtures_of_all": f"the field has played too little: {have} comparisons of {need}",
            "alone": "nobody else can be compared yet",
            "not_estimable": "its fixtures do not determine its strength",
        }[self.code]


class PlayedCounts(NamedTuple):
    """By entry of a sample."""

    fixtures: IntArray
    boards: IntArray


def played_counts(sample: RatingSample) -> PlayedCounts:
    """Fixtures and boards of every entry, counted once where it has several places."""
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
    """The entries joined by fixtures to most others; of equally many, those with the lowest public id."""
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
            found = reachable(joined, start)
            left &= ~found
            if found.sum() > best.sum():
                best = found
    return [sample.entries[at] for at in np.flatnonzero(best).tolist()]


def reachable(joined: BoolArray, start: int) -> BoolArray:
    """Who can be reached from there, itself included, over a symmetric n x n relation."""
    found = np.zeros(len(joined), np.bool_)
    found[start] = True
    edge = found
    while edge.any():
        edge = joined[edge].any(axis=0) & ~found
        found |= edge
    return found


def comparisons(sample: RatingSample) -> tuple[int, float]:
    """What all fixtures compare, sides less 1 each; and what so many strengths need."""
    have = sum(len(group.fixtures) * (group.sides - 1) for group in sample.groups)
    return have, FIXTURES_TO_STRENGTHS * (len(sample.entries) - 1)


def has_mixed_partners(sample: RatingSample) -> bool:
    """Some side has several members that are not all the same."""
    return any(group.per_side > 1 for group in sample.groups)


def determined_share(inverse: FloatArray, ridge: float = RIDGE) -> FloatArray:
    """By entry: the part of its strength that boards determine, 0 to 1; the constant counts as determined."""
    return np.asarray(1 - ridge * (np.diagonal(inverse) - 1 / (ridge * len(inverse))), np.float64)
