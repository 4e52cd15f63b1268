"""The page of a casual table while it is played and after it, and what its forms and its script ask for."""

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
from arena.features.play.pages.table_fragment import court_of, table_html
from arena.features.play.pages.visitors import person_of
from arena.features.play.selectors import service_is_up, table_of
from arena.web.base.errors import form_page, personal_page
from viewer.games import deck_of_game
from viewer.sitting import table_symbols

PART_FIELD = "part"
"""A form that the page's script sends has this field: it wants no page as an answer."""
MAX_DIGITS = 6


@personal_page
def table(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """A table of one's own. ``?part=table&n=12``: what the script exchanges, as it was after 12 actions."""
    found = table_of(person_of(request), public_id)
    asked = request.GET.get(PART_FIELD, "")
    if asked == "table":
        return _no_store(HttpResponse(table_html(found, _parse_position(request.GET.get("n", "")))))
    if asked == "deal":
        return HttpResponse(deal_fragment(found, request.GET.get("at", "")))
    return _no_store(_page(request, found))


@form_page
def act(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Play a card, or answer a question. What comes too late shows the table as it is."""
    found = table_of(person_of(request), public_id)
    is_script = bool(request.POST.get(PART_FIELD))
    try:
        n = _parse_position(request.POST.get("n", ""))
        if n is None:
            raise Invalid("The form says no position.", "invalid", field="n")
        services.act(found, n, request.POST.get("action", ""))
    except ArenaError as error:
        if is_script:
            return JsonResponse(problem_body(error.status, error.code, error.message), status=error.status)
        messages.error(request, error.message)
        found.refresh_from_db()
        return _no_store(_page(request, found, status=error.status))
    return HttpResponse(status=204) if is_script else redirect("web:play-table", public_id=public_id)


@form_page
def leave(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Go away; the table waits for a while."""
    services.leave(person_of(request), public_id)
    return redirect("web:play")


@form_page
def finish(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Have a house bot finish the deal now; the table's page shows how it ends."""
    services.finish(person_of(request), public_id)
    return redirect("web:play-table", public_id=public_id)


@form_page
def resume(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Go on where one was."""
    services.resume(person_of(request), public_id)
    return redirect("web:play-table", public_id=public_id)


@personal_page
def events(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Each new position as it comes, from the one after ``?from=12`` on."""
    after = request.headers.get("Last-Event-ID") or request.GET.get("from", "")
    part = functools.partial(_table_html_in, get_language() or settings.LANGUAGE_CODE)
    return follow(request, person_of(request), public_id, _parse_position(after) or 0, part)


def _table_html_in(language: str, found: CasualTable, n: int) -> str:
    with override(language):
        return table_html(found, n)


def _page(request: HttpRequest, found: CasualTable, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {"nav": "play-table", "table": found, "title": table_title(found)}
    context["kind"] = table_description(found)
    if found.is_over:
        return render(request, "play/after.html", {**context, **after_context(request, found)}, status=status)
    if found.state == CasualTable.State.BROKEN:
        return render(request, "play/broken.html", context, status=status)
    part = table_html(found)
    context |= {
        "part": mark_safe(part),
        "deck": deck_of_game(found.game),
        "symbols": mark_safe(table_symbols(found.game, court_of(found))),
        "is_up": service_is_up(),
        "waits": "data-mine" not in part,
    }
    return render(request, "play/table.html", context, status=status)


def _parse_position(text: str) -> int | None:
    """A position as an address has it; None if there is none.

    Raises:
        Invalid: it is no number.
    """
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
        raise Invalid(f"The position {quoted(text)} is no number.", "invalid", field="n")
    return int(text)


def _no_store(answer: HttpResponse) -> HttpResponse:
    """A position is of one person, and soon another: no cache and no history keeps it."""
    answer["Cache-Control"] = "no-store, private"
    return answer
