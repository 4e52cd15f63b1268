"""The content of the page that compares the two tables of a fixture on one board."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.common.errors import Invalid, NotFound, mark_translated
from arena.common.process_cache import CacheKey, process_cache
from arena.matches.board_tables import played_tables_on_board, sides_with_names
from arena.matches.models import Fixture, FixtureEntry, Table
from arena.matches.replays import table_view
from arena.standings.board_scores import fixture_board_scores
from arena.web.base.figures import format_exact
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.base.live_pages import MAX_AGE_S
from arena.web.boards.table_page import table_around
from arena.web.drawing.sides import sides_heading
from viewer import cards
from viewer.compared_deal import ComparedTable, compared_deal, difference_sentence
from viewer.comparison_render import comparison_part, comparison_title, shortcuts
from viewer.games import deals_of
from viewer.markup import Html, joined
from viewer.panels import help_dialog, live_region
from viewer.position import PositionError
from viewer.shapes import View
from viewer.texts import ViewerTexts, viewer_texts


class CompareSide(NamedTuple):
    entries: tuple[EntryLabel, ...]
    score: str
    """Board score; empty without one."""
    mean: str
    """Stones at the tables, of which the score is the mean; empty if forfeits or rulings changed it."""


class DrawnDeal(NamedTuple):
    """Both tables at a position."""

    title: str
    summary: str
    """Sentence about the first difference."""
    symbols: Html
    part: Html


class ComparePage(NamedTuple):
    number: int
    heading: str
    """Names of the sides, and the board."""
    board_set: str
    before: int | None
    after: int | None
    """Numbers of the boards before and after this one."""
    sides: tuple[CompareSide, ...]
    deal: DrawnDeal
    live_region: Html
    dialog: Html


def build_compare_page(fixture: Fixture, number: int, position: str) -> ComparePage:
    """Return both tables of a fixture on a board of a closed set at a position (``b3t7p2``, or empty).

    At most eight queries. Raise NotFound ``board_not_found``, or ``not_comparable`` unless two tables of two
    sides have played the board and have views, or Invalid if there is no such position.
    """
    board_set = fixture.board_set
    if not 1 <= number <= board_set.boards:
        message = _("The boards of this set are numbered 1 to %(last)d.") % {"last": board_set.boards}
        raise mark_translated(NotFound(message, "board_not_found"))
    members = sides_with_names(fixture)
    tables = _tables(fixture, members, number)
    compared = [table.compared for table in tables]
    texts = viewer_texts(get_language() or "en")
    data = [
        (table.view["record_sha256"], table.around.names, table.around.marks, table.around.notes)
        for table in compared
    ]
    key = CacheKey(("compare", fixture.public_id, number, position), repr(data), language=texts.language)
    sides = _sides(fixture, members, number, tables)
    values = {"names": sides_heading([side.entries for side in sides]), "number": number}
    heading = _("%(names)s, board %(number)d") % values
    return ComparePage(
        number=number,
        heading=heading,
        board_set=board_set.public_id,
        before=number - 1 if number > 1 else None,
        after=number + 1 if number < board_set.boards else None,
        sides=sides,
        deal=process_cache.get_or_build(key, lambda: _drawn(compared, position, texts), max_age_s=MAX_AGE_S),
        live_region=live_region(f"{heading} · Rensho"),
        dialog=help_dialog(texts, shortcuts(texts)),
    )


class PlayedView(NamedTuple):
    row: Table
    compared: ComparedTable


def _tables(fixture: Fixture, members: Sequence[FixtureEntry], number: int) -> list[PlayedView]:
    sides = len({member.side for member in members})
    if sides != 2:
        message = _("Only fixtures of two sides can be compared. This one has %(count)d.") % {"count": sides}
        raise mark_translated(NotFound(message, "not_comparable"))
    if deals_of(fixture.tournament.game) is None:
        message = _("Replays of this game are not available on this site.")
        raise mark_translated(NotFound(message, "not_comparable"))
    rows = played_tables_on_board(fixture, number)
    compared = [
        PlayedView(table, _table(table, view, fixture))
        for table in rows
        if (view := _view(table, number)) is not None
    ]
    if len(compared) != 2:
        message = _(
            "This board cannot be compared, because there are no replays of two tables that played it."
        )
        raise mark_translated(NotFound(message, "not_comparable"))
    return compared


def _view(table: Table, number: int) -> View | None:
    """Return the view of one board, with only its number as valid."""
    stored = table_view(table, number)
    view: View | None = None if stored is None else json.loads(stored)
    return None if view is None else {**view, "numbers": [number]}


def _table(table: Table, view: View, fixture: Fixture) -> ComparedTable:
    table.fixture = fixture
    label = _("Table %(number)s") % {"number": table.rotation + 1}
    return ComparedTable(label, view, table_around(table, view), reverse("web:table", args=[table.public_id]))


def _drawn(tables: Sequence[ComparedTable], position: str, texts: ViewerTexts) -> DrawnDeal:
    try:
        deal = compared_deal(tables, position, texts)
    except PositionError as error:
        raise mark_translated(Invalid(error.said(texts), "invalid", field="at")) from None
    scene = deal.scenes[0]
    symbols = joined([cards.deck_symbols(scene.deck, scene.court), cards.marks()])
    return DrawnDeal(comparison_title(deal), difference_sentence(deal), symbols, comparison_part(deal))


def _sides(
    fixture: Fixture, members: Sequence[FixtureEntry], number: int, tables: Sequence[PlayedView]
) -> tuple[CompareSide, ...]:
    scores = fixture_board_scores(fixture, [number]).get(number, {})
    sides = []
    for side in dict.fromkeys(member.side for member in members):
        of_side = [member for member in members if member.side == side]
        score = scores.get(of_side[0].entry_id)
        text = "" if score is None else format_exact(score, signed=True)
        stones = [_stones(table, {member.entry_id for member in of_side}) for table in tables]
        mean = ""
        if score is not None and Fraction(sum(stones), len(stones)) == score:
            mean = _("the mean of %(first)s and %(second)s") % {
                "first": format_exact(Fraction(stones[0]), signed=True),
                "second": format_exact(Fraction(stones[1]), signed=True),
            }
        sides.append(CompareSide(tuple(entry_label(member.entry) for member in of_side), text, mean))
    return tuple(sides)


def _stones(table: PlayedView, entries: Collection[int]) -> int:
    """Return the stones that the seats of a side won on the board."""
    seat = next(seat.seat for seat in table.row.seats.all() if seat.entry_id in entries)
    return table.compared.view["boards"][0]["result"][str(seat)]
