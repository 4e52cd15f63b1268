"""Tournaments, stages, rounds and entries in the admin. The secret of a tournament is never shown here."""

from __future__ import annotations

from django.contrib import admin

from arena.common.admin import LookOnly
from arena.competition.models import Entry, Round, Stage, Tournament


@admin.register(Tournament)
class TournamentAdmin(LookOnly):
    """Tournaments; their organisers run them over the API."""

    hidden = ("secret",)
    list_display = ("name", "public_id", "organiser", "preset", "state", "state_at", "closes_at", "starts_at")
    list_filter = ("state", "preset", "visibility")
    list_select_related = ("organiser",)
    search_fields = ("name", "public_id", "organiser__username")


@admin.register(Stage)
class StageAdmin(LookOnly):
    """Stages."""

    list_display = ("tournament", "number", "format", "state", "field_digest")
    list_filter = ("state", "format")
    list_select_related = ("tournament",)
    search_fields = ("tournament__public_id",)


@admin.register(Round)
class RoundAdmin(LookOnly):
    """Rounds."""

    list_display = ("stage", "number", "public_id", "state", "opened_at", "closed_at")
    list_filter = ("state",)
    list_select_related = ("stage__tournament",)
    search_fields = ("public_id", "stage__tournament__public_id")


@admin.register(Entry)
class EntryAdmin(LookOnly):
    """Entries."""

    list_display = (
        "tournament",
        "player",
        "version",
        "partner_version",
        "seed",
        "status",
        "is_organisers_own",
    )
    list_filter = ("status", "is_organisers_own")
    list_select_related = ("tournament", "player", "version__bot", "partner_version__bot")
    search_fields = ("public_id", "tournament__public_id", "player__handle")
