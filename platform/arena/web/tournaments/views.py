"""Pages of tournaments: list, tournament, live updates, and the page on fairness."""

from __future__ import annotations

import hashlib
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.http import require_GET, require_safe

from arena.common.errors import ArenaError, Unavailable
from arena.common.process_cache import CacheKey, process_cache
from arena.competition.selectors import tournament_get
from arena.matches.changes import change_as_read, change_of, list_version
from arena.streams.live import follow_parts, follow_tournament
from arena.web.base.errors import error_page, handle_errors, personal_page
from arena.web.base.list_parameters import list_request
from arena.web.base.live_pages import MAX_AGE_S
from arena.web.base.paging import page_number
from arena.web.tournaments.live_parts import (
    changed_parts,
    render_own_part,
    render_parts,
    render_shared_parts,
    summary_of,
)
from arena.web.tournaments.overview import build_overview

MAX_PARTS = 20
"""Maximum ``have`` parameters of a request."""


@require_safe
@handle_errors
def tournaments(request: HttpRequest) -> HttpResponseBase:
    """Render the list, filtered and ordered; each group has its own pages, ``?live=2&coming=1&page=3``.

    htmx gets the lists only, or 204 if ``?have=`` names their current version.
    """
    pages = {
        name: number for name in ("live", "coming", "page") if (number := page_number(request, name)) > 1
    }
    listed = list_request(request, "tournaments")
    parameters = {**listed.chosen, **pages}
    address = reverse("web:tournaments") + (f"?{urlencode(parameters)}" if parameters else "")

    def rendered() -> tuple[SafeString, str, bool]:
        overview = build_overview(request.user, listed, pages)
        middle = render_to_string("web/_overview.html", {"overview": overview}, request)
        return middle, hashlib.sha256(middle.encode()).hexdigest()[:20], overview.is_moving

    key = CacheKey(address, list_version(), request.user.pk, get_language())
    middle, version, is_moving = (
        # Searches are not cached: there are too many of them.
        rendered() if listed.query else process_cache.get_or_build(key, rendered, max_age_s=MAX_AGE_S)
    )
    context = {"is_moving": is_moving, "address": address, "version": version, "middle": middle}
    if not _is_part(request):
        response = render(
            request, "web/tournaments.html", {**context, "request_list": listed, "nav": "tournaments"}
        )
    elif request.GET.get("have") == version:
        response = HttpResponse(status=204)
    else:
        response = render(request, "web/_overview_frame.html", context)
    response["Vary"] = "HX-Request, Cookie"
    return response


@personal_page
def tournament(request: HttpRequest, public_id: str) -> HttpResponseBase:
    tournament_row = tournament_get(public_id, request.user)
    change = change_as_read(tournament_row)
    context = {
        "nav": "tournament",
        "tournament": tournament_row,
        "change": change,
        "parts": render_parts(tournament_row, change),
        "own": render_own_part(request, tournament_row),
        "summary": summary_of(tournament_row),
    }
    return render(request, "web/tournament.html", context)


@require_safe
@handle_errors
def tournament_live(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Return the parts whose version is not in ``?have=NAME.VERSION``, which is repeated for each part.

    304 if the response would be unchanged.
    """
    tournament_row = tournament_get(public_id, request.user)
    change = change_as_read(tournament_row)
    own = render_own_part(request, tournament_row)
    have = sorted(request.GET.getlist("have")[:MAX_PARTS])
    cache_key = repr((change.version, own and own.version, get_language(), have))
    etag = f'"{hashlib.sha256(cache_key.encode()).hexdigest()[:20]}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        parts = [*render_parts(tournament_row, change).values(), *([own] if own else [])]
        context = {
            "tournament": tournament_row,
            "change": change,
            "own": own,
            "updates": changed_parts(parts, have),
        }
        response = HttpResponse(render_to_string("web/_live.html", context))
    response["ETag"] = etag
    patch_cache_control(response, private=True, no_cache=True)
    return response


@require_GET
def tournament_events(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Stream server-sent events with the version of the page, whenever it changes.

    With ``?have=NAME.VERSION`` for each part, events contain the changed shared parts (``follow_parts``).
    With ``?of=settled``, events contain only the version of settled results.

    204 stops the browser from reconnecting: the tournament is over. 503 with Retry-After: too many streams.
    """
    user = request.user
    try:
        tournament_row = tournament_get(public_id, user)
    except ArenaError as error:
        return error_page(request, error)
    if (change := change_of(tournament_row.pk)) is None or change.is_last:
        return HttpResponse(status=204)
    have = request.GET.getlist("have")[:MAX_PARTS]
    language = get_language() or settings.LANGUAGE_CODE
    try:
        if have:
            return follow_parts(
                request,
                user,
                tournament_row.pk,
                change,
                render=render_shared_parts,
                language=language,
                have=have,
            )
        of_settled = request.GET.get("of") == "settled"
        return follow_tournament(request, user, tournament_row.pk, change, of_settled=of_settled)
    except Unavailable as full:
        text = f"{full.message} Reload the page to update it.\n"
        return HttpResponse(
            text, status=503, content_type="text/plain", headers={"Retry-After": str(full.retry_s)}
        )


@require_safe
def fairness(request: HttpRequest) -> HttpResponse:
    return render(request, "web/fairness.html", {"nav": "fairness"})


def _is_part(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"
