"""Page views of a casual table during and after play, with its forms, fragments and event stream."""

from __future__ import annotations

import functools
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.safestring import mark_safe
from django.utils.translation import get_language, override

from arena.common.errors import ArenaError, Invalid, problem_body, quoted
from arena.features.play import services
from arena.features.play.live import follow
from arena.features.play.models import CasualTable
from arena.features.play.pages.after import after_context, deal_fragment
from arena.features.play.pages.descriptions import table_description, table_title
from arena.features.play.pages.hints import current_hint
from arena.features.play.pages.table_fragment import court_of, table_html
from arena.features.play.position import SeatedTable
from arena.features.play.selectors import service_is_up, table_of
from arena.features.play.visitors import person_of
from arena.web.base.errors import form_page, personal_page
from engine.games import family_of
from viewer.games import deck_of_game
from viewer.seat_view import table_symbols

PART_FIELD = "part"
"""Field that the page's script sends to request a fragment instead of a page."""
MAX_DIGITS = 6
TRICK = ("7H", "KH", "3S", "2H")
HOW_CARDS = {"kakeya": TRICK, "etori": TRICK, "kakkuri": ("6S", "7H", "8C", "AC")}
"""Cards in the picture of *How to play*, by family."""


@personal_page
def table(request: HttpRequest, public_id: str) -> HttpResponseBase:
    casual_table = table_of(person_of(request), public_id)
    part = request.GET.get(PART_FIELD, "")
    if part == "table":
        return no_store(HttpResponse(table_html(casual_table, parse_position(request.GET.get("n", "")))))
    if part == "deal":
        return HttpResponse(deal_fragment(casual_table, request.GET.get("at", "")))
    return table_page(request, casual_table)


@form_page
def act(request: HttpRequest, public_id: str) -> HttpResponseBase:
    casual_table = table_of(person_of(request), public_id)
    is_script = bool(request.POST.get(PART_FIELD))
    try:
        n = required_position(request)
        taken_back = parse_position(request.POST.get("taken_back", ""))
        services.act(casual_table, n, request.POST.get("action", ""), taken_back)
    except ArenaError as error:
        if is_script:
            return JsonResponse(problem_body(error.status, error.code, error.message), status=error.status)
        messages.error(request, error.message)
        casual_table.refresh_from_db()
        return table_page(request, casual_table, status=error.status)
    return HttpResponse(status=204) if is_script else redirect("web:play-table", public_id=public_id)


@form_page
def finish_deal(request: HttpRequest, public_id: str) -> HttpResponseBase:
    casual_table = table_of(person_of(request), public_id)
    try:
        services.finish_deal(casual_table, required_position(request))
    except ArenaError as error:
        messages.error(request, error.message)
        casual_table.refresh_from_db()
        return table_page(request, casual_table, status=error.status)
    return redirect("web:play-table", public_id=public_id)


@form_page
def leave(request: HttpRequest, public_id: str) -> HttpResponseBase:
    services.leave(person_of(request), public_id)
    return redirect("web:play")


@form_page
def finish(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Let a house bot finish the deal at once; the table's page displays the end."""
    services.finish(person_of(request), public_id)
    return redirect("web:play-table", public_id=public_id)


@form_page
def resume(request: HttpRequest, public_id: str) -> HttpResponseBase:
    services.resume(person_of(request), public_id)
    return redirect("web:play-table", public_id=public_id)


@personal_page
def events(request: HttpRequest, public_id: str) -> HttpResponseBase:
    after = request.headers.get("Last-Event-ID") or request.GET.get("from", "")
    part = functools.partial(_table_html_in, get_language() or settings.LANGUAGE_CODE)
    taken_back = parse_position(request.GET.get("taken_back", ""))
    return follow(request, person_of(request), public_id, parse_position(after) or 0, part, taken_back)


def _table_html_in(language: str, casual_table: CasualTable, n: int) -> str:
    with override(language):
        return table_html(casual_table, n)


def table_page(request: HttpRequest, casual_table: CasualTable, status: int = 200) -> HttpResponse:
    """Render the page of a table in its state; browsers do not store it."""
    return no_store(_page(request, casual_table, status))


def _page(request: HttpRequest, casual_table: CasualTable, status: int) -> HttpResponse:
    context: dict[str, Any] = {"nav": "play-table", "table": casual_table, "title": table_title(casual_table)}
    context["kind"] = table_description(casual_table)
    if casual_table.is_over:
        return render(
            request, "play/after.html", {**context, **after_context(request, casual_table)}, status=status
        )
    if casual_table.state == CasualTable.State.FAILED:
        return render(request, "play/failed.html", context, status=status)
    hint = current_hint(casual_table, person_of(request))
    part = table_html(casual_table, hint=hint)
    context |= {
        "part": mark_safe(part),
        **how_to_play(casual_table),
        "deck": deck_of_game(casual_table.game),
        "symbols": mark_safe(table_symbols(casual_table.game, court_of(casual_table))),
        "is_up": service_is_up(),
        "waits": "data-mine" not in part or (hint is not None and hint.state == "waiting"),
    }
    return render(request, "play/table.html", context, status=status)


def how_to_play(casual_table: SeatedTable) -> dict[str, Any]:
    """Return the family of the table's game and the cards of its picture; empty for a game without them."""
    family = family_of(casual_table.preset)
    return {"family": family, "how_cards": HOW_CARDS[family]} if family in HOW_CARDS else {}


def required_position(request: HttpRequest) -> int:
    """Return the number of the position that a form was sent from. Raises Invalid."""
    n = parse_position(request.POST.get("n", ""))
    if n is None:
        raise Invalid("The form has no position.", "invalid", field="n")
    return n


def parse_position(text: str) -> int | None:
    """Parse the number of a position; None for an empty text. Raises Invalid."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
        raise Invalid(f"The position {quoted(text)} is not a number.", "invalid", field="n")
    return int(text)


def no_store(answer: HttpResponse) -> HttpResponse:
    """Have browsers and proxies not store the response of a seat."""
    answer["Cache-Control"] = "no-store, private"
    return answer
