"""Page URLs of ladders."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.ladders.pages import views

urlpatterns: list[URLPattern] = [
    path("ladders", views.ladders, name="ladders"),
    path("ladders/<id:public_id>", views.ladder, name="ladder"),
    path("ladders/<id:public_id>/rounds", views.rounds, name="ladder-rounds"),
    path("ladders/<id:public_id>/place", views.place, name="ladder-place"),
]
