"""Addresses of boards, fixtures, lists of deals."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.web import board_views, converters

converters.register()

urlpatterns: list[URLPattern] = [
    path("boards/<word:public_id>/<int:number>", board_views.board, name="board"),
    path("fixtures/<word:public_id>", board_views.fixture, name="fixture"),
    path(
        "tournaments/<word:public_id>/rounds/<int:stage>/<int:number>", board_views.round_page, name="round"
    ),
    path("tournaments/<word:public_id>/deals", board_views.deals, name="deals"),
]
