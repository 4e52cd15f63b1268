"""Ladders in the admin: made by the settings, played by the system; for staff."""

from __future__ import annotations

from django.contrib import admin

from arena.admin.read_only import ReadOnlyPage, link_column
from arena.ladders.models import Ladder, LadderRound, LadderSeason, Placement


@admin.register(Ladder)
class LadderAdmin(ReadOnlyPage):
    """Ladders."""

    list_display = ("public_id", "preset", "board_kind", "seats", "boards", "cpu_s_per_day", "state")
    list_filter = ("state", "game", "preset")
    search_fields = ("public_id", "preset")
    related = (
        ("Seasons", "ladders_ladderseason", "ladder__id__exact"),
        ("Rounds", "ladders_ladderround", "ladder__id__exact"),
        ("Placements", "ladders_placement", "ladder__id__exact"),
    )


@admin.register(LadderSeason)
class LadderSeasonAdmin(ReadOnlyPage):
    """Seasons."""

    list_display = ("public_id", "ladder", "name", "begins_at", "ends_at", "state", "archived_at")
    list_filter = ("state",)
    list_select_related = ("ladder",)
    search_fields = ("public_id", "name", "ladder__preset")
    linked_by = ("ladder__id__exact",)
    related = (("Rounds", "ladders_ladderround", "season__id__exact"),)


@admin.register(LadderRound)
class LadderRoundAdmin(ReadOnlyPage):
    """Rounds."""

    list_display = ("public_id", "ladder", "number", "kind", "state", "event", "drawn_at", "ended_at")
    list_filter = ("state", "kind")
    list_select_related = ("ladder", "season__ladder", "tournament")
    search_fields = ("public_id", "tournament__public_id", "ladder__preset")
    linked_by = ("ladder__id__exact", "season__id__exact")

    event = link_column("tournament", "tournament")
    """The tournament it is."""


@admin.register(Placement)
class PlacementAdmin(ReadOnlyPage):
    """Who is or was on which ladder."""

    list_display = ("public_id", "ladder", "who", "since", "left_at", "left_reason")
    list_filter = ("left_reason",)
    list_select_related = ("ladder", "version__bot")
    search_fields = ("public_id", "version__public_id", "bot__name", "ladder__preset")
    linked_by = ("ladder__id__exact", "version__id__exact")

    who = link_column("version", "version")
    """Whose."""
