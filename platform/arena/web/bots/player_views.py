"""Pages of players."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from arena.web.base.errors import personal_page
from arena.web.base.list_parameters import list_request
from arena.web.base.paging import page_number, page_url
from arena.web.base.polled import render_polled_page
from arena.web.bots.players import player_context, player_list_context


@personal_page
def players(request: HttpRequest) -> HttpResponseBase:
    listed = player_list_context(request.user, list_request(request, "players"), page_number(request))
    return render(request, "web/players.html", {"listed": listed, "nav": "players"})


@personal_page
def player(request: HttpRequest, handle: str) -> HttpResponseBase:
    player_page = player_context(handle, request.user, page_number(request))
    return render_polled_page(
        request,
        "web/player.html",
        "web/_player.html",
        {"player_page": player_page, "nav": "bot"},
        address=page_url(reverse("web:player", args=[player_page["player"].handle]), page_number(request)),
        is_moving=player_page["is_moving"],
    )
