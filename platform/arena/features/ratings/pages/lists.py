"""Template context of rating lists: ranking, cross table, and comparison of two lines."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.accounts.selectors import Viewer
from arena.features.ratings.models import Rating, RatingList
from arena.features.ratings.movements import movements_of
from arena.features.ratings.panels.forest import Forest, forest_of, scale_of_list
from arena.features.ratings.panels.lines import (
    UnratedLine,
    boards_text,
    line_name,
    list_heading,
    list_title,
    missing_requirements,
    reasons_text,
    unrated_lines,
)
from arena.features.ratings.selectors import (
    basis_of,
    cells_of,
    difference,
    lines_by_name,
    lines_matching,
    lines_of_list,
)
from arena.web.base.figures import format_rounded
from arena.web.base.labels import EntryLabel, bot_label
from arena.web.drawing.crosstable import (
    CrosstableCell,
    CrosstableRow,
    CrosstableWindow,
    crosstable_heads,
    format_cell,
)

LINES_PER_PAGE = 50
MAX_CROSSTABLE_LINES = 12
"""Lines of a page's cross table; more would not fit on a screen."""
MAX_FIND_CHARACTERS = 60
"""Maximum length of a search text."""


@dataclasses.dataclass(frozen=True)
class RatingColumn:
    """The lines of a page for one kind of partner."""

    partner: str
    title: str
    rated: int
    forest: Forest | None
    unrated: list[UnratedLine]


class Comparison(NamedTuple):
    text: str
    asked: tuple[str, str]
    """The two names for the form; a name replaces an id if it is unique."""


def list_page_of(rating_list: RatingList, viewer: Viewer, find: str, page: int) -> dict[str, Any]:
    """Return a page of 50 lines; ``find`` filters by names of bots and players. A fixed number of queries."""
    find = find.replace("\0", "").strip()[:MAX_FIND_CHARACTERS]
    every = lines_of_list(rating_list)
    page_rows = Paginator(lines_matching(every, find) if find else every, LINES_PER_PAGE).get_page(page)
    rows = list(page_rows.object_list)
    scale, basis = scale_of_list(rating_list), basis_of(rating_list)
    has_other_partners = any(row.partner == Rating.Partner.OTHER for row in rows) or bool(
        basis.rated_count(Rating.Partner.OTHER)
    )
    movement = movements_of([row for row in rows if row.is_rated]).get(rating_list.pk)
    columns = []
    for partner, title in (
        (Rating.Partner.SELF, _("With itself as partner")),
        (Rating.Partner.OTHER, _("With other bots as partners")),
    ):
        of_column = [row for row in rows if row.partner == partner]
        forest = forest_of(of_column, scale, viewer, movement)
        if of_column:
            columns.append(
                RatingColumn(
                    str(partner),
                    title if has_other_partners else _("Standings"),
                    basis.rated_count(partner),
                    forest if forest.lines else None,
                    unrated_lines(of_column, viewer),
                )
            )
    rated = [row for row in rows if row.is_rated]
    return {
        "rating_list": rating_list,
        "title": list_title(rating_list),
        "heading": list_heading(rating_list),
        "page": page_rows,
        "find": find,
        "columns": columns,
        "zero": scale.zero,
        "crosstable": _crosstable(rating_list, rated[:MAX_CROSSTABLE_LINES]) if len(rated) > 1 else None,
        "played": boards_text(rating_list),
        "address": f"?{urlencode({'find': find})}&page=" if find else "?page=",
        "names": [line_name(row) for row in rated],
        "has_other_partners": has_other_partners,
    }


def _crosstable(rating_list: RatingList, rows: Sequence[Rating]) -> CrosstableWindow | None:
    """Return the cross table of these lines; None if no two of them met."""
    cells = cells_of(rating_list, rows)
    if not cells:
        return None
    heads = crosstable_heads(
        [
            (
                row.rank or 0,
                EntryLabel(
                    row.version.public_id,
                    (bot_label(row.version),),
                    row.version.bot.owner.handle,
                    False,
                    None,
                ),
            )
            for row in rows
        ]
    )
    lines = tuple(
        CrosstableRow(
            head,
            tuple(
                CrosstableCell(is_self=True)
                if row.pk == other.pk
                else format_cell(cells.get((row.pk, other.pk)))
                for other in rows
            ),
        )
        for head, row in zip(heads, rows, strict=True)
    )
    return CrosstableWindow(0, len(rows), heads, lines)


def comparison_of(rating_list: RatingList, first: str, second: str) -> Comparison | None:
    """Compare two lines by name; None if both names are empty."""
    if not first.strip() and not second.strip():
        return None
    texts = [text[:MAX_FIND_CHARACTERS].strip() for text in (first, second)]
    matches = [lines_by_name(rating_list, text)[:1] for text in texts]
    asked_first, asked_second = (
        _field_text(rating_list, text, rows) for text, rows in zip(texts, matches, strict=True)
    )
    return Comparison(_difference_text(rating_list, texts, matches), (asked_first, asked_second))


def _field_text(rating_list: RatingList, text: str, rows: Sequence[Rating]) -> str:
    """Return the text for the form field: the name in place of an id, if the name is unique."""
    if not rows or rows[0].version.public_id != text.removesuffix("+").strip():
        return text
    name = line_name(rows[0])
    return name if [row.pk for row in lines_by_name(rating_list, name)[:1]] == [rows[0].pk] else text


def _difference_text(
    rating_list: RatingList, texts: Sequence[str], matches: Sequence[Sequence[Rating]]
) -> str:
    """Describe the difference; ``matches`` has zero or one line per text."""
    for text, rows in zip(texts, matches, strict=True):
        if not text:
            return _("Name two bots from the list, such as “kita v2”.")
        if not rows:
            return _("No bot in this list is called “%(text)s”.") % {"text": text}
    a, b = (rows[0] for rows in matches)
    for row in (a, b):
        if not row.is_rated:
            reasons = reasons_text(missing_requirements(row))
            values = {"name": line_name(row), "reasons": reasons}
            return _("%(name)s is not rated yet: %(reasons)s.") % values
    if a.pk == b.pk:
        return _("Both are %(name)s.") % {"name": line_name(a)}
    gap = difference(rating_list, a, b)
    if gap is None:
        return _("The list has just been updated. Try again.")
    if gap.mean < 0:
        a, b = b, a
        gap = gap._replace(mean=-gap.mean, low=-gap.high, high=-gap.low)
    values = {
        "better": line_name(a),
        "other": line_name(b),
        "mean": f"{gap.mean:.2f}",
        "low": format_rounded(gap.low),
        "high": format_rounded(gap.high),
    }
    if gap.low > 0:
        text = _(
            "%(better)s is stronger than %(other)s by %(mean)s stones per board (95%% interval "
            "%(low)s to %(high)s)."
        )
    else:
        text = _(
            "Too early to say which is stronger: %(better)s minus %(other)s is %(mean)s stones "
            "per board (95%% interval %(low)s to %(high)s)."
        )
    return text % values


def change_summary(rating_list: RatingList, revision: int, sets: int) -> str:
    """Describe changes since a revision with ``sets`` board sets; empty if there are none."""
    if rating_list.revision == revision:
        return ""
    more = rating_list.sets - sets
    if more <= 0:
        return _("Scores have changed since.")
    return ngettext(
        "%(count)d board set has finished since.", "%(count)d board sets have finished since.", more
    ) % {"count": more}
