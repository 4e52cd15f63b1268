"""Scores and standings in the admin: rebuilt, never edited; for organisers of closed boards alone."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.safestring import SafeString

from arena.admin.read_only import ReadOnlyPage, row_link
from arena.standings.models import BoardScore, FixtureScore, StandingRow

RELATED = (
    "fixture__board_set__round__stage__tournament",
    "entry__version__bot",
    "entry__partner_version__bot",
    "entry__tournament",
)


class ScorePage(ReadOnlyPage):
    """What score pages share."""

    owner_path = "fixture__tournament__organiser"
    seal_path = "fixture__board_set__state"
    is_sealed_whole = True
    list_select_related = RELATED
    search_fields = ("fixture__public_id", "entry__public_id")
    linked_by = ("fixture__id__exact", "entry__id__exact")

    @admin.display(description="fixture")
    def meeting(self, row: Any) -> SafeString | str:
        """Where."""
        return row_link(row, row.fixture)

    @admin.display(description="entry")
    def who(self, row: Any) -> SafeString | str:
        """Whose."""
        return row_link(row, row.entry, row.entry.bot_name)


@admin.register(BoardScore)
class BoardScoreAdmin(ScorePage):
    """Board scores."""

    list_display = ("meeting", "board", "who", "value")


@admin.register(FixtureScore)
class FixtureScoreAdmin(ScorePage):
    """Totals of fixtures."""

    list_display = ("meeting", "who", "value")


@admin.register(StandingRow)
class StandingRowAdmin(ReadOnlyPage):
    """Standings: made from closed rounds alone."""

    owner_path = "stage__tournament__organiser"
    list_display = ("stage", "rank", "who", "values", "decided_by")
    list_select_related = (
        "stage__tournament",
        "entry__version__bot",
        "entry__partner_version__bot",
        "entry__tournament",
    )
    search_fields = ("stage__tournament__public_id", "entry__public_id")
    linked_by = ("stage__id__exact", "stage__tournament__id__exact")

    @admin.display(description="entry")
    def who(self, row: Any) -> SafeString | str:
        """Who."""
        return row_link(row, row.entry, row.entry.bot_name)
