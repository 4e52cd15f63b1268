"""URLs of home, desk, players, bots and search."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.web.bots import author_views, player_views
from arena.web.site import desk_views, home_views, search_views

urlpatterns: list[URLPattern] = [
    path("", home_views.home, name="home"),
    path("desk", desk_views.desk, name="desk"),
    path("players", player_views.players, name="players"),
    path("players/<handle:handle>", player_views.player, name="player"),
    path("bots", author_views.bots, name="bots"),
    path("bots/<id:public_id>", author_views.bot, name="bot"),
    path("versions/<id:public_id>", author_views.version, name="version"),
    path("versions/<id:public_id>/reinstate", author_views.reinstate, name="version-reinstate"),
    path("search", search_views.search, name="search"),
]
