"""Addresses under /api/v1. None ends in a slash."""

from __future__ import annotations

from csp.decorators import csp_update
from django.urls import path, re_path, register_converter
from django.urls.converters import StringConverter
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from arena.api.views import account, base, events, faults, games, matches, roster, tournaments

app_name = "v1"


class PublicIdConverter(StringConverter):
    """What a public id can look like; anything else never reaches the database."""

    regex = "[0-9a-z]{1,16}"


register_converter(PublicIdConverter, "id")

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
    path("tokens/<id:token>", account.OneToken.as_view(), name="token"),
    path("notices", account.Notices.as_view(), name="notices"),
    path("notices/<id:notice>/read", account.NoticeRead.as_view(), name="notice-read"),
    path("audit", account.Audit.as_view(), name="audit"),
    path("bots", roster.Bots.as_view(), name="bots"),
    path("bots/<id:bot>", roster.OneBot.as_view(), name="bot"),
    path("bots/<id:bot>/faults", faults.BotFaults.as_view(), name="bot-faults"),
    path("bots/<id:bot>/versions", roster.Versions.as_view(), name="versions"),
    path("versions/<id:version>", roster.OneVersion.as_view(), name="version"),
    path("versions/<id:version>/check", roster.Check.as_view(), name="version-check"),
    path("versions/<id:version>/faults", faults.Faults.as_view(), name="version-faults"),
    path("versions/<id:version>/faults/<id:fingerprint>", faults.OneFault.as_view(), name="version-fault"),
    path(
        "versions/<id:version>/faults/<id:fingerprint>/file",
        faults.FaultFile.as_view(),
        name="version-fault-file",
    ),
    path("versions/<id:version>/activate", roster.Activate.as_view(), name="version-activate"),
    path("versions/<id:version>/reinstate", roster.Reinstate.as_view(), name="version-reinstate"),
    path("versions/<id:version>/retire", roster.Retire.as_view(), name="version-retire"),
    path("tournaments", tournaments.Tournaments.as_view(), name="tournaments"),
    path("tournaments/<id:tournament>", tournaments.OneTournament.as_view(), name="tournament"),
    *(
        path(f"tournaments/<id:tournament>/{verb}", view.as_view(), name=f"tournament-{verb}")
        for verb, view in tournaments.VERB_VIEWS.items()
    ),
    path("tournaments/<id:tournament>/entries", events.Entries.as_view(), name="entries"),
    path("tournaments/<id:tournament>/entries/<id:entry>", events.OneEntry.as_view(), name="entry"),
    path("tournaments/<id:tournament>/rounds", events.Rounds.as_view(), name="rounds"),
    path("tournaments/<id:tournament>/fixtures", events.Fixtures.as_view(), name="fixtures"),
    path("tournaments/<id:tournament>/standings", events.Standings.as_view(), name="standings"),
    path("tournaments/<id:tournament>/events", events.Changes.as_view(), name="changes"),
    path("tournaments/<id:tournament>/fairness", events.Fairness.as_view(), name="fairness"),
    path("tournaments/<id:tournament>/export", events.Export.as_view(), name="export"),
    path("fixtures/<id:fixture>", matches.OneFixture.as_view(), name="fixture"),
    path("tables/<id:table>", matches.OneTable.as_view(), name="table"),
    path("tables/<id:table>/record", matches.Record.as_view(), name="record"),
    path("tables/<id:table>/log", matches.Log.as_view(), name="log"),
    path("tables/<id:table>/retry", matches.Retry.as_view(), name="table-retry"),
    path("boards/<id:board_set>/<int:number>", matches.Board.as_view(), name="board"),
    path("schema", schema, name="schema"),
    path("docs", docs, name="docs"),
    re_path(r"^.*$", base.NoSuchAddress.as_view(), name="nowhere"),
]
