"""Template context of a version's rating history: summary, plot and table."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from django.utils.dateformat import format as dated
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from arena.accounts.selectors import Viewer
from arena.competition.models import Tournament
from arena.features.ratings.models import Rating, RatingChange
from arena.features.ratings.pages.history_plot import HistoryPlot, PlotPoint, history_plot
from arena.features.ratings.pages.lists import MAX_FIND_CHARACTERS
from arena.features.ratings.panels.forest import ranks_of, span_of, zero_text
from arena.features.ratings.panels.lines import (
    join_texts,
    line_name,
    list_title,
    missing_requirements,
    reasons_text,
)
from arena.features.ratings.selectors import (
    basis_of,
    lines_by_name,
    lines_of_version,
    rated_changes,
    rated_version_get,
    recent_changes,
    versions_with_history,
)
from arena.roster.models import BotVersion
from arena.web.base.figures import format_rounded
from arena.web.base.labels import bot_label
from arena.web.base.wording import join_sentences

MAX_LISTS = 24
"""Lists offered on a version's page: six years of quarters."""
MAX_VERSIONS = 5
"""Versions of a bot per plot."""
MAX_ROWS = 50
"""Rows of the table."""
WIDE, NARROW = (860.0, 300.0), (360.0, 260.0)


class ListChoice(NamedTuple):
    """A list and column that contain the version."""

    address: str
    title: str
    is_chosen: bool


class ChangeRow(NamedTuple):
    change: RatingChange
    event: Tournament | None
    """The event of the board set; None for ladders, and if it is not public."""
    ranks: str
    value: str
    interval: str

    @property
    def cause(self) -> str:
        is_closed = self.change.cause == RatingChange.Cause.CLOSED
        return _("a board set finished") if is_closed else _("scores changed")


def history_page_of(
    public_id: str, viewer: Viewer, list_id: str = "", partner: str = "", against: str = ""
) -> dict[str, Any]:
    """Return the history of a version in the given list, or in the newest. Raises NotFound."""
    version = rated_version_get(public_id, viewer)
    lines = lines_of_version(version, MAX_LISTS)
    chosen = next(
        (
            row
            for row in lines
            if list_id in ("", row.list.public_id)
            and partner in ("", row.partner)
            and (list_id or row.is_rated)
        ),
        lines[0] if lines else None,
    )
    against = against.replace("\0", "").strip()[:MAX_FIND_CHARACTERS]
    other_names: list[str] = []
    plots: list[HistoryPlot] = []
    rows: list[ChangeRow] = []
    other = lines_by_name(chosen.list, against)[:1] if chosen is not None and against else []
    is_relative = False
    if chosen is not None:
        changes = recent_changes(chosen.list, chosen.partner, version, MAX_ROWS)
        histories = _histories(chosen, other)
        is_relative = _is_relative(chosen, [*changes, *(row for _version, rows in histories for row in rows)])
        courses = _curves(version, histories, is_relative)
        other_names = [name for kind, name, points in courses if kind and points]
        if courses[0][2]:
            plots = [
                history_plot(courses, _plot_description(chosen), _time_format(courses), *size)
                for size in (WIDE, NARROW)
            ]
        rows = [_change_row(change, is_relative) for change in changes]
    return {
        "version": version,
        "bot": bot_label(version),
        "player": version.bot.owner.handle,
        "choices": [_choice(row, chosen) for row in lines],
        "line": chosen,
        "title": list_title(chosen.list) if chosen is not None else "",
        "zero": zero_text(basis_of(chosen.list), is_relative) if chosen is not None else "",
        "summary": _summary_text(chosen, rows, is_relative) if chosen is not None and chosen.is_rated else "",
        "reasons": reasons_text(missing_requirements(chosen)) if chosen is not None else "",
        "plots": plots,
        "others": join_texts(other_names),
        "rows": rows,
        "against": against,
        "is_unknown": bool(against) and not other,
    }


def _choice(row: Rating, chosen: Rating | None) -> ListChoice:
    with_other_partners = row.partner == Rating.Partner.OTHER
    title = _("%(list)s, with other partners") if with_other_partners else "%(list)s"
    address = f"?list={row.list.public_id}&partner={row.partner}"
    return ListChoice(address, title % {"list": list_title(row.list)}, row == chosen)


def _histories(chosen: Rating, other: Sequence[Rating]) -> list[tuple[BotVersion, list[RatingChange]]]:
    """Return the changes of the version, then of the bot's other versions or of the compared lines."""
    version, rating_list = chosen.version, chosen.list
    versions = [version]
    if other:
        versions += [row.version for row in other if row.version_id != version.pk]
    else:
        latest = versions_with_history(rating_list, chosen.partner, version.bot, MAX_VERSIONS)
        versions += [each for each in latest if each.pk != version.pk]
    known = rated_changes(rating_list, chosen.partner, versions)
    return [(each, known[each.pk]) for each in versions]


def _is_relative(chosen: Rating, changes: Sequence[RatingChange]) -> bool:
    """Return whether all these changes have differences from the current reference of the list."""
    reference = chosen.list.reference_id
    return reference is not None and all(
        change.difference is not None and change.reference_id == reference
        for change in changes
        if change.is_rated
    )


def _curves(
    version: BotVersion, histories: Sequence[tuple[BotVersion, Sequence[RatingChange]]], is_relative: bool
) -> list[tuple[str, str, list[PlotPoint]]]:
    return [
        (
            "" if each.pk == version.pk else "other",
            f"{each.bot.name} v{each.number}",
            [PlotPoint(change.created_at.timestamp(), span_of(change, is_relative)) for change in changes],
        )
        for each, changes in histories
    ]


def _time_format(courses: Sequence[tuple[str, str, Sequence[PlotPoint]]]) -> Callable[[float], str]:
    """Return a formatter of the time axis: days, or hours for a period shorter than two days."""
    every = [point.at for _kind, _name, points in courses for point in points]
    is_short = max(every) - min(every) < datetime.timedelta(days=2).total_seconds()
    style = pgettext("short time", "H:i") if is_short else pgettext("short date", "j M")
    return lambda timestamp: dated(datetime.datetime.fromtimestamp(timestamp, datetime.UTC), style)


def _plot_description(chosen: Rating) -> str:
    text = _("Stones per board of %(name)s over time, with 95%% intervals.")
    return text % {"name": line_name(chosen)}


def _summary_text(chosen: Rating, rows: Sequence[ChangeRow], is_relative: bool) -> str:
    span, basis = span_of(chosen, is_relative), basis_of(chosen.list)
    text = _(
        "%(estimate)s stones per board (95%% interval %(low)s to %(high)s), rank %(ranks)s of %(count)d."
    )
    if is_relative and (chosen.version_id, chosen.partner) == basis.reference:
        text = _("The reference bot: 0 stones per board, rank %(ranks)s of %(count)d.")
    where = text % {
        "estimate": format_rounded(span.estimate),
        "low": format_rounded(span.low),
        "high": format_rounded(span.high),
        "ranks": ranks_of(chosen),
        "count": basis.rated_count(chosen.partner),
    }
    rated = [row.change for row in rows if row.change.is_rated]
    if len(rated) < 2:
        return where
    first = rated[-1]
    # Difference of the displayed, rounded values.
    moved = round(span.estimate, 2) - round(span_of(first, is_relative).estimate, 2)
    day = dated(first.created_at.astimezone(datetime.UTC), pgettext("date", "j M Y"))
    values = {"by": format_rounded(abs(moved)).lstrip("+"), "day": day}
    if abs(moved) < 0.005:
        return join_sentences(where, _("Unchanged since %(day)s.") % values)
    text = (
        _("It has risen by %(by)s since %(day)s.")
        if moved > 0
        else _("It has fallen by %(by)s since %(day)s.")
    )
    return join_sentences(where, text % values)


def _change_row(change: RatingChange, is_relative: bool) -> ChangeRow:
    board_set = change.board_set
    event = board_set.round.stage.tournament if board_set is not None else None
    if event is not None and event.visibility != Tournament.Visibility.PUBLIC:
        event = None
    if not change.is_rated:
        return ChangeRow(change, event, "", "", "")
    span = span_of(change, is_relative)
    interval = _("%(low)s to %(high)s") % {"low": format_rounded(span.low), "high": format_rounded(span.high)}
    if is_relative and change.difference_error == 0:
        interval = _("reference")
    return ChangeRow(change, event, ranks_of(change), format_rounded(span.estimate), interval)
