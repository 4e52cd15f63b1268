"""Addresses of the pages and of the operator's end points. None ends in a slash but the first."""

from __future__ import annotations

from django.urls import path

from arena.web import health, metrics, views

app_name = "web"

urlpatterns = [
    path("", views.tournaments, name="tournaments"),
    path("tournaments/<str:public_id>", views.tournament, name="tournament"),
    path("tournaments/<str:public_id>/live", views.tournament_live, name="tournament-live"),
    path("tournaments/<str:public_id>/events", views.tournament_events, name="tournament-events"),
    path("fairness", views.fairness, name="fairness"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
]
