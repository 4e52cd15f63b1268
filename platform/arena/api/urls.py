"""Addresses under /api/v1. None ends in a slash."""

from __future__ import annotations

from importlib import import_module

from django.urls import path, re_path

from arena.api.base.views import NoSuchAddress
from arena.api.views import (
    account,
    commitments,
    description,
    entries,
    events,
    events_feed,
    faults,
    games,
    matches,
    problem_reports,
    records,
    roster,
    series,
    standings,
    tournament_verbs,
    tournaments,
)
from arena.mounts import FEATURES

app_name = "v1"

schema = description.Description.as_view()
docs = description.DescriptionPage.as_view()

urlpatterns = [
    path("games", games.Games.as_view(), name="games"),
    path("games/<name:game>/presets/<name:preset>", games.Preset.as_view(), name="preset"),
    path("formats", games.Formats.as_view(), name="formats"),
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
    path("versions/<id:version>/tables", matches.VersionTables.as_view(), name="version-tables"),
    path("versions/<id:version>/activate", roster.Activate.as_view(), name="version-activate"),
    path("versions/<id:version>/reinstate", roster.Reinstate.as_view(), name="version-reinstate"),
    path("versions/<id:version>/retire", roster.Retire.as_view(), name="version-retire"),
    path("commitments", commitments.Commitments.as_view(), name="commitments"),
    path("challenges", tournaments.Challenges.as_view(), name="challenges"),
    path("tournaments", tournaments.Tournaments.as_view(), name="tournaments"),
    path("tournaments/<id:tournament>", tournaments.OneTournament.as_view(), name="tournament"),
    *(
        path(f"tournaments/<id:tournament>/{verb}", view.as_view(), name=f"tournament-{verb}")
        for verb, view in tournament_verbs.VERB_VIEWS.items()
    ),
    path("tournaments/<id:tournament>/plan", tournaments.Plan.as_view(), name="plan"),
    path("tournaments/<id:tournament>/entries", entries.Entries.as_view(), name="entries"),
    path("tournaments/<id:tournament>/entries/<id:entry>", entries.OneEntry.as_view(), name="entry"),
    *(
        path(f"tournaments/<id:tournament>/entries/<id:entry>/{verb}", view.as_view(), name=f"entry-{verb}")
        for verb, view in entries.VERB_VIEWS.items()
    ),
    path("tournaments/<id:tournament>/invitations", entries.Invitations.as_view(), name="invitations"),
    path(
        "tournaments/<id:tournament>/invitations/<handle:player>",
        entries.OneInvitation.as_view(),
        name="invitation",
    ),
    path(
        "tournaments/<id:tournament>/reports",
        problem_reports.ProblemReports.as_view(),
        name="problem-reports",
    ),
    path(
        "tournaments/<id:tournament>/reports/<id:report>/close",
        problem_reports.ProblemReportClose.as_view(),
        name="problem-report-close",
    ),
    path("tournaments/<id:tournament>/rounds", events.Rounds.as_view(), name="rounds"),
    path("tournaments/<id:tournament>/fixtures", events.Fixtures.as_view(), name="fixtures"),
    path("tournaments/<id:tournament>/standings", standings.Standings.as_view(), name="standings"),
    path("tournaments/<id:tournament>/crosstable", standings.Crosstable.as_view(), name="crosstable"),
    path("tournaments/<id:tournament>/display", standings.Display.as_view(), name="display"),
    path("tournaments/<id:tournament>/events", events.Changes.as_view(), name="changes"),
    path("tournaments/<id:tournament>/fairness", events.Fairness.as_view(), name="fairness"),
    path(
        "tournaments/<id:tournament>/statements/<statement:kind>",
        events.StatementBody.as_view(),
        name="statement",
    ),
    path("tournaments/<id:tournament>/export", events.Export.as_view(), name="export"),
    path("tournaments/<id:tournament>/export.ndjson", events.ExportLines.as_view(), name="export-lines"),
    path("fixtures", matches.AllFixtures.as_view(), name="all-fixtures"),
    path("fixtures/<id:fixture>", matches.OneFixture.as_view(), name="fixture"),
    path("fixtures/<id:fixture>/adjudicate", matches.Adjudicate.as_view(), name="fixture-adjudicate"),
    path("tables", matches.AllTables.as_view(), name="all-tables"),
    path("tables/<id:table>", matches.OneTable.as_view(), name="table"),
    path("tables/<id:table>/record", records.Record.as_view(), name="record"),
    path("tables/<id:table>/replay", records.Replay.as_view(), name="replay"),
    path("tables/<id:table>/view", records.TableView.as_view(), name="table-view"),
    path("tables/<id:table>/notes", records.Notes.as_view(), name="table-notes"),
    path("tables/<id:table>/log", records.Log.as_view(), name="log"),
    path("tables/<id:table>/timings", records.Timings.as_view(), name="timings"),
    path("tables/<id:table>/retry", matches.Retry.as_view(), name="table-retry"),
    path("tables/<id:table>/rerun", matches.Rerun.as_view(), name="table-rerun"),
    path("boards/<id:board_set>/<short:number>", matches.Board.as_view(), name="board"),
    path("events", events_feed.Events.as_view(), name="events"),
    path("series", series.AllSeries.as_view(), name="all-series"),
    path("series/<id:series>", series.OneSeries.as_view(), name="series"),
    *(
        path(f"series/<id:series>/{verb}", view.as_view(), name=f"series-{verb}")
        for verb, view in series.VERB_VIEWS.items()
    ),
    path("series/<id:series>/table", series.SeasonTable.as_view(), name="season-table"),
    path("series/<id:series>/subscriptions", series.Subscriptions.as_view(), name="subscriptions"),
    path("series/<id:series>/subscriptions/<id:bot>", series.OneSubscription.as_view(), name="subscription"),
    *(
        pattern
        for feature in FEATURES
        if feature.api_urls
        for pattern in import_module(feature.api_urls).urlpatterns
    ),
    path("schema", schema, name="schema"),
    path("docs", docs, name="docs"),
    # Whatever is left, even with a newline (%0A), which no dot matches.
    re_path("", NoSuchAddress.as_view(), name="nowhere"),
]
