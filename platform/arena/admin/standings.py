"""Scores and standings in the admin: rebuilt, never edited; for organisers of closed boards alone."""

from __future__ import annotations

from operator import attrgetter

from django.contrib import admin

from arena.admin.read_only import ReadOnlyPage, link_column
from arena.standings.models import (
    BoardFigures,
    BoardScore,
    EventLuck,
    FixtureScore,
    LuckOfSet,
    PastTable,
    StandingRow,
)

ENTRY = ("entry__version__bot", "entry__partner_version__bot", "entry__tournament")
"""What the name of an entry needs."""


class ScorePage(ReadOnlyPage):
    """What score pages share."""

    owner_path = "fixture__tournament__organiser"
    seal_path = "fixture__board_set__state"
    is_sealed_whole = True
    list_select_related = ("fixture__board_set__round__stage__tournament", *ENTRY)
    search_fields = ("fixture__public_id", "entry__public_id")
    linked_by = ("fixture__id__exact", "entry__id__exact")

    meeting = link_column("fixture", "fixture")
    """Where."""

    who = link_column("entry", "entry", label=attrgetter("bot_name"))
    """Whose."""


@admin.register(BoardScore)
class BoardScoreAdmin(ScorePage):
    """Board scores."""

    list_display = ("meeting", "board", "who", "value")


@admin.register(FixtureScore)
class FixtureScoreAdmin(ScorePage):
    """Totals of fixtures."""

    list_display = ("meeting", "who", "value")


@admin.register(BoardFigures)
class BoardFiguresAdmin(ReadOnlyPage):
    """Figures of boards."""

    owner_path = "tournament__organiser"
    seal_path = "board_set__state"
    is_sealed_whole = True
    list_display = ("board_set", "board", "fixtures", "best", "mean")
    list_select_related = ("board_set__round__stage__tournament",)
    search_fields = ("tournament__public_id", "board_set__public_id")
    linked_by = ("board_set__id__exact",)


@admin.register(StandingRow)
class StandingRowAdmin(ReadOnlyPage):
    """Standings: made from closed rounds alone."""

    owner_path = "stage__tournament__organiser"
    list_display = ("stage", "rank", "who", "values", "decided_by")
    list_select_related = ("stage__tournament", *ENTRY)
    search_fields = ("stage__tournament__public_id", "entry__public_id")
    linked_by = ("stage__id__exact", "stage__tournament__id__exact")

    who = link_column("entry", "entry", label=attrgetter("bot_name"))
    """Who."""


@admin.register(PastTable)
class PastTableAdmin(ReadOnlyPage):
    """Which tables after rounds are stored: made from closed rounds alone."""

    owner_path = "round__stage__tournament__organiser"
    list_display = ("round", "key")
    list_select_related = ("round__stage__tournament",)
    search_fields = ("round__stage__tournament__public_id", "round__public_id")
    linked_by = ("round__id__exact",)


@admin.register(LuckOfSet)
class LuckOfSetAdmin(ReadOnlyPage):
    """What board sets say of luck: of closed ones alone."""

    owner_path = "board_set__round__stage__tournament__organiser"
    list_display = ("board_set", "fixtures", "due")
    list_select_related = ("board_set__round__stage__tournament",)
    search_fields = ("board_set__round__stage__tournament__public_id", "board_set__public_id")
    linked_by = ("board_set__id__exact",)


@admin.register(EventLuck)
class EventLuckAdmin(ReadOnlyPage):
    """How much luck duplicate play took out of events."""

    owner_path = "tournament__organiser"
    list_display = ("tournament", "is_told", "found")
    list_select_related = ("tournament",)
    search_fields = ("tournament__public_id",)
    linked_by = ("tournament__id__exact",)
