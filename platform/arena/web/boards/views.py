"""Pages of rounds, boards, fixtures and deals. They are the same for all who may see the tournament."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from arena.common.errors import NotFound, mark_translated
from arena.competition.impartiality import has_interest
from arena.competition.models import Round, Tournament
from arena.competition.permissions import allowed_actions
from arena.competition.selectors import stages_of, tournament_get, tournament_mixes_partners
from arena.matches.board_tables import (
    board_set_visible,
    fixture_visible,
    round_progress,
    round_with_boards,
)
from arena.web.base.errors import personal_page, polls_sealed_page
from arena.web.base.labels import table_label
from arena.web.base.live_pages import LivePage, render_live_page
from arena.web.base.paging import find_text, page_number
from arena.web.boards.board import board_context
from arena.web.boards.deals import deals_context
from arena.web.boards.fixture_page import fixture_context, fixture_title
from arena.web.drawing.board_mat import board_diagram_context
from arena.web.tournaments.round_page import round_context

PUBLIC_ID = re.compile(r"[0-9a-z]{1,32}")
RULING_ACTIONS = frozenset({"adjudicate", "rerun"})
"""Actions on the organiser's page of a fixture, for organisers without an entry."""
RETRY_ACTION = "retry_tables"
"""Action on that page for all organisers."""


@personal_page
def board(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    """Render a board with the tables that played it; 423 while its round is open, for any number."""
    board_set = board_set_visible(public_id, request.user)
    round_row = board_set.round
    tournament = round_row.stage.tournament
    head = {
        "nav": "tournament",
        "tournament": tournament,
        "is_staged": len(stages_of(tournament)) > 1,
        "board_set": board_set,
        "round": round_row,
        "number": number,
    }
    if board_set.is_sealed:
        head["progress"] = round_progress(board_set)
        template = "web/_board_sealed.html" if polls_sealed_page(request) else "web/board_sealed.html"
        return render(request, template, head, status=423)
    if not 1 <= number <= board_set.boards:
        raise mark_translated(
            NotFound(
                _("The boards of this set are numbered 1 to %(last)d.") % {"last": board_set.boards},
                "board_not_found",
            )
        )
    page, game = page_number(request, "page"), _public_id_parameter(request, "game")
    address = _page_url("web:board", [public_id, number], page=page, game=game)

    def context() -> dict[str, Any]:
        board_page = board_context(board_set, number, page, game)
        return {**head, "board": board_page, "mat": board_diagram_context(board_set, number)}

    live_page = LivePage("web/board.html", "web/_board.html", address)
    return render_live_page(request, live_page, tournament, head, context)


@personal_page
def fixture(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Render a fixture; while it is sealed, only the progress of its tables."""
    fixture_row = fixture_visible(public_id, request.user)
    round_row = fixture_row.board_set.round
    boards, tables = page_number(request, "boards"), page_number(request, "tables")
    verbs = allowed_actions(fixture_row.tournament, request.user)
    head = {
        "nav": "tournament",
        "tournament": fixture_row.tournament,
        "is_staged": len(stages_of(fixture_row.tournament)) > 1,
        "fixture": fixture_row,
        "title": SimpleLazyObject(lambda: fixture_title(fixture_row)),
        "round": round_row,
        "may_rule": not RULING_ACTIONS.isdisjoint(verbs),
        "is_party": RETRY_ACTION in verbs and has_interest(request.user, fixture_row.tournament),
    }
    address = _page_url("web:fixture", [public_id], boards=boards, tables=tables)

    def context() -> dict[str, Any]:
        return {
            **head,
            "meeting": fixture_context(fixture_row, boards, tables),
            "table": table_label(
                fixture_row.tournament, mixes_partners=tournament_mixes_partners(fixture_row.tournament)
            ),
        }

    live_page = LivePage("web/fixture.html", "web/_meeting.html", address)
    return render_live_page(request, live_page, fixture_row.tournament, head, context)


@personal_page
def round_page(request: HttpRequest, public_id: str, stage: int, number: int) -> HttpResponseBase:
    tournament = tournament_get(public_id, request.user)
    round_row = _round(tournament, stage, number)
    page, boards = page_number(request, "page"), page_number(request, "boards")
    find = find_text(request)
    stages = stages_of(tournament)
    head = {"nav": "tournament", "round": round_row, "is_staged": len(stages) > 1}
    address = _page_url("web:round", [public_id, stage, number], page=page, boards=boards, find=find)

    def context() -> dict[str, Any]:
        round_data = round_context(tournament, round_row, page, boards, find)
        table = table_label(tournament, mixes_partners=tournament_mixes_partners(tournament))
        event = {"stages": stages, "table": table, "is_over": False}
        return {**head, "rounds": round_data, "round": round_data["line"], "event": event}

    live_page = LivePage("web/round.html", "web/_round.html", address)
    return render_live_page(request, live_page, tournament, head, context, is_cached=not find)


@personal_page
def deals(request: HttpRequest, public_id: str) -> HttpResponseBase:
    tournament = tournament_get(public_id, request.user)
    live_page = LivePage("web/deals.html", "web/_deals.html", reverse("web:deals", args=[public_id]))

    def context() -> dict[str, Any]:
        return {"deals": deals_context(tournament), "is_staged": len(stages_of(tournament)) > 1}

    return render_live_page(request, live_page, tournament, {"nav": "tournament"}, context)


def _round(tournament: Tournament, stage: int, number: int) -> Round:
    try:
        return round_with_boards(tournament, stage, number)
    except NotFound as error:
        message = _("Stage %(stage)d of %(name)s has no round %(number)d.")
        values = {"stage": stage, "name": tournament.name, "number": number}
        raise mark_translated(NotFound(message % values, error.code)) from None


def _page_url(name: str, arguments: list[Any], **parameters: int | str) -> str:
    """Return the URL of a page without parameters that have their default."""
    given = {key: value for key, value in parameters.items() if value not in (1, "")}
    return reverse(name, args=arguments) + (f"?{urlencode(given)}" if given else "")


def _public_id_parameter(request: HttpRequest, name: str) -> str:
    """Return a parameter that has the form of a public id; else empty."""
    text = request.GET.get(name, "")
    return text if PUBLIC_ID.fullmatch(text) else ""
