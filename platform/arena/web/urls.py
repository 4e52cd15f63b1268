"""URLs of pages and of the operator's endpoints. Only the home page ends in a slash."""

from __future__ import annotations

from importlib import import_module

from django.urls import path

from arena.mounts import FEATURES
from arena.web.account import urls as account_urls
from arena.web.boards import replay_urls
from arena.web.boards import urls as board_urls
from arena.web.bots import author_views
from arena.web.bots.authoring import urls as authoring_urls
from arena.web.organise import urls as organise_urls
from arena.web.site import (
    commitment_views,
    docs_urls,
    health,
    home_urls,
    keys,
    metrics,
    operate_views,
    robots,
)
from arena.web.tournaments import cup_views, event_views, problem_reports, standings_views, views

app_name = "web"


urlpatterns = [
    # Before the organisers' URLs, one of which matches any word as an action.
    *(pattern for feature in FEATURES if feature.urls for pattern in import_module(feature.urls).urlpatterns),
    path("tournaments", views.tournaments, name="tournaments"),
    path("tournaments/<id:public_id>", views.tournament, name="tournament"),
    path("tournaments/<id:public_id>/live", views.tournament_live, name="tournament-live"),
    path("tournaments/<id:public_id>/events", views.tournament_events, name="tournament-events"),
    path("tournaments/<id:public_id>/reports", problem_reports.event_reports, name="event-reports"),
    path(
        "tournaments/<id:public_id>/reports/<id:report>",
        problem_reports.report_answer,
        name="event-report-answer",
    ),
    path("tournaments/<id:public_id>/standings", standings_views.standings, name="standings"),
    path("tournaments/<id:public_id>/crosstable", standings_views.crosstable, name="crosstable"),
    path("tournaments/<id:public_id>/entries", standings_views.entries, name="entries"),
    path("tournaments/<id:public_id>/rounds", standings_views.rounds, name="rounds"),
    path("entries/<id:public_id>/<entry_verb:verb>", event_views.entry_act, name="entry-act"),
    path("cups", cup_views.cups, name="cups"),
    path("cups/<id:public_id>", cup_views.cup, name="cup"),
    path("cups/<id:public_id>/subscribe", cup_views.subscribe, name="cup-subscribe"),
    path("versions/<id:public_id>/faults", author_views.faults, name="faults"),
    path("versions/<id:public_id>/faults/<id:fingerprint>", author_views.fault, name="fault"),
    path("notices", author_views.notices, name="notices"),
    path("notices/read", author_views.notices_mark, name="notices-read"),
    path("notices/<id:public_id>/read", author_views.notice_mark, name="notice-read"),
    path("fairness", views.fairness, name="fairness"),
    path("fairness/commitments", commitment_views.commitments, name="commitments"),
    path(".well-known/rensho-key", keys.site_keys, name="site-keys"),
    path("robots.txt", robots.robots, name="robots"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("operate", operate_views.operate, name="operate"),
    path("operate/maintenance", operate_views.maintenance, name="operate-maintenance"),
    *account_urls.urlpatterns,
    *authoring_urls.urlpatterns,
    *organise_urls.urlpatterns,
    *home_urls.urlpatterns,
    *replay_urls.urlpatterns,
    *board_urls.urlpatterns,
    *docs_urls.urlpatterns,
]
