"""Pages of replays."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _

from arena.common.errors import Invalid, Sealed, mark_translated, quoted
from arena.competition.permissions import allowed_actions
from arena.competition.selectors import stages_of
from arena.matches.board_tables import fixture_visible, round_progress
from arena.matches.selectors import is_sealed_for, table_get, view_of
from arena.web.base.errors import personal_page, polls_sealed_page
from arena.web.boards.compare_page import build_compare_page
from arena.web.boards.table_page import build_table_page, render_deal_fragment
from viewer.games import deals_of


@personal_page
def table(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Render a table at ``?at=b3t7p2`` as seen by ``?seat=2``; with ``?part=deal`` only the deal.

    ``?retry=1`` asks for a better card than the costly play there, ``?retry=QH`` answers.
    """
    position, seat, retry = (request.GET.get(name, "") for name in ("at", "seat", "retry"))
    if request.GET.get("part") == "deal":
        return HttpResponse(render_deal_fragment(public_id, request.user, position))
    try:
        table_page = build_table_page(public_id, request.user, position, seat, retry)
    except Sealed:
        return _sealed(request, public_id)
    fixture = table_page.table.fixture
    context = {
        "nav": "tournament",
        "page": table_page,
        "is_drawn": deals_of(fixture.board_set.round.stage.tournament.game) is not None,
        "table": table_page.table,
        "fixture": fixture,
        "round": fixture.board_set.round,
        "tournament": fixture.board_set.round.stage.tournament,
        "may_rerun": "rerun" in allowed_actions(fixture.board_set.round.stage.tournament, request.user),
        "at": position,
        "seat": seat,
    }
    return render(request, "web/table.html", context)


@personal_page
def compare(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    """Render both tables of a fixture on a board at ``?at=b3t7p2``; with ``?part=deal`` only the deal."""
    fixture = fixture_visible(public_id, request.user)
    board_set, position = fixture.board_set, request.GET.get("at", "")
    tournament = board_set.round.stage.tournament
    context = {
        "nav": "tournament",
        "tournament": tournament,
        "is_staged": len(stages_of(tournament)) > 1,
        "round": board_set.round,
    }
    if is_sealed_for(board_set, request.user):
        return _render_sealed(request, {**context, "progress": round_progress(board_set)})
    page = build_compare_page(fixture, number, position)
    if request.GET.get("part") == "deal":
        return HttpResponse(page.deal.part)
    return render(request, "web/compare.html", {**context, "fixture": fixture, "page": page, "at": position})


def _sealed(request: HttpRequest, public_id: str) -> HttpResponse:
    """Render what is public before the boards are unsealed: fixture, round and progress."""
    fixture = table_get(public_id, request.user).fixture
    round_row = fixture.board_set.round
    context = {
        "nav": "tournament",
        "tournament": round_row.stage.tournament,
        "is_staged": len(stages_of(round_row.stage.tournament)) > 1,
        "round": round_row,
        "fixture": fixture,
        "progress": round_progress(fixture.board_set),
    }
    return _render_sealed(request, context)


def _render_sealed(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    template = "web/_board_sealed.html" if polls_sealed_page(request) else "web/board_sealed.html"
    return render(request, template, context, status=423)


@personal_page
def table_view_json(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Return the view of a table as JSON, or with ``?board=3`` one of its boards. It is immutable."""
    text = request.GET.get("board", "")
    if text and not (text.isascii() and text.isdigit() and len(text) <= 4):
        message = _("%(board)s is not a board number.") % {"board": quoted(text, 20)}
        raise mark_translated(Invalid(message, "invalid", field="board"))
    table = table_get(public_id, request.user)
    data = view_of(table, request.user, int(text) if text else None)
    etag = f'"{table.view_sha256}{text and "-"}{text}"'
    response = HttpResponse(data, content_type="application/json", headers={"ETag": etag})
    return get_conditional_response(request, etag=etag, response=response) or response
