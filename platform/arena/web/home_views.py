"""The first page: what this is, in one hand of cards, and what is alive."""

from __future__ import annotations

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from arena.web.home import live_of

LIVE_CACHE_S = 10
"""How long the live part is kept: everybody is shown the same, that of the public."""


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The page. htmx asks for its live part alone."""
    live = _live_html()
    if request.headers.get("HX-Request") == "true":
        response = HttpResponse(live)
    else:
        response = render(request, "web/home.html", {"nav": "home", "live": live})
    response["Vary"] = "HX-Request, Cookie"
    return response


def _live_html() -> str:
    """The live part, rendered once for everybody."""
    key = f"home-live:{get_language()}"
    html: str | None = cache.get(key)
    if html is None:
        html = render_to_string("web/_home_live.html", {"live": live_of()})
        cache.set(key, html, LIVE_CACHE_S)
    return html
