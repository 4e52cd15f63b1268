"""Page URLs of ladders and rankings."""

from __future__ import annotations

from django.urls import URLPattern, path
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from arena.features.ladders.pages import views

to_rankings = require_safe(RedirectView.as_view(pattern_name="web:rankings", query_string=True))
"""Earlier addresses of the lists."""

urlpatterns: list[URLPattern] = [
    path("rankings", views.rankings, name="rankings"),
    path("ladders", to_rankings, name="ladders"),
    path("ratings", to_rankings, name="ratings"),
    path("ladders/<id:public_id>", views.ladder, name="ladder"),
    path("ladders/<id:public_id>/rounds", views.rounds, name="ladder-rounds"),
    path("ladders/<id:public_id>/place", views.place, name="ladder-place"),
]
