"""URLs of the API under /api/v1, without trailing slashes."""

from __future__ import annotations

from importlib import import_module

from django.urls import path, re_path

from arena.api.base.views import UnknownAddressView
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

schema = description.DescriptionView.as_view()
docs = description.ReferenceRedirectView.as_view()

urlpatterns = [
    path("games", games.GameListView.as_view(), name="games"),
    path("games/<name:game>/presets/<name:preset>", games.PresetView.as_view(), name="preset"),
    path("formats", games.FormatListView.as_view(), name="formats"),
    path("limits", games.LimitsView.as_view(), name="limits"),
    path("me", account.MeView.as_view(), name="me"),
    path("tokens", account.TokenListView.as_view(), name="tokens"),
    path("tokens/<id:token>", account.TokenView.as_view(), name="token"),
    path("notices", account.NoticeListView.as_view(), name="notices"),
    path("notices/<id:notice>/read", account.NoticeReadView.as_view(), name="notice-read"),
    path("audit", account.AuditListView.as_view(), name="audit"),
    path("bots", roster.BotListView.as_view(), name="bots"),
    path("bots/<id:bot>", roster.BotView.as_view(), name="bot"),
    path("bots/<id:bot>/faults", faults.BotFaultListView.as_view(), name="bot-faults"),
    path("bots/<id:bot>/versions", roster.VersionListView.as_view(), name="versions"),
    path("versions/<id:version>", roster.VersionView.as_view(), name="version"),
    path("versions/<id:version>/check", roster.CheckView.as_view(), name="version-check"),
    path("versions/<id:version>/faults", faults.VersionFaultListView.as_view(), name="version-faults"),
    path(
        "versions/<id:version>/faults/<id:fingerprint>", faults.FaultGroupView.as_view(), name="version-fault"
    ),
    path(
        "versions/<id:version>/faults/<id:fingerprint>/file",
        faults.FaultFileView.as_view(),
        name="version-fault-file",
    ),
    path("versions/<id:version>/tables", matches.VersionTableListView.as_view(), name="version-tables"),
    path("versions/<id:version>/activate", roster.ActivateView.as_view(), name="version-activate"),
    path("versions/<id:version>/reinstate", roster.ReinstateView.as_view(), name="version-reinstate"),
    path("versions/<id:version>/retire", roster.RetireView.as_view(), name="version-retire"),
    path("commitments", commitments.CommitmentListView.as_view(), name="commitments"),
    path("challenges", tournaments.ChallengeListView.as_view(), name="challenges"),
    path("tournaments", tournaments.TournamentListView.as_view(), name="tournaments"),
    path("tournaments/<id:tournament>", tournaments.TournamentView.as_view(), name="tournament"),
    *(
        path(f"tournaments/<id:tournament>/{verb}", view.as_view(), name=f"tournament-{verb}")
        for verb, view in tournament_verbs.ACTION_VIEWS.items()
    ),
    path("tournaments/<id:tournament>/trial", tournaments.TrialView.as_view(), name="tournament-trial"),
    path("tournaments/<id:tournament>/plan", tournaments.PlanView.as_view(), name="plan"),
    path("tournaments/<id:tournament>/entries", entries.EntryListView.as_view(), name="entries"),
    path("tournaments/<id:tournament>/entries/<id:entry>", entries.EntryView.as_view(), name="entry"),
    *(
        path(f"tournaments/<id:tournament>/entries/<id:entry>/{verb}", view.as_view(), name=f"entry-{verb}")
        for verb, view in entries.ACTION_VIEWS.items()
    ),
    path("tournaments/<id:tournament>/invitations", entries.InvitationListView.as_view(), name="invitations"),
    path(
        "tournaments/<id:tournament>/invitations/<handle:player>",
        entries.InvitationView.as_view(),
        name="invitation",
    ),
    path(
        "tournaments/<id:tournament>/reports",
        problem_reports.ProblemReportListView.as_view(),
        name="problem-reports",
    ),
    path(
        "tournaments/<id:tournament>/reports/<id:report>/close",
        problem_reports.ProblemReportCloseView.as_view(),
        name="problem-report-close",
    ),
    path("tournaments/<id:tournament>/rounds", events.RoundListView.as_view(), name="rounds"),
    path("tournaments/<id:tournament>/fixtures", events.TournamentFixtureListView.as_view(), name="fixtures"),
    path("tournaments/<id:tournament>/standings", standings.StandingsView.as_view(), name="standings"),
    path("tournaments/<id:tournament>/crosstable", standings.CrosstableView.as_view(), name="crosstable"),
    path("tournaments/<id:tournament>/display", standings.DisplayView.as_view(), name="display"),
    path("tournaments/<id:tournament>/events", events.ChangesView.as_view(), name="changes"),
    path("tournaments/<id:tournament>/fairness", events.FairnessView.as_view(), name="fairness"),
    path(
        "tournaments/<id:tournament>/statements/<statement:kind>",
        events.StatementBodyView.as_view(),
        name="statement",
    ),
    path("tournaments/<id:tournament>/export", events.ExportView.as_view(), name="export"),
    path("tournaments/<id:tournament>/export.ndjson", events.ExportLinesView.as_view(), name="export-lines"),
    path("fixtures", matches.FixtureListView.as_view(), name="all-fixtures"),
    path("fixtures/<id:fixture>", matches.FixtureView.as_view(), name="fixture"),
    path("fixtures/<id:fixture>/adjudicate", matches.AdjudicateView.as_view(), name="fixture-adjudicate"),
    path("tables", matches.TableListView.as_view(), name="all-tables"),
    path("tables/<id:table>", matches.TableDetailView.as_view(), name="table"),
    path("tables/<id:table>/record", records.RecordView.as_view(), name="record"),
    path("tables/<id:table>/replay", records.ReplayView.as_view(), name="replay"),
    path("tables/<id:table>/view", records.TableViewDataView.as_view(), name="table-view"),
    path("tables/<id:table>/log", records.LogView.as_view(), name="log"),
    path("tables/<id:table>/timings", records.TimingsView.as_view(), name="timings"),
    path("tables/<id:table>/retry", matches.TableRetryView.as_view(), name="table-retry"),
    path("tables/<id:table>/rerun", matches.TableRerunView.as_view(), name="table-rerun"),
    path("boards/<id:board_set>/<short:number>", matches.BoardView.as_view(), name="board"),
    path("events", events_feed.EventListView.as_view(), name="events"),
    path("series", series.SeriesListView.as_view(), name="all-series"),
    path("series/<id:series>", series.SeriesView.as_view(), name="series"),
    *(
        path(f"series/<id:series>/{verb}", view.as_view(), name=f"series-{verb}")
        for verb, view in series.ACTION_VIEWS.items()
    ),
    path("series/<id:series>/table", series.SeasonTableView.as_view(), name="season-table"),
    path("series/<id:series>/subscriptions", series.SubscriptionListView.as_view(), name="subscriptions"),
    path("series/<id:series>/subscriptions/<id:bot>", series.SubscriptionView.as_view(), name="subscription"),
    *(
        pattern
        for feature in FEATURES
        if feature.api_urls
        for pattern in import_module(feature.api_urls).urlpatterns
    ),
    path("schema", schema, name="schema"),
    path("docs", docs, name="docs"),
    # All other paths, including those with a newline (%0A), which a dot does not match.
    re_path("", UnknownAddressView.as_view(), name="nowhere"),
]
