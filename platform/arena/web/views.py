"""The pages: the list of tournaments, one tournament, its changes as they happen, how fairness works."""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.translation import get_language
from django.views.decorators.http import require_GET, require_safe

from arena.common.errors import ArenaError, Unavailable
from arena.competition.models import Tournament
from arena.competition.selectors import may_organise, tournament_get
from arena.matches.changes import Change, change_of
from arena.streams.live import follow_tournament
from arena.web.errors import error_page, page
from arena.web.event import event_of
from arena.web.overview import overview_of
from arena.web.viewer_parts import held_back, own_entries

LIVE_CACHE_S = 30
"""How long a rendered state of a tournament is kept: hundreds of spectators ask for the same one."""


@require_safe
@page
def tournaments(request: HttpRequest) -> HttpResponseBase:
    """The list. htmx asks for its middle alone."""
    overview = overview_of(request.user, request.GET.get("page", "1"))
    template = "web/_overview.html" if _is_part(request) else "web/tournaments.html"
    response = render(request, template, {"overview": overview, "nav": "tournaments"})
    response["Vary"] = "HX-Request, Cookie"
    return response


@require_safe
@page
def tournament(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """One tournament, whole."""
    found = tournament_get(public_id, request.user)
    context = {
        "nav": "tournament",
        "tournament": found,
        "live": _live_html(found, _change(found)),
        "held_back": held_back(found) if may_organise(request.user, found) else [],
        "own": own_entries(found, request.user),
    }
    return render(request, "web/tournament.html", context)


@require_safe
@page
def tournament_live(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The part of a tournament's page that changes; 304 if the caller has the present one."""
    found = tournament_get(public_id, request.user)
    change = _change(found)
    etag = f'"{change.version}-{get_language()}"'
    response = get_conditional_response(request, etag=etag) or HttpResponse(_live_html(found, change))
    response["ETag"] = etag
    patch_cache_control(response, private=True, no_cache=True)
    return response


@require_GET
async def tournament_events(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Server-sent events: the version of the page, whenever it changes. Never anything else.

    204 tells the browser not to come back: the tournament is over. 503 with Retry-After: too many listen.
    """
    user = await request.auser()
    try:
        found = await sync_to_async(tournament_get)(public_id, user)
    except ArenaError as error:
        return await sync_to_async(error_page)(request, error)
    if (change := await sync_to_async(change_of)(found.pk)) is None or change.is_last:
        return HttpResponse(status=204)
    try:
        return follow_tournament(request, user, found.pk, change)
    except Unavailable as full:
        text = f"{full.message} The page itself is up to date when reloaded.\n"
        return HttpResponse(
            text, status=503, content_type="text/plain", headers={"Retry-After": str(full.retry_s)}
        )


@require_safe
def fairness(request: HttpRequest) -> HttpResponse:
    """How deals come about and how to check them."""
    return render(request, "web/fairness.html", {"nav": "fairness"})


def _is_part(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def _change(found: Tournament) -> Change:
    change = change_of(found.pk)
    assert change is not None, "a tournament is never deleted"
    return change


def _live_html(found: Tournament, change: Change) -> str:
    """The changing part, rendered once per version and language: the same for everybody who may see it."""
    key = f"live:{found.public_id}:{change.version}:{get_language()}"
    html: str | None = cache.get(key)
    if html is None:
        context = {"event": event_of(found), "tournament": found, "version": change.version}
        html = render_to_string("web/_live.html", context)
        cache.set(key, html, LIVE_CACHE_S)
    return html
