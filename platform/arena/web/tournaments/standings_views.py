"""Long lists of a tournament on pages of their own: standings, crosstable, entries, rounds."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.common.errors import Invalid, NotFound, mark_translated, quoted
from arena.competition import selectors
from arena.competition.models import Entry, Stage, Tournament
from arena.standings.models import StandingRow
from arena.standings.past_standings import PastRow, standings_after_round
from arena.standings.selectors import (
    ListedRow,
    past_rows_with_entries,
    rows_named,
    rows_of_account,
    rows_of_stage,
    rows_with_entries,
    standings_as_of,
)
from arena.web.base.errors import personal_page
from arena.web.base.labels import entry_label, table_label
from arena.web.base.live_pages import render_settled_body, render_settled_page
from arena.web.base.paging import find_text, page_number
from arena.web.drawing.crosstable import WINDOW_ENTRIES, build_window
from arena.web.tournaments.ranking import LINES_PER_PAGE, NO_DETAILS, Row, build_ranking
from arena.web.tournaments.reached import page_with_reached
from arena.web.tournaments.row_details import build_row_details

ENTRIES_PER_PAGE = 100
FOUND_PER_PAGE = 20
"""Lines per page of search results, which are not cached."""


@personal_page
def standings(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Render a stage's standings: now, after ``?stage=1&round=3``, or at ``?at=2026-01-31T12:00Z``.

    ``?find=`` and ``?mine=1`` filter the lines.
    """
    tournament = selectors.tournament_get(public_id, request.user)
    stages = selectors.stages_of(tournament)
    stage = _stage(request, tournament, stages)
    number, moment = _number(request, "round"), _moment(request.GET.get("at", ""))
    is_now = number is None and moment is None
    find, mine_of = (find_text(request), _account(request)) if is_now else ("", None)
    page = page_number(request)

    def context() -> dict[str, Any]:
        chosen: Sequence[StandingRow] | Sequence[PastRow] | QuerySet[StandingRow]
        if number is not None and moment is None:
            chosen = standings_after_round(stage, number)
        elif not is_now:
            chosen = standings_as_of(stage, round_number=number, moment=moment)
        elif mine_of is not None:
            chosen = rows_of_account(stage, mine_of)
        else:
            chosen = rows_named(stage, find) if find else rows_of_stage(stage)
        page_of = Paginator(chosen, FOUND_PER_PAGE if find else LINES_PER_PAGE).get_page(page)
        found_rows = page_of.object_list
        rows = _with_entries(found_rows)
        keys = [row.entry.key for row in rows if isinstance(row, ListedRow)] if is_now else []
        details = build_row_details(stage, keys) if keys else NO_DETAILS
        parameters = {
            "round": number,
            "at": moment and f"{moment:%Y-%m-%dT%H:%M:%SZ}",
            "find": find,
            "mine": 1 if mine_of else None,
        }
        return {
            "address": _address(stage, parameters),
            "stage": stage,
            "stages": stages,
            "closed": selectors.last_closed_round(stage),
            "number": number,
            "moment": moment,
            "find": find,
            "is_mine": mine_of is not None,
            "is_now": is_now,
            "page": page_of,
            "ranking": page_with_reached(build_ranking(tournament, stage, rows, details=details), stage)
            if rows
            else None,
            "table": table_label(tournament, mixes_partners=selectors.stages_mix_partners(stages)),
        }

    is_cached = mine_of is None and moment is None and not find
    asked_for = (stage.number, number, page)
    body = render_settled_body(
        request, tournament, "web/_standings_page.html", asked_for, context, is_cached=is_cached
    )
    return render_settled_page(request, "web/standings.html", tournament, body, is_now=is_now)


@personal_page
def crosstable(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Render a window of a stage's crosstable, ``?stage=1&row=26&column=1``, in the order of the standings.

    ``?find=`` starts with the row of that bot or player.
    """
    tournament = selectors.tournament_get(public_id, request.user)
    stages = selectors.stages_of(tournament)
    stage = _stage(request, tournament, stages)
    find, row, column = find_text(request), _number(request, "row") or 1, _number(request, "column") or 1

    def context() -> dict[str, Any]:
        every = rows_of_stage(stage)
        count = every.count()
        match = rows_named(stage, find).first() if find else None
        top, left = (_window_start(rank, count) for rank in (match.rank if match else row, column))
        lines = rows_with_entries(every[top - 1 : top - 1 + WINDOW_ENTRIES])
        heads = lines if top == left else rows_with_entries(every[left - 1 : left - 1 + WINDOW_ENTRIES])
        return {
            "stage": stage,
            "stages": stages,
            "find": find,
            "match": match,
            "window": build_window(stage, count, lines, heads) if lines else None,
            "moves": _neighbour_windows(top, left, count),
            "rows": (top, top + len(lines) - 1),
            "columns": (left, left + len(heads) - 1),
        }

    asked_for = (stage.number, row, column)
    body = render_settled_body(
        request, tournament, "web/_crosstable_page.html", asked_for, context, is_cached=not find
    )
    return render_settled_page(request, "web/crosstable.html", tournament, body)


def _with_entries(rows_found: object) -> list[Row]:
    """Return the rows with their entries; one query if they are not loaded."""
    if isinstance(rows_found, QuerySet):
        return list(rows_with_entries(rows_found))
    rows = rows_found if isinstance(rows_found, list) else []
    past = [row for row in rows if isinstance(row, PastRow)]
    return list(past_rows_with_entries(past)) if past else rows


def _window_start(rank: int, count: int) -> int:
    """Return the first rank of the window that contains this rank; windows do not overlap."""
    last = max(0, count - 1) // WINDOW_ENTRIES
    return min((max(1, rank) - 1) // WINDOW_ENTRIES, last) * WINDOW_ENTRIES + 1


def _neighbour_windows(row: int, column: int, count: int) -> list[tuple[str, int, int]]:
    rows, columns = _("Rows %(first)d to %(last)d"), _("Columns %(first)d to %(last)d")
    steps = (
        (rows, row - WINDOW_ENTRIES, column, row - WINDOW_ENTRIES),
        (rows, row + WINDOW_ENTRIES, column, row + WINDOW_ENTRIES),
        (columns, row, column - WINDOW_ENTRIES, column - WINDOW_ENTRIES),
        (columns, row, column + WINDOW_ENTRIES, column + WINDOW_ENTRIES),
    )
    return [
        (text % {"first": first, "last": min(first + WINDOW_ENTRIES - 1, count)}, down, right)
        for text, down, right, first in steps
        if 1 <= down <= count and 1 <= right <= count
    ]


@personal_page
def entries(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """List entries that play or left; ``?find=`` filters them."""
    tournament = selectors.tournament_get(public_id, request.user)
    find, page = find_text(request), page_number(request)

    def context() -> dict[str, Any]:
        rows = (
            selectors.entries_in_field_named(tournament, find)
            if find
            else selectors.entries_in_field(tournament)
        )
        page_of = Paginator(rows, ENTRIES_PER_PAGE).get_page(page)
        return {
            "find": find,
            "address": f"?{urlencode({'find': find})}&page=" if find else "?page=",
            "page": page_of,
            "entries": [
                (entry_label(entry), entry.status == Entry.Status.LEFT) for entry in page_of.object_list
            ],
        }

    body = render_settled_body(
        request, tournament, "web/_entries_page.html", (page,), context, is_cached=not find
    )
    return render_settled_page(request, "web/entries.html", tournament, body)


@personal_page
def rounds(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Redirect to a round, ``?stage=1&round=26``; without ``round``, to the rounds of the tournament."""
    tournament = selectors.tournament_get(public_id, request.user)
    number = _number(request, "round")
    if number is None:
        return redirect(f"{reverse('web:tournament', args=[tournament.public_id])}#part-rounds")
    stage = _number(request, "stage") or 1
    return redirect("web:round", public_id=tournament.public_id, stage=stage, number=number)


def _stage(request: HttpRequest, tournament: Tournament, stages: Sequence[Stage]) -> Stage:
    try:
        return selectors.stage_or_latest_of(tournament, stages, _number(request, "stage"))
    except NotFound as error:
        message = _("%(name)s has stages 1 to %(last)d.") % {"name": tournament.name, "last": len(stages)}
        raise mark_translated(NotFound(message, error.code)) from None


def _account(request: HttpRequest) -> User | None:
    return request.user if request.GET.get("mine") and isinstance(request.user, User) else None


def _address(stage: Stage, parameters: dict[str, Any]) -> str:
    """Return the query string of this page, without the value of the page number."""
    given = {name: value for name, value in parameters.items() if value}
    return f"?{urlencode({'stage': stage.number, **given})}&page="


def _moment(text: str) -> datetime.datetime | None:
    if not text:
        return None
    try:
        moment = parse_datetime(text)
        if moment is not None and moment.tzinfo is not None:
            return moment.astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        pass  # no such day or hour, or a year outside the range of UTC
    message = _("%(time)s is not a valid time. Write it as 2026-01-31T12:00Z.") % {"time": quoted(text, 40)}
    raise mark_translated(Invalid(message, "invalid", field="at"))


def _number(request: HttpRequest, field: str) -> int | None:
    text = request.GET.get(field, "")
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 4:
        message = _("The %(field)s %(text)s is not a whole number.")
        raise mark_translated(
            Invalid(message % {"field": field, "text": quoted(text, 20)}, "invalid", field=field)
        )
    return int(text)
