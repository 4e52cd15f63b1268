"""The home page: the deal of the day, tournaments, swings, ratings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from arena.accounts.models import User
from arena.common.process_cache import CacheKey, process_cache
from arena.features.daily.panels.home import daily_panel
from arena.features.ratings.panels.lines import top_lines
from arena.web.base.documents import rulebook
from arena.web.site.desk_views import render_desk_lists
from arena.web.site.home import (
    EMPTY_HAND,
    FIRST_STEPS,
    card_symbols,
    deal_of_day,
    live_tournaments,
    recent_swings,
)
from viewer.markup import Html

LIVE_MAX_AGE_S = 10
MAX_AGE_S = 60
"""Maximum seconds that parts are cached per language. They contain only public data."""

Value = TypeVar("Value")


class HomeParts(NamedTuple):
    live: SafeString
    deal: SafeString
    symbols: Html
    """SVG symbols of the deal's cards."""
    swings: SafeString
    ratings: SafeString


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    if request.headers.get("HX-Request") == "true":
        response = HttpResponse(_cached_part(_live, LIVE_MAX_AGE_S))
    else:
        desk = (
            render_desk_lists(request, request.user, is_brief=True)
            if isinstance(request.user, User)
            else None
        )
        context = {
            "nav": "home",
            "page": _parts(),
            "games": rulebook.pages(),
            "steps": FIRST_STEPS,
            "desk": desk,
            "daily": daily_panel(request),
        }
        response = render(request, "web/home.html", context)
    response["Vary"] = "HX-Request, Cookie"
    return response


def _parts() -> HomeParts:
    deal, symbols = _cached_part(_deal)
    return HomeParts(
        live=_cached_part(_live, LIVE_MAX_AGE_S),
        deal=deal,
        symbols=symbols,
        swings=_cached_part(_swings),
        ratings=_cached_part(_ratings),
    )


def _cached_part(render: Callable[[], Value], max_age_s: int = MAX_AGE_S) -> Value:
    key = CacheKey(("home", render.__name__), None, language=get_language())
    return process_cache.get_or_build(key, render, max_age_s=max_age_s)


def _live() -> SafeString:
    return render_to_string("web/_home_live.html", {"live": live_tournaments()})


def _deal() -> tuple[SafeString, Html]:
    deal = deal_of_day(timezone.now().date())
    context: dict[str, Any] = {"deal": deal, "hand": EMPTY_HAND}
    symbols = card_symbols(deal.cards, deal.deck) if deal else card_symbols(EMPTY_HAND)
    return render_to_string("web/_home_deal.html", context), symbols


def _swings() -> SafeString:
    return render_to_string("web/_home_swings.html", {"swings": recent_swings()})


def _ratings() -> SafeString:
    return render_to_string("web/_home_ratings.html", {"top": top_lines()})
