"""Addresses of ladders."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.web import converters, ladder_views

converters.register()

urlpatterns: list[URLPattern] = [
    path("ladders", ladder_views.ladders, name="ladders"),
    path("ladders/<word:public_id>", ladder_views.ladder, name="ladder"),
    path("ladders/<word:public_id>/rounds", ladder_views.rounds, name="ladder-rounds"),
    path("ladders/<word:public_id>/place", ladder_views.place, name="ladder-place"),
]
