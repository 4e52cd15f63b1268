"""Addresses of the pages and of the operator's end points. None ends in a slash but the first."""

from __future__ import annotations

from django.urls import path

from arena.web import author_views, health, metrics, sign, views

app_name = "web"

urlpatterns = [
    path("", views.tournaments, name="tournaments"),
    path("tournaments/<str:public_id>", views.tournament, name="tournament"),
    path("tournaments/<str:public_id>/live", views.tournament_live, name="tournament-live"),
    path("tournaments/<str:public_id>/events", views.tournament_events, name="tournament-events"),
    path("bots", author_views.bots, name="bots"),
    path("bots/<str:public_id>", author_views.bot, name="bot"),
    path("versions/<str:public_id>", author_views.version, name="version"),
    path("versions/<str:public_id>/reinstate", author_views.reinstate, name="version-reinstate"),
    path("versions/<str:public_id>/faults", author_views.faults, name="faults"),
    path("versions/<str:public_id>/faults/<str:fingerprint>", author_views.fault, name="fault"),
    path("notices", author_views.notices, name="notices"),
    path("notices/read", author_views.notices_mark, name="notices-read"),
    path("notices/<str:public_id>/read", author_views.notice_mark, name="notice-read"),
    path("sign-in", sign.SignIn.as_view(), name="sign-in"),
    path("sign-out", sign.SignOut.as_view(), name="sign-out"),
    path("fairness", views.fairness, name="fairness"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
]
