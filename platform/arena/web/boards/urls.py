"""URLs of boards, fixtures and lists of deals."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.web.boards import views as board_views

urlpatterns: list[URLPattern] = [
    path("boards/<id:public_id>/<short:number>", board_views.board, name="board"),
    path("fixtures/<id:public_id>", board_views.fixture, name="fixture"),
    path(
        "tournaments/<id:public_id>/rounds/<short:stage>/<short:number>", board_views.round_page, name="round"
    ),
    path("tournaments/<id:public_id>/deals", board_views.deals, name="deals"),
]
