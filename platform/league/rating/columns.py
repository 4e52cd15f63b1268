"""The lines of a rating as they are shown: a column for pairs of one version, another for strangers.

Where partners are mixed a version has two strengths (``fixtures.partner_columns``), which are different
things: each column has its ranks among itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np

from league.rating.fixtures import OTHER_PARTNERS_SUFFIX
from league.rating.guards import UnratedReason
from league.rating.ranks import rank_ranges
from league.rating.table import RatingTable

Partner = Literal["self", "strangers"]
PARTNERS: tuple[Partner, ...] = ("self", "strangers")


class RatingFigures(NamedTuple):
    """What is known of a rated line; all but ranks and counts in stones a board."""

    estimate: float
    """Against the average of all rated lines of the list."""
    low: float
    high: float
    standard_error: float
    rank: int
    """Among the rated lines of the same column, from 1."""
    rank_low: int
    """The best rank it may have."""
    rank_high: int


class RatingLine(NamedTuple):
    """A version in one column."""

    version: str
    partner: Partner
    figures: RatingFigures | None
    """None: not comparable yet, for the reasons."""
    fixtures: int
    boards: int
    degrees: int
    """Of freedom of its interval; 0 of a line without figures."""
    reasons: tuple[UnratedReason, ...] = ()


def line_key(version: str, partner: str) -> str:
    """The name a line has in a fit.

    >>> line_key("a", "self"), line_key("a", "strangers")
    ('a', 'a+')
    """
    return version + OTHER_PARTNERS_SUFFIX if partner == "strangers" else version


def parse_line_key(key: str) -> tuple[str, Partner]:
    """Version and column of a name.

    >>> line_named("a+"), line_named("a")
    (('a', 'strangers'), ('a', 'self'))
    """
    if key.endswith(OTHER_PARTNERS_SUFFIX):
        return key[: -len(OTHER_PARTNERS_SUFFIX)], "strangers"
    return key, "self"


def rating_lines(ratings: RatingTable) -> tuple[RatingLine, ...]:
    """Every line: by column, the rated ones best first, then those without a rating by public id."""
    named = [parse_line_key(key) for key in ratings.entries]
    rows = {row.entry: row for row in ratings.rows}
    found: list[RatingLine] = []
    for column in PARTNERS:
        at = np.array([place for place, (_, partner) in enumerate(named) if partner == column], np.int64)
        ranks = rank_ranges(ratings.estimates[at], ratings.covariance[np.ix_(at, at)], ratings.degrees[at])
        ranked = {
            ratings.entries[place]: tuple(int(values[number]) for values in ranks)
            for number, place in enumerate(at.tolist())
        }
        for key, row in rows.items():
            if key in ranked:
                version, partner = parse_line_key(key)
                rank, lowest, highest = ranked[key]
                figures = RatingFigures(
                    row.estimate, row.low, row.high, row.standard_error, rank, lowest, highest
                )
                found.append(RatingLine(version, partner, figures, row.fixtures, row.boards, row.degrees))
        for unrated in ratings.unrated:
            version, partner = parse_line_key(unrated.entry)
            if partner == column:
                found.append(
                    RatingLine(version, partner, None, unrated.fixtures, unrated.boards, 0, unrated.reasons)
                )
    return tuple(found)


def lines_digest(lines: Iterable[RatingLine]) -> str:
    """SHA-256 over lines in their order, in hex: the same for the same bytes of every figure."""
    return hashlib.sha256(json.dumps(list(lines), separators=(",", ":")).encode()).hexdigest()
