"""Page URLs of feeds, calendars and CSV files."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.feeds.pages import atom, calendars, tables

urlpatterns: list[URLPattern] = [
    path("feed.atom", atom.site, name="feed"),
    path("tournaments/<id:public_id>/feed.atom", atom.tournament, name="tournament-feed"),
    path("cups/<id:public_id>/feed.atom", atom.cup, name="cup-feed"),
    path("players/<handle:handle>/feed.atom", atom.player, name="player-feed"),
    path("bots/<id:public_id>/feed.atom", atom.bot, name="bot-feed"),
    path("calendar.ics", calendars.site, name="calendar"),
    path("cups/<id:public_id>/calendar.ics", calendars.cup, name="cup-calendar"),
    path("calendars/<secret:secret>.ics", calendars.personal, name="calendar-personal"),
    path("me/calendar", calendars.address, name="calendar-address"),
    path("tournaments/<id:public_id>/standings.csv", tables.standings, name="standings-csv"),
    path("tournaments/<id:public_id>/crosstable.csv", tables.crosstable, name="crosstable-csv"),
    path("tournaments/<id:public_id>/rounds.csv", tables.rounds, name="rounds-csv"),
    path("tournaments/<id:public_id>/board-scores.csv", tables.board_scores, name="board-scores-csv"),
]
