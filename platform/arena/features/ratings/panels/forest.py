"""Forest plot of a rating list: a table with each bot's interval drawn on a common axis."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.common.process_cache import CacheKey, process_cache
from arena.features.ratings.models import Line, Rating, RatingList
from arena.features.ratings.movements import Movement
from arena.features.ratings.selectors import Basis, basis_of
from arena.web.base.figures import format_rounded
from arena.web.base.labels import BotLabel, bot_label
from arena.web.drawing.plots import Axis, DrawnInterval, Interval, build_axis

EN_DASH = "\N{EN DASH}"


@dataclasses.dataclass(frozen=True)
class ForestLine:
    version: str
    bot: BotLabel
    player: str
    ranks: str
    """Range of ranks, such as ``2–6``, or a single rank."""
    reach: DrawnInterval
    value: str
    boards: int
    fixtures: int
    is_own: bool
    is_reference: bool
    note: str = ""
    """Short remark next to the name."""
    change: str = ""

    @property
    def ranks_text(self) -> str:
        low, _dash, high = self.ranks.partition(EN_DASH)
        if not high:
            return _("rank %(rank)s") % {"rank": low}
        return _("rank %(low)s to %(high)s, order not decided") % {"low": low, "high": high}


@dataclasses.dataclass(frozen=True)
class Forest:
    axis: Axis
    lines: tuple[ForestLine, ...]
    change_head: str = ""
    """Title of the column of changes; empty without one."""


@dataclasses.dataclass(frozen=True)
class ForestScale:
    """Axis and zero of a list, the same on all its pages."""

    axis: Axis
    origin: float
    """Estimate that is displayed as 0."""
    reference: tuple[int, str] | None
    """Version key and column of the line displayed as 0; None if the average of the list is."""
    zero: str
    """Meaning of 0, such as ``0 is the list's average``."""


def scale_of_list(rating_list: RatingList) -> ForestScale:
    """Return the scale of a list, cached per revision. Two queries, none if cached."""
    key = CacheKey(("scale", rating_list.public_id), rating_list.revision, language=get_language())
    return process_cache.get_or_build(key, lambda: _scale(basis_of(rating_list)))


def _scale(basis: Basis) -> ForestScale:
    spans = [
        Interval(estimate - basis.origin, low - basis.origin, high - basis.origin)
        for _partner, estimate, low, high in basis.spans
    ]
    zero = _("0 is the list's average")
    if basis.reference_name:
        zero = _("0 is the reference bot, %(name)s") % {"name": basis.reference_name}
    return ForestScale(build_axis(spans), basis.origin, basis.reference, zero)


def forest_of(
    rows: Sequence[Rating], scale: ForestScale, viewer: Viewer, movement: Movement | None = None
) -> Forest:
    """Return the rated rows on a scale; bot and owner must be fetched. No query."""
    own = viewer.pk if isinstance(viewer, User) else None
    lines = tuple(_forest_line(row, scale, own, movement) for row in rows if row.is_rated)
    if movement is None:
        return Forest(scale.axis, lines)
    head = _("Change in 7 days") if movement.is_week else _("Latest change")
    return Forest(scale.axis, lines, head)


def _change_text(row: Rating, movement: Movement) -> str:
    change = movement.by_line.get(row.pk)
    return pgettext("rating line", "new") if change is None else format_rounded(change)


def _forest_line(row: Rating, scale: ForestScale, own: int | None, movement: Movement | None) -> ForestLine:
    span = span_of(row, scale.origin)
    owner = row.version.bot.owner
    is_yardstick = (row.version_id, row.partner) == scale.reference
    return ForestLine(
        version=row.version.public_id,
        bot=bot_label(row.version),
        player=owner.handle,
        ranks=ranks_of(row),
        reach=scale.axis.reach(span),
        value=format_rounded(span.estimate),
        boards=row.boards,
        fixtures=row.fixtures,
        is_own=own is not None and owner.user_id == own,
        is_reference=is_yardstick,
        note=_("reference") if is_yardstick else "",
        change="" if movement is None else _change_text(row, movement),
    )


def span_of(row: Line, origin: float = 0.0) -> Interval:
    """Return estimate and interval of a rated line, relative to ``origin``."""
    assert row.estimate is not None
    assert row.low is not None
    assert row.high is not None
    return Interval(row.estimate - origin, row.low - origin, row.high - origin)


def ranks_of(row: Line) -> str:
    """Format the range of ranks of a rated line: ``2–6`` or ``3``."""
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}{EN_DASH}{row.rank_high}"
