"""Board scores and standings in the admin: rebuilt from results, never edited."""

from __future__ import annotations

from django.contrib import admin

from arena.common.admin import LookOnly
from arena.standings.models import BoardScore, StandingRow


@admin.register(BoardScore)
class BoardScoreAdmin(LookOnly):
    """Board scores."""

    list_display = ("fixture", "board", "entry", "value")
    list_select_related = (
        "fixture__board_set__round__stage__tournament",
        "entry__version__bot",
        "entry__tournament",
    )
    search_fields = ("fixture__public_id", "entry__public_id")


@admin.register(StandingRow)
class StandingRowAdmin(LookOnly):
    """Standings."""

    list_display = ("stage", "rank", "entry", "decided_by")
    list_select_related = ("stage__tournament", "entry__version__bot", "entry__tournament")
    search_fields = ("entry__public_id", "stage__tournament__public_id")
