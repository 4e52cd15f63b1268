"""The first page: what this is, in one hand of cards, and what is alive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from arena.accounts.models import User
from arena.web.desk_views import lists_of
from arena.web.home import EMPTY_HAND, FIRST_STEPS, GAMES, deal_of, live_of, swings_of, symbols_of
from arena.web.rating_lines import top_of

LIVE_CACHE_S = 10
CACHE_S = 60
"""How long parts are kept, in each language: everybody is shown the same, what the public may see."""


class Parts(NamedTuple):
    """Rendered parts of the page."""

    live: SafeString
    deal: SafeString
    symbols: SafeString
    swings: SafeString
    ratings: SafeString


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The page. htmx asks for its live part alone."""
    if request.headers.get("HX-Request") == "true":
        response = HttpResponse(_part("live", LIVE_CACHE_S, _live))
    else:
        desk = lists_of(request, request.user) if isinstance(request.user, User) else None
        context = {"nav": "home", "page": _parts(), "games": GAMES, "steps": FIRST_STEPS, "desk": desk}
        response = render(request, "web/home.html", context)
    response["Vary"] = "HX-Request, Cookie"
    return response


def _parts() -> Parts:
    deal, symbols = _part("deal", CACHE_S, _deal).split(SEPARATOR)
    return Parts(
        live=mark_safe(_part("live", LIVE_CACHE_S, _live)),
        deal=mark_safe(deal),
        symbols=mark_safe(symbols),
        swings=mark_safe(_part("swings", CACHE_S, _swings)),
        ratings=mark_safe(_part("ratings", CACHE_S, _ratings)),
    )


SEPARATOR = "\0"
"""Between the deal and the symbols its cards need, which are kept together."""


def _part(name: str, seconds: int, make: Callable[[], str]) -> str:
    """A part rendered once for everybody: from templates, which have escaped what they show."""
    key = f"home-{name}:{get_language()}"
    html: str | None = cache.get(key)
    if html is None:
        html = make()
        cache.set(key, html, seconds)
    return html


def parts_forget() -> None:
    """Render all parts anew for the next visitor: a name on them is no more."""
    parts = ("deal", "live", "ratings", "swings")
    cache.delete_many([f"home-{part}:{code}" for part in parts for code, _ in settings.LANGUAGES])


def _live() -> str:
    return render_to_string("web/_home_live.html", {"live": live_of()})


def _deal() -> str:
    deal = deal_of(timezone.now().date())
    context: dict[str, Any] = {"deal": deal, "hand": EMPTY_HAND}
    return render_to_string("web/_home_deal.html", context) + SEPARATOR + symbols_of(deal)


def _swings() -> str:
    return render_to_string("web/_home_swings.html", {"swings": swings_of()})


def _ratings() -> str:
    return render_to_string("web/_home_ratings.html", {"top": top_of()})
