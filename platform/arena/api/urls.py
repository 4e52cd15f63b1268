"""Addresses under /api/v1. None ends in a slash."""

from __future__ import annotations

from csp.decorators import csp_update
from django.urls import path, re_path
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from arena.api.views import account, base, events, games, matches, roster, tournaments

app_name = "v1"

schema = extend_schema(exclude=True)(SpectacularAPIView).as_view(api_version="v1")
# Swagger's page has its styles inline; its scripts are files of our own.
docs = csp_update({"style-src": ["'self'", "'unsafe-inline'"]})(
    extend_schema(exclude=True)(SpectacularSwaggerSplitView).as_view(url_name="v1:schema")
)

urlpatterns = [
    path("games", games.Games.as_view(), name="games"),
    path("games/<str:game>/presets/<str:preset>", games.Preset.as_view(), name="preset"),
    path("limits", games.InstallationLimits.as_view(), name="limits"),
    path("me", account.Me.as_view(), name="me"),
    path("tokens", account.Tokens.as_view(), name="tokens"),
    path("tokens/<str:token>", account.OneToken.as_view(), name="token"),
    path("audit", account.Audit.as_view(), name="audit"),
    path("bots", roster.Bots.as_view(), name="bots"),
    path("bots/<str:bot>", roster.OneBot.as_view(), name="bot"),
    path("bots/<str:bot>/versions", roster.Versions.as_view(), name="versions"),
    path("versions/<str:version>", roster.OneVersion.as_view(), name="version"),
    path("versions/<str:version>/check", roster.Check.as_view(), name="version-check"),
    path("versions/<str:version>/faults", roster.Faults.as_view(), name="version-faults"),
    path("versions/<str:version>/activate", roster.Activate.as_view(), name="version-activate"),
    path("versions/<str:version>/retire", roster.Retire.as_view(), name="version-retire"),
    path("tournaments", tournaments.Tournaments.as_view(), name="tournaments"),
    path("tournaments/<str:tournament>", tournaments.OneTournament.as_view(), name="tournament"),
    *(
        path(f"tournaments/<str:tournament>/{verb}", view.as_view(), name=f"tournament-{verb}")
        for verb, view in tournaments.VERB_VIEWS.items()
    ),
    path("tournaments/<str:tournament>/entries", events.Entries.as_view(), name="entries"),
    path("tournaments/<str:tournament>/entries/<str:entry>", events.OneEntry.as_view(), name="entry"),
    path("tournaments/<str:tournament>/rounds", events.Rounds.as_view(), name="rounds"),
    path("tournaments/<str:tournament>/fixtures", events.Fixtures.as_view(), name="fixtures"),
    path("tournaments/<str:tournament>/standings", events.Standings.as_view(), name="standings"),
    path("tournaments/<str:tournament>/fairness", events.Fairness.as_view(), name="fairness"),
    path("tournaments/<str:tournament>/export", events.Export.as_view(), name="export"),
    path("fixtures/<str:fixture>", matches.OneFixture.as_view(), name="fixture"),
    path("tables/<str:table>", matches.OneTable.as_view(), name="table"),
    path("tables/<str:table>/record", matches.Record.as_view(), name="record"),
    path("tables/<str:table>/log", matches.Log.as_view(), name="log"),
    path("tables/<str:table>/retry", matches.Retry.as_view(), name="table-retry"),
    path("boards/<str:board_set>/<int:number>", matches.Board.as_view(), name="board"),
    path("schema", schema, name="schema"),
    path("docs", docs, name="docs"),
    re_path(r"^.*$", base.NoSuchAddress.as_view(), name="nowhere"),
]
