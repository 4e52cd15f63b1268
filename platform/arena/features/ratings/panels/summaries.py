"""A bot's or player's rating in one row of a list: value, ranks, and the curve of the season."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from arena.features.ratings.current import CurrentLine, CurrentLines, lines_by_key, season_curves
from arena.features.ratings.models import Rating
from arena.features.ratings.panels.forest import ranks_of, scale_of_list, span_of
from arena.features.ratings.panels.lines import list_title
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
    interval: str
    ranks: str
    rated: int
    """Number of rated lines in the column."""
    title: str
    page: str
    sparkline: Sparkline | None


def rating_summaries(current: CurrentLines, chosen: Mapping[int, CurrentLine]) -> dict[int, RatingSummary]:
    """Return the summaries of these lines, by the keys given. Two queries, and two per list not cached."""
    rows = lines_by_key([line.line for line in chosen.values()])
    curves = season_curves(list(rows.values()))
    return {
        key: _summary(rows[line.line], current, curves.get(line.line, ()))
        for key, line in chosen.items()
        if line.line in rows
    }


def _summary(row: Rating, current: CurrentLines, curve: Sequence[float]) -> RatingSummary:
    origin = scale_of_list(row.list).origin
    span = span_of(row, origin)
    interval = _("%(low)s to %(high)s") % {"low": format_rounded(span.low), "high": format_rounded(span.high)}
    return RatingSummary(
        bot_label(row.version),
        format_rounded(span.estimate),
        interval,
        ranks_of(row),
        current.rated.get((row.list_id, row.partner), 0),
        list_title(row.list),
        row.list.page,
        sparkline([value - origin for value in curve]),
    )


def sparkline(values: Sequence[float]) -> Sparkline | None:
    """Return the curve of at least two values, scaled to its own range.

    >>> sparkline([0.0, 1.0, 0.5]).path
    'M2 22L48 2L94 12'
    """
    if len(values) < 2:
        return None
    low, high = min(values), max(values)
    step = (WIDTH_PX - 2 * MARGIN_PX) / (len(values) - 1)
    scale = (HEIGHT_PX - 2 * MARGIN_PX) / (high - low) if high > low else 0.0
    points = [
        f"{MARGIN_PX + number * step:.4g} {HEIGHT_PX - MARGIN_PX - (value - low) * scale:.4g}"
        for number, value in enumerate(values)
    ]
    description = _("From %(first)s to %(last)s over the season; lowest %(low)s, highest %(high)s.") % {
        "first": format_rounded(values[0]),
        "last": format_rounded(values[-1]),
        "low": format_rounded(low),
        "high": format_rounded(high),
    }
    return Sparkline("M" + "L".join(points), description)
