"""Page URLs of the daily deal."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.daily.pages import views

urlpatterns: list[URLPattern] = [
    path("daily", views.daily, name="daily"),
    path("daily/start", views.start, name="daily-start"),
    path("daily/week", views.week, name="daily-week"),
    path("daily/<day:day>", views.past, name="daily-day"),
]
