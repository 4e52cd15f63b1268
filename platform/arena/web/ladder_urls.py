"""Addresses of ladders."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.web import ladder_views

urlpatterns: list[URLPattern] = [
    path("ladders", ladder_views.ladders, name="ladders"),
    path("ladders/<id:public_id>", ladder_views.ladder, name="ladder"),
    path("ladders/<id:public_id>/rounds", ladder_views.rounds, name="ladder-rounds"),
    path("ladders/<id:public_id>/place", ladder_views.place, name="ladder-place"),
]
