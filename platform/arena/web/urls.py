"""Addresses of the pages and of the operator's end points. None ends in a slash but the first."""

from __future__ import annotations

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from arena.web import author_views, cup_views, event_views, health, keys, login, metrics, views

app_name = "web"


class Word(StringConverter):
    """What a public id or a fingerprint can look like; anything else never reaches the database."""

    regex = "[0-9a-z]{1,32}"


class EntryVerb(StringConverter):
    """What an owner may do with an entry."""

    regex = "confirm|decline|withdraw"


register_converter(Word, "word")
register_converter(EntryVerb, "entry_verb")

urlpatterns = [
    path("", views.tournaments, name="tournaments"),
    path("tournaments/<word:public_id>", views.tournament, name="tournament"),
    path("tournaments/<word:public_id>/live", views.tournament_live, name="tournament-live"),
    path("tournaments/<word:public_id>/events", views.tournament_events, name="tournament-events"),
    path("tournaments/<word:public_id>/standings", event_views.standings, name="standings"),
    path(
        "tournaments/<word:public_id>/rounds/<int:stage>/<int:number>", event_views.round_page, name="round"
    ),
    path("entries/<word:public_id>/<entry_verb:verb>", event_views.entry_act, name="entry-act"),
    path("cups", cup_views.cups, name="cups"),
    path("cups/<word:public_id>", cup_views.cup, name="cup"),
    path("cups/<word:public_id>/subscribe", cup_views.subscribe, name="cup-subscribe"),
    path("bots", author_views.bots, name="bots"),
    path("bots/<word:public_id>", author_views.bot, name="bot"),
    path("versions/<word:public_id>", author_views.version, name="version"),
    path("versions/<word:public_id>/reinstate", author_views.reinstate, name="version-reinstate"),
    path("versions/<word:public_id>/faults", author_views.faults, name="faults"),
    path("versions/<word:public_id>/faults/<word:fingerprint>", author_views.fault, name="fault"),
    path("notices", author_views.notices, name="notices"),
    path("notices/read", author_views.notices_mark, name="notices-read"),
    path("notices/<word:public_id>/read", author_views.notice_mark, name="notice-read"),
    path("sign-in", login.SignIn.as_view(), name="sign-in"),
    path("sign-out", login.SignOut.as_view(), name="sign-out"),
    path("fairness", views.fairness, name="fairness"),
    path(".well-known/rensho-key", keys.site_keys, name="site-keys"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
]
