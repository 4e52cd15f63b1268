"""The pages of players."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from arena.web.base.errors import personal_page
from arena.web.base.paging import address_of, page_number
from arena.web.base.polled import polled_page
from arena.web.bots.players import player_list_of, player_page_of


@personal_page
def players(request: HttpRequest) -> HttpResponseBase:
    """Everybody who has something to show."""
    listed = player_list_of(request.user, request.GET.get("q", ""), page_number(request))
    return render(request, "web/players.html", {"listed": listed, "nav": "bot"})


@personal_page
def player(request: HttpRequest, handle: str) -> HttpResponseBase:
    """One player: bots, cups, events, as far as the visitor may know of them."""
    found = player_page_of(handle, request.user, page_number(request))
    return polled_page(
        request,
        "web/player.html",
        "web/_player.html",
        {"player_page": found, "nav": "bot"},
        address=address_of(reverse("web:player", args=[found["player"].handle]), page_number(request)),
        is_moving=found["is_moving"],
    )
