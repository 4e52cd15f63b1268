"""Page views of ladders and their rounds, and the form that places and removes versions."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.common.errors import ArenaError, Forbidden, NotFound
from arena.features.ladders.models import Ladder
from arena.features.ladders.pages.ladders import ladder_page_of, ladder_title
from arena.features.ladders.pages.rankings import rankings_of
from arena.features.ladders.pages.rounds import rounds_page
from arena.features.ladders.placements import placement_create, placement_end
from arena.features.ladders.selectors import ladder_get, placement_get
from arena.roster.selectors import version_get
from arena.web.base.errors import form_page, personal_page
from arena.web.base.list_parameters import list_request
from arena.web.base.paging import page_number

MAX_SEASON_CHARACTERS = 20
"""Maximum length of a season's name; further characters are ignored."""


@personal_page
def rankings(request: HttpRequest) -> HttpResponseBase:
    """Render the rankings, filtered by ``game`` and ``preset``; ``?season=`` selects an earlier quarter."""
    season = request.GET.get("season", "")[:MAX_SEASON_CHARACTERS]
    context = {"rankings": rankings_of(request.user, list_request(request, "rankings"), season)}
    return render(request, "ladders/rankings.html", {**context, "nav": "rankings"})


@personal_page
def ladder(request: HttpRequest, public_id: str) -> HttpResponseBase:
    return _ladder_page(request, ladder_get(public_id))


@personal_page
def rounds(request: HttpRequest, public_id: str) -> HttpResponseBase:
    instance = ladder_get(public_id)
    round_views, page = rounds_page(instance, page_number(request))
    context = {
        "ladder": instance,
        "title": ladder_title(instance),
        "rounds": round_views,
        "page": page,
        "nav": "ranking",
    }
    return render(request, "ladders/rounds.html", context)


@form_page
def place(request: HttpRequest, public_id: str) -> HttpResponseBase:
    instance = ladder_get(public_id)
    if not isinstance(request.user, User):
        return redirect_to_login(reverse("web:ladder", args=[public_id]), reverse("web:sign-in"))
    out = request.POST.get("out", "")
    try:
        if out:
            placement = placement_get(instance, out)
            placement_end(placement, request.user)
            text = _("%(version)s has left the ladder %(ladder)s.")
            bot, version = placement.bot, placement.version
        else:
            version = version_get(request.POST.get("version", ""), request.user)
            placement_create(request.user, instance, version)
            text = _("%(version)s is now on the ladder %(ladder)s. It will play from the next round.")
            bot = version.bot
    except (Forbidden, NotFound):
        raise
    except ArenaError as error:
        messages.error(request, error.message)
        return _ladder_page(request, instance, error.status)
    name = f"{bot.name} v{version.number}"
    messages.success(request, text % {"version": name, "ladder": ladder_title(instance)})
    if request.POST.get("from") == "bot":
        return redirect("web:bot", public_id=bot.public_id)
    return redirect("web:ladder", public_id=public_id)


def _ladder_page(request: HttpRequest, instance: Ladder, status: int = 200) -> HttpResponse:
    query = request.GET
    page_context = ladder_page_of(
        instance,
        request.user,
        query.get("season", "")[:MAX_SEASON_CHARACTERS],
        query.get("find", ""),
        page_number(request),
    )
    context = {"ladder_page": page_context, "nav": "ranking", "chosen": request.POST.get("version", "")}
    return render(request, "ladders/ladder.html", context, status=status)
