"""API URLs of the daily deal."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.daily.api import views

urlpatterns: list[URLPattern] = [
    path("daily", views.DailyDeals.as_view(), name="daily-deals"),
    path("daily/today", views.Today.as_view(), name="daily-today"),
    path("daily/weeks/<week:week>", views.Week.as_view(), name="daily-week"),
    path("daily/<day:day>", views.OneDay.as_view(), name="daily-day"),
    path("daily/<day:day>/attempt", views.OwnAttempt.as_view(), name="daily-attempt"),
]
