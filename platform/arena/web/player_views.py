"""The pages of players."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from arena.web.errors import personal_page
from arena.web.players import player_list_of, player_page_of


@personal_page
def players(request: HttpRequest) -> HttpResponseBase:
    """Everybody who has something to show."""
    listed = player_list_of(request.user, request.GET.get("q", ""), request.GET.get("page", "1"))
    return render(request, "web/players.html", {"listed": listed, "nav": "players"})


@personal_page
def player(request: HttpRequest, handle: str) -> HttpResponseBase:
    """One player: bots, cups, events, as far as the visitor may know of them."""
    return render(
        request, "web/player.html", {"player_page": player_page_of(handle, request.user), "nav": "player"}
    )
