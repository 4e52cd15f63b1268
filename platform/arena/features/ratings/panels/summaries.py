"""Ratings of bots in rows: value with interval, ranks, and the curve of the season."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from arena.features.ratings.current import CurrentLine, CurrentLines, lines_by_key, season_curves
from arena.features.ratings.models import Rating
from arena.features.ratings.panels.forest import ranks_of, scale_of_list, span_of
from arena.features.ratings.panels.lines import list_title, missing_requirements, reasons_text
from arena.features.ratings.selectors import basis_of
from arena.web.base.figures import format_rounded
from arena.web.base.labels import BotLabel, bot_label

WIDTH_PX, HEIGHT_PX = 96, 24
MARGIN_PX = 2


class Sparkline(NamedTuple):
    path: str
    """Path in a box of 96 x 24 px."""
    description: str


class RatingSummary(NamedTuple):
    bot: BotLabel
    value: str
    margin: str
    """Half the width of the 95% interval, such as ``±0.32``; ``reference`` for the reference line."""
    interval: str
    """``+0.12 to +0.30``; ``reference`` for the reference line, which has no interval."""
    ranks: str
    rated: int
    """Number of rated lines in the column."""
    title: str
    page: str
    zero: str
    """Meaning of 0 in the list."""
    sparkline: Sparkline | None
    change: str
    """Change over the season; empty before its second point."""


def rating_summaries(current: CurrentLines, chosen: Mapping[int, CurrentLine]) -> dict[int, RatingSummary]:
    """Return the summaries of these lines, by the keys given. Two queries, and two per list not cached."""
    rows = lines_by_key([line.line for line in chosen.values()])
    curves = season_curves(list(rows.values()))
    spans: dict[int, tuple[float, float]] = {}
    for row in rows.values():
        values = (*curves.get(row.pk, ()), *spans.get(row.list_id, ()))
        if values:
            spans[row.list_id] = min(values), max(values)
    return {
        key: _summary(
            rating,
            current.rated.get((rating.list_id, rating.partner), 0),
            curves.get(line.line, ()),
            spans.get(line.list),
        )
        for key, line in chosen.items()
        if (rating := rows.get(line.line)) is not None
    }


class ListedRating(NamedTuple):
    """A bot's line in one list."""

    line: Rating
    title: str
    rating: RatingSummary | None
    """None for a line that is not rated."""
    missing: str
    """Why it is not rated."""


def listed_ratings(lines: Sequence[Rating], active: int | None) -> list[ListedRating]:
    """Return one line of each list and column, in the order of the lines: of the active version (by key) if
    it is rated, else of the latest rated version, else of the latest. One query, and two per list not cached.
    """
    chosen: dict[tuple[int, str], Rating] = {}
    for line in lines:
        known = chosen.get((line.list_id, line.partner))
        if known is None or _priority(known, active) < _priority(line, active):
            chosen[line.list_id, line.partner] = line
    rated_lists = {line.list_id for line in chosen.values() if line.is_rated}
    lines_chosen = [line for line in chosen.values() if line.is_rated or line.list_id not in rated_lists]
    curves = season_curves([line for line in lines_chosen if line.is_rated])
    return [
        ListedRating(
            line,
            list_title(line.list),
            _summary(line, basis_of(line.list).rated_count(line.partner), curves.get(line.pk, ()))
            if line.is_rated
            else None,
            reasons_text(missing_requirements(line)),
        )
        for line in lines_chosen
    ]


def _priority(line: Rating, active: int | None) -> tuple[bool, bool, int]:
    return line.is_rated, line.version_id == active, line.version.number


class VersionRating(NamedTuple):
    value: str
    interval: str
    comparison: str
    """Address of the comparison with the rated version before it; empty for the first."""
    earlier: int
    """Number of that version."""


def ratings_by_version(lines: Sequence[Rating]) -> dict[int, VersionRating]:
    """Return the ratings of the versions in the first list with several rated ones, by key of the version.

    No query if the list is cached.
    """
    by_list: dict[tuple[int, str], list[Rating]] = {}
    for line in lines:
        if line.is_rated:
            by_list.setdefault((line.list_id, line.partner), []).append(line)
    rated = next((rows for rows in by_list.values() if len(rows) > 1), [])
    rated.sort(key=lambda line: line.version.number)
    return {
        line.version_id: _version_rating(line, rated[number - 1] if number else None)
        for number, line in enumerate(rated)
    }


def _version_rating(line: Rating, earlier: Rating | None) -> VersionRating:
    summary = _summary(line, 0, ())
    comparison = "" if earlier is None else comparison_address(line, earlier.version.public_id)
    return VersionRating(
        summary.value, summary.interval, comparison, 0 if earlier is None else earlier.version.number
    )


def comparison_address(line: Rating, other: str) -> str:
    """Return the address that compares a line with a version (by public id) in the same list and column."""
    suffix = "%2B" if line.partner == Rating.Partner.OTHER else ""
    return f"{line.list.page}?a={line.version.public_id}{suffix}&b={other}{suffix}#compare"


def _summary(
    row: Rating, rated: int, curve: Sequence[float], span_of_curves: tuple[float, float] | None = None
) -> RatingSummary:
    scale = scale_of_list(row.list)
    span = span_of(row, scale.is_relative)
    is_reference = (row.version_id, row.partner) == scale.reference
    interval = _("%(low)s to %(high)s") % {"low": format_rounded(span.low), "high": format_rounded(span.high)}
    return RatingSummary(
        bot_label(row.version),
        format_rounded(span.estimate),
        _("reference") if is_reference else f"±{(span.high - span.low) / 2:.2f}",
        _("reference") if is_reference else interval,
        ranks_of(row),
        rated,
        list_title(row.list),
        row.list.page,
        scale.zero,
        sparkline(curve, span_of_curves),
        format_rounded(curve[-1] - curve[0]) if len(curve) > 1 else "",
    )


def sparkline(values: Sequence[float], scale_of: Sequence[float] | None = None) -> Sparkline | None:
    """Return the curve of at least two values, scaled to the range of ``scale_of``, else to its own.

    >>> sparkline([0.0, 1.0, 0.5]).path
    'M2 22L48 2L94 12'
    """
    if len(values) < 2:
        return None
    low, high = min(values), max(values)
    bottom, top = min(scale_of or values), max(scale_of or values)
    step = (WIDTH_PX - 2 * MARGIN_PX) / (len(values) - 1)
    scale = (HEIGHT_PX - 2 * MARGIN_PX) / (top - bottom) if top > bottom else 0.0
    points = [
        f"{MARGIN_PX + number * step:.4g} {HEIGHT_PX - MARGIN_PX - (value - bottom) * scale:.4g}"
        for number, value in enumerate(values)
    ]
    description = _("From %(first)s to %(last)s over the season; lowest %(low)s, highest %(high)s.") % {
        "first": format_rounded(values[0]),
        "last": format_rounded(values[-1]),
        "low": format_rounded(low),
        "high": format_rounded(high),
    }
    return Sparkline("M" + "L".join(points), description)
