"""Board sets, sides, seats, results, rulings, faults and workers in the admin.

Fixtures and tables, which are acted on: ``fixtures``. Board seeds are nowhere among them. Organisers see
of open board sets what the API shows them: who meets whom and how far it is, nothing of what came of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef
from django.utils.safestring import SafeString

from arena.admin.read_only import ReadOnlyPage, link_column, row_link, rows_of
from arena.matches import models

ROUND = "board_set__round__stage__tournament"
CONDUCT = ("verdict", "forfeited", "decisions", "cpu_ms", "wall_ms", "peak_bytes")
"""What tells how a bot behaved, and by that of the deals."""


@admin.register(models.RuntimeArtifact)
class RuntimeArtifactAdmin(ReadOnlyPage):
    """Artefacts of runtimes: the newest of each is in use."""

    list_display = ("runtime", "sha256", "published_at")
    list_filter = ("runtime",)
    search_fields = ("sha256",)


@admin.register(models.BoardSet)
class BoardSetAdmin(ReadOnlyPage):
    """Board sets."""

    owner_path = "round__stage__tournament__organiser"
    list_display = (
        "public_id",
        "played_in",
        "kind",
        "boards",
        "state",
        "fixtures_done",
        "closed_at",
        "closed_seq",
    )
    list_filter = ("state", "kind")
    list_select_related = ("round__stage__tournament",)
    search_fields = ("public_id", "round__stage__tournament__public_id")
    date_hierarchy = "closed_at"
    linked_by = ("round__id__exact",)
    related = (("Fixtures", "matches_fixture", "board_set__id__exact"),)

    def counted(self) -> Mapping[str, Any]:
        """How many fixtures there are and are done."""
        met = models.Fixture.objects.filter(board_set=OuterRef("pk")).order_by()
        return {"met": rows_of(met), "met_done": rows_of(met.filter(state__in=models.Fixture.DONE))}

    played_in = link_column("round", "round")
    """Of which round."""

    @admin.display(description="fixtures done")
    def fixtures_done(self, row: Any) -> str:
        """Of all, byes included."""
        return f"{row.met_done} of {row.met}"


@admin.register(models.FixtureEntry)
class FixtureEntryAdmin(ReadOnlyPage):
    """Which entry is which side."""

    owner_path = "fixture__tournament__organiser"
    list_display = ("meeting", "position", "side", "who")
    list_select_related = (
        f"fixture__{ROUND}",
        "entry__version__bot",
        "entry__partner_version__bot",
        "entry__tournament",
    )
    search_fields = ("fixture__public_id", "entry__public_id")
    linked_by = ("fixture__id__exact", "entry__id__exact")

    meeting = link_column("fixture", "fixture")
    """Where."""

    who = link_column("entry", "entry", label=attrgetter("bot_name"))
    """Who."""


@admin.register(models.Adjudication)
class AdjudicationAdmin(ReadOnlyPage):
    """Rulings, each with its reason; the last of a fixture holds."""

    owner_path = "fixture__tournament__organiser"
    list_display = ("at", "meeting", "number", "kind", "entries", "reason", "actor")
    list_filter = ("kind",)
    list_select_related = (f"fixture__{ROUND}", "actor")
    search_fields = ("public_id", "fixture__public_id", "fixture__tournament__public_id")
    date_hierarchy = "at"
    linked_by = ("fixture__id__exact", "fixture__tournament__id__exact")

    meeting = link_column("fixture", "fixture")
    """On which fixture."""


@admin.register(models.TableSeat)
class TableSeatAdmin(ReadOnlyPage):
    """Seats and how their bots behaved. Logs and faults are their owner's and staff's alone."""

    owner_path = "table__tournament__organiser"
    seal_path = "table__fixture__board_set__state"
    sealed = CONDUCT
    staff_columns = ("faults", "log_sha256")
    list_display = ("at_table", "seat", "who", "played_by", "player", "how", "decided", "used_ms")
    staff_filters = ("verdict", "forfeited")
    list_select_related = (
        f"table__fixture__{ROUND}",
        "entry__version__bot",
        "entry__partner_version__bot",
        "version__bot__owner",
    )
    search_fields = ("table__public_id", "version__public_id")
    linked_by = ("table__id__exact", "version__id__exact", "entry__id__exact")

    at_table = link_column("table", "table", label=lambda table: f"{table} ({table.public_id})")
    """Where."""

    who = link_column("entry", "entry", label=attrgetter("bot_name"))
    """For whom."""

    @admin.display(description="version")
    def played_by(self, row: Any) -> SafeString | str:
        """By what."""
        return row_link(row, row.version, public=row.version.page)

    player = link_column("version.bot.owner", "owner")
    """Whose."""

    @admin.display(description="verdict")
    def how(self, row: Any) -> str:
        """How its bot behaved, unless that is sealed."""
        if row.is_sealed_here:
            return "sealed"
        return f"{row.verdict or '–'}{', forfeited' if row.forfeited else ''}"

    @admin.display(description="decisions")
    def decided(self, row: Any) -> str:
        """How many decisions, unless that is sealed."""
        return "sealed" if row.is_sealed_here else str(row.decisions)

    @admin.display(description="CPU ms")
    def used_ms(self, row: Any) -> str:
        """What it used, unless that is sealed."""
        return "sealed" if row.is_sealed_here else str(row.cpu_ms)


@admin.register(models.BoardResult)
class BoardResultAdmin(ReadOnlyPage):
    """Results as played; for organisers of closed boards alone."""

    owner_path = "table__tournament__organiser"
    seal_path = "table__fixture__board_set__state"
    is_sealed_whole = True
    list_display = ("at_table", "board", "seat", "stones", "verdict")
    list_select_related = (f"table__fixture__{ROUND}",)
    search_fields = ("table__public_id",)
    linked_by = ("table__id__exact",)

    at_table = link_column("table", "table")
    """Where."""


@admin.register(models.FaultGroup)
class FaultGroupAdmin(ReadOnlyPage):
    """Faults that look alike, of closed boards and of checks. For staff: they are their owners' affair."""

    list_display = ("culprit", "verdict", "phase", "count", "fingerprint", "first_seen_at", "last_seen_at")
    list_filter = ("verdict", "phase", "version__state")
    list_select_related = ("version__bot",)
    search_fields = ("fingerprint", "version__public_id", "version__bot__name")
    date_hierarchy = "last_seen_at"
    linked_by = ("version__id__exact",)

    culprit = link_column("version", "version", ordering="version__bot__name")
    """Whose faults."""


@admin.register(models.Worker)
class WorkerAdmin(ReadOnlyPage):
    """Workers as they last described themselves."""

    list_display = (
        "name",
        "kernel",
        "heartbeat_at",
        "sandbox_level",
        "capacity",
        "cause",
        "runtimes",
        "detail",
    )
    list_filter = ("sandbox_level", "cause")
    search_fields = ("name",)


@admin.register(models.LostLease)
class LostLeaseAdmin(ReadOnlyPage):
    """Leases that were taken away from workers which may still be playing."""

    hidden = ("fence",)
    list_display = ("table", "worker", "kernel", "until")
    list_select_related = ("table__fixture__board_set__round__stage__tournament",)
    search_fields = ("table__public_id", "worker", "kernel")


@admin.register(models.RecordRepair)
class RecordRepairAdmin(ReadOnlyPage):
    """Tables that are replayed because their record is lost."""

    list_display = ("table", "state", "attempts", "failure", "asked_at")
    list_filter = ("state", "failure")


@admin.register(models.RuntimeSet)
class RuntimeSetAdmin(ReadOnlyPage):
    """Runtimes that the bots of some table need together."""

    list_display = ("names",)


@admin.register(models.TickState)
class TickStateAdmin(ReadOnlyPage):
    """When the tick ran last."""

    list_display = ("at", "queue_mark")
