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
    reference: tuple[int, str] | None
    """Version key and column of the line displayed as 0; None if the average of the list is."""
    zero: str
    """Meaning of 0, such as ``0 is the list's average``."""

    @property
    def is_relative(self) -> bool:
        """Whether values are differences from a reference line, else from the average."""
        return self.reference is not None


def scale_of_list(rating_list: RatingList) -> ForestScale:
    """Return the scale of a list, cached per revision. Two queries, none if cached."""
    key = CacheKey(("scale", rating_list.public_id), rating_list.revision, language=get_language())
    return process_cache.get_or_build(key, lambda: _scale(basis_of(rating_list)))


def _scale(basis: Basis) -> ForestScale:
    zero = zero_text(basis, basis.reference is not None)
    return ForestScale(build_axis([Interval(*span) for span in basis.spans]), basis.reference, zero)


def zero_text(basis: Basis, is_relative: bool) -> str:
    """Return the meaning of 0, such as ``0 is the list's average``."""
    if is_relative:
        return _("0 is the reference bot, %(name)s") % {"name": basis.reference_name}
    return _("0 is the list's average")


def scale_of_rows(rows: Sequence[Rating]) -> ForestScale:
    """Return the scale of an archived table: that of its list, if all its lines have differences.

    Tables archived before 1.1.0 have none and are relative to the average.
    """
    rated = [row for row in rows if row.is_rated]
    if all(row.difference is not None for row in rated):
        return scale_of_list(rows[0].list)
    spans = tuple((span.estimate, span.low, span.high) for span in (span_of(row, False) for row in rated))
    return _scale(Basis(spans, {}, None, ""))


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
    span = span_of(row, scale.is_relative)
    owner = row.version.bot.owner
    is_reference = (row.version_id, row.partner) == scale.reference
    return ForestLine(
        version=row.version.public_id,
        bot=bot_label(row.version),
        player=owner.handle,
        ranks=ranks_of(row),
        reach=reference_reach(scale) if is_reference else scale.axis.reach(span),
        value=format_rounded(span.estimate),
        boards=row.boards,
        fixtures=row.fixtures,
        is_own=own is not None and owner.user_id == own,
        is_reference=is_reference,
        note=_("reference") if is_reference else "",
        change="" if movement is None else _change_text(row, movement),
    )


def reference_reach(scale: ForestScale) -> DrawnInterval:
    """Return the position of the reference line, which has no interval."""
    zero = scale.axis.zero
    return DrawnInterval(zero, zero, zero, False, _("0, the reference bot"))


def span_of(row: Line, is_relative: bool) -> Interval:
    """Return value and interval of a rated line, relative to the reference line or to the average."""
    value, low, high = row.estimate, row.low, row.high
    if is_relative and row.difference is not None:
        value, low, high = row.difference, row.difference_low, row.difference_high
    # A line has all figures or none.
    assert value is not None
    assert low is not None
    assert high is not None
    return Interval(value, low, high)


def ranks_of(row: Line) -> str:
    """Format the range of ranks of a rated line: ``2–6`` or ``3``."""
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}{EN_DASH}{row.rank_high}"
