"""Reports on results that do not fit, what they follow from, and rulings on pairs; for staff."""

from __future__ import annotations

from django.contrib import admin

from arena.admin.read_only import ReadOnlyPage
from arena.integrity.models import Finding, PairRuling, ReadSet, Report, SetsSeen, TableWaits
from arena.ratings.models import LeftOutPair


@admin.register(Report)
class ReportAdmin(ReadOnlyPage):
    """Reports."""

    list_display = ("id", "list", "tournament", "flagged", "pairs", "sets", "made_at", "due")
    list_select_related = ("list", "tournament")
    search_fields = ("list__public_id", "tournament__public_id", "tournament__name")
    related = (("Findings", "integrity_finding", "report__id__exact"),)


@admin.register(Finding)
class FindingAdmin(ReadOnlyPage):
    """What stands out."""

    list_display = ("report", "number", "subject", "kind", "entry", "other", "residual", "q")
    list_select_related = ("report__list", "report__tournament")
    list_filter = ("subject", "kind")
    search_fields = ("entry", "other")
    linked_by = ("report__id__exact",)


@admin.register(PairRuling)
class PairRulingAdmin(ReadOnlyPage):
    """Pairs that are void in events."""

    list_display = ("tournament", "first", "second", "reason", "actor", "at", "lifted_at")
    list_select_related = ("tournament", "first__version__bot", "second__version__bot", "actor")
    search_fields = ("public_id", "tournament__public_id", "tournament__name")


@admin.register(LeftOutPair)
class LeftOutPairAdmin(ReadOnlyPage):
    """Pairs left out of lists."""

    list_display = ("list", "first", "second", "reason", "actor", "at", "lifted_at")
    list_select_related = ("list", "first__bot", "second__bot", "actor")
    search_fields = ("public_id", "list__public_id")


@admin.register(ReadSet)
class ReadSetAdmin(ReadOnlyPage):
    """Board sets as reports take them."""

    hidden = ("scores", "conduct")
    list_display = ("board_set", "tables", "tables_missing", "due")
    list_select_related = ("board_set__round__stage__tournament",)
    search_fields = ("board_set__public_id",)


@admin.register(TableWaits)
class TableWaitsAdmin(ReadOnlyPage):
    """Who waited at which table."""

    list_display = ("table", "is_missing", "waits")
    list_select_related = ("table__fixture__board_set__round__stage__tournament",)
    list_filter = ("is_missing",)
    search_fields = ("table__public_id",)


@admin.register(SetsSeen)
class SetsSeenAdmin(ReadOnlyPage):
    """How far the closing order was followed."""

    list_display = ("closed_seq", "busy_until")
