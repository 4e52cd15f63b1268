"""Casual tables and the services that run them, for staff; deals, actions and choices are never shown."""

from __future__ import annotations

from django.contrib import admin

from arena.admin.read_only import ReadOnlyPage
from arena.play.models import CasualTable, PlayService


@admin.register(CasualTable)
class CasualTableAdmin(ReadOnlyPage):
    """Tables of persons with bots, newest first."""

    hidden = ("secret", "actions", "pending", "guest", "payer", "shared_as")
    list_display = ("__str__", "owner", "state", "preset", "length", "cpu_ms", "failures", "acted_at")
    list_filter = ("state", "preset")
    list_select_related = ("owner",)
    search_fields = ("public_id",)
    date_hierarchy = "created_at"


@admin.register(PlayService)
class PlayServiceAdmin(ReadOnlyPage):
    """Who runs tables, and what keeps it from it."""

    list_display = ("name", "seen_at", "capacity", "tables", "detail")
