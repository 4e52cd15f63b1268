"""Lines of a rating for display: one column for pairs of one version, another for mixed partners.

The two strengths of a version (``fixtures.partner_columns``) are not comparable, so columns are ranked apart.
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

Partner = Literal["self", "other"]
PARTNERS: tuple[Partner, ...] = ("self", "other")


class RatingFigures(NamedTuple):
    """Figures of a rated line; all except ranks in stones per board."""

    estimate: float
    """Relative to the average of all rated lines of the list."""
    low: float
    high: float
    standard_error: float
    rank: int
    """Among the rated lines of the same column, from 1."""
    rank_low: int
    """Best plausible rank."""
    rank_high: int


class RatingLine(NamedTuple):
    """A version in one column."""

    version: str
    partner: Partner
    figures: RatingFigures | None
    """None: not comparable yet, see ``reasons``."""
    fixtures: int
    boards: int
    degrees: int
    """Degrees of freedom of its interval; 0 for a line without figures."""
    reasons: tuple[UnratedReason, ...] = ()


def line_key(version: str, partner: str) -> str:
    """Return the name of a line in a fit.

    >>> line_key("a", "self"), line_key("a", "other")
    ('a', 'a+')
    """
    return version + OTHER_PARTNERS_SUFFIX if partner == "other" else version


def parse_line_key(key: str) -> tuple[str, Partner]:
    """Return version and column of a name.

    >>> parse_line_key("a+"), parse_line_key("a")
    (('a', 'other'), ('a', 'self'))
    """
    if key.endswith(OTHER_PARTNERS_SUFFIX):
        return key[: -len(OTHER_PARTNERS_SUFFIX)], "other"
    return key, "self"


def rating_lines(ratings: RatingTable) -> tuple[RatingLine, ...]:
    """Return all lines: by column, the rated ones best first, then the unrated ones by public id."""
    named = [parse_line_key(key) for key in ratings.entries]
    rows = {row.entry: row for row in ratings.rows}
    lines: list[RatingLine] = []
    for column in PARTNERS:
        indices = np.array([index for index, (_, partner) in enumerate(named) if partner == column], np.int64)
        ranks = rank_ranges(
            ratings.estimates[indices], ratings.covariance[np.ix_(indices, indices)], ratings.degrees[indices]
        )
        ranked = {
            ratings.entries[index]: tuple(int(values[number]) for values in ranks)
            for number, index in enumerate(indices.tolist())
        }
        for key, row in rows.items():
            if key in ranked:
                version, partner = parse_line_key(key)
                rank, lowest, highest = ranked[key]
                figures = RatingFigures(
                    row.estimate, row.low, row.high, row.standard_error, rank, lowest, highest
                )
                lines.append(RatingLine(version, partner, figures, row.fixtures, row.boards, row.degrees))
        for unrated in ratings.unrated:
            version, partner = parse_line_key(unrated.entry)
            if partner == column:
                lines.append(
                    RatingLine(version, partner, None, unrated.fixtures, unrated.boards, 0, unrated.reasons)
                )
    return tuple(lines)


def lines_digest(lines: Iterable[RatingLine]) -> str:
    """Return SHA-256 over the lines in order, in hex: equal for bitwise equal figures."""
    return hashlib.sha256(json.dumps(list(lines), separators=(",", ":")).encode()).hexdigest()
