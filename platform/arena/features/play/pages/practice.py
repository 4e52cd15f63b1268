"""Page views of practice tables: hints and take-backs."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from arena.common.errors import ArenaError, problem_body
from arena.features.play import practice
from arena.features.play.pages.hints import request_hint
from arena.features.play.pages.table_fragment import hint_html
from arena.features.play.pages.tables import PART_FIELD, required_position, table_page
from arena.features.play.selectors import table_of
from arena.features.play.visitors import person_of
from arena.web.base.errors import form_page


@form_page
def hint(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Request the hint for the current decision; scripts repeat the request until the answer is there."""
    person = person_of(request)
    table = table_of(person, public_id)
    is_script = bool(request.POST.get(PART_FIELD))
    try:
        n = required_position(request)
        estimate = request_hint(table, person, n)
        practice.hint_count(table, n)
    except ArenaError as error:
        if is_script:
            return JsonResponse(problem_body(error.status, error.code, error.message), status=error.status)
        messages.error(request, error.message)
        return table_page(request, table, status=error.status)
    if is_script:
        return HttpResponse(hint_html(table, estimate))
    return redirect("web:play-table", public_id=public_id)


@form_page
def take_back(request: HttpRequest, public_id: str) -> HttpResponseBase:
    table = table_of(person_of(request), public_id)
    try:
        practice.take_back(table, required_position(request))
    except ArenaError as error:
        messages.error(request, error.message)
        table.refresh_from_db()
        return table_page(request, table, status=error.status)
    return redirect("web:play-table", public_id=public_id)
