"""Pages that follow a tournament: live parts, rendered once for all viewers, and pages of settled results."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from arena.common.process_cache import CacheKey, process_cache
from arena.competition.models import Tournament
from arena.competition.selectors import ENDED_STATES
from arena.matches.changes import change_of, settled_version

MAX_AGE_S = 30
"""Maximum seconds that a rendered part is cached, for hundreds of spectators."""


class LivePage(NamedTuple):
    """A page with one part that follows a tournament. Both are the same for all viewers."""

    page: str
    """Template of the page; its context has ``part``, the rendered part, and ``tournament``."""
    part: str
    """Template of the part; its context also has ``tournament``, ``version``, ``is_live`` and ``address``."""
    address: str
    """URL of both, with only the parameters that the page knows. It is the cache key of the part."""


def render_live_page(
    request: HttpRequest,
    live_page: LivePage,
    tournament: Tournament,
    head: dict[str, Any],
    context_of: Callable[[], dict[str, Any]],
    *,
    is_cached: bool = True,
) -> HttpResponse:
    """Render the page with ``head``, or for htmx only the part, with ``context_of()``.

    Two queries if the part is cached for the tournament's current version. ``is_cached`` is False for pages
    that are rarely requested twice.
    """
    change = change_of(tournament.pk)
    assert change is not None, "a tournament is never deleted"
    fixed = {
        "tournament": tournament,
        "version": change.version,
        "is_live": not change.is_last,
        "address": live_page.address,
    }

    def part() -> SafeString:
        return render_to_string(live_page.part, {**context_of(), **fixed})

    key = CacheKey(live_page.address, change.version, language=get_language())
    html = process_cache.get_or_build(key, part, max_age_s=MAX_AGE_S) if is_cached else part()
    if request.headers.get("HX-Request") == "true":
        response = HttpResponse(html)
    else:
        response = render(request, live_page.page, {**head, "tournament": tournament, "part": html})
    patch_vary_headers(response, ("HX-Request", "Cookie"))
    patch_cache_control(response, private=True, no_cache=True)
    return response


def render_settled_body(
    request: HttpRequest,
    tournament: Tournament,
    template: str,
    cache_key: tuple[Hashable, ...],
    context: Callable[[], dict[str, Any]],
    *,
    is_cached: bool = True,
) -> SafeString:
    """Render the template once for all visitors, or all signed-in visitors, that request the same.

    ``cache_key`` has the validated parameters of the request; ``context`` is called only to render.
    ``is_cached`` is False for pages that are rarely requested twice.
    """

    def body() -> SafeString:
        return render_to_string(template, {"tournament": tournament, **context()}, request)

    if not is_cached:
        return body()
    audience = request.user.is_authenticated
    key = CacheKey((template, *cache_key), settled_version(tournament), audience, get_language())
    return process_cache.get_or_build(key, body, max_age_s=MAX_AGE_S)


def render_settled_page(
    request: HttpRequest, page: str, tournament: Tournament, body: SafeString, *, is_now: bool = True
) -> HttpResponse:
    """Render the page around a body of ``render_settled_body``; it reloads the body when more is settled.

    htmx gets the body only, or 204 if ``?have=`` names the current version. Pages of past standings, without
    ``is_now``, do not reload. No query.
    """
    parameters = request.GET.copy()
    have = parameters.pop("have", [""])[-1]
    settled = settled_version(tournament)
    follows = is_now and tournament.state not in ENDED_STATES
    context = {
        "nav": "tournament",
        "tournament": tournament,
        "body": body,
        "follows": follows,
        "have": settled,
        "address": f"{request.path}?{parameters.urlencode()}" if parameters else request.path,
    }
    if request.headers.get("HX-Request") != "true":
        response = render(request, page, context)
    elif have == settled and follows:
        response = HttpResponse(status=204)
    else:
        response = render(request, "web/_followed.html", context)
    patch_vary_headers(response, ("HX-Request", "Cookie"))
    return response
