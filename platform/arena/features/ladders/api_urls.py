"""API URLs of ladders."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.ladders.api import views

urlpatterns: list[URLPattern] = [
    path("ladders", views.Ladders.as_view(), name="ladders"),
    path("ladders/<id:ladder>", views.OneLadder.as_view(), name="ladder"),
    path("ladders/<id:ladder>/seasons", views.Seasons.as_view(), name="ladder-seasons"),
    path("ladders/<id:ladder>/seasons/<id:season>", views.OneSeason.as_view(), name="ladder-season"),
    path("ladders/<id:ladder>/rounds", views.LadderRounds.as_view(), name="ladder-rounds"),
    path("ladders/<id:ladder>/placements", views.Placements.as_view(), name="placements"),
    path(
        "ladders/<id:ladder>/placements/<id:placement>",
        views.OnePlacement.as_view(),
        name="placement",
    ),
]
