"""Board sets, fixtures, tables, results, faults and workers. Board seeds are nowhere among them."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from arena.accounts.models import User
from arena.common.admin import LookOnly, each
from arena.matches.leases import table_retry
from arena.matches.models import (
    BoardResult,
    BoardSet,
    FaultGroup,
    Fixture,
    FixtureEntry,
    Table,
    TableSeat,
    Worker,
)

ROUND = "board_set__round__stage__tournament"


@admin.register(BoardSet)
class BoardSetAdmin(LookOnly):
    """Board sets."""

    list_display = ("public_id", "round", "kind", "boards", "state", "closed_at", "closed_seq")
    list_filter = ("state", "kind")
    list_select_related = ("round__stage__tournament",)
    search_fields = ("public_id",)


@admin.register(Fixture)
class FixtureAdmin(LookOnly):
    """Fixtures."""

    list_display = ("public_id", "board_set", "number", "state", "reason", "done_at")
    list_filter = ("state",)
    list_select_related = (ROUND,)
    search_fields = ("public_id", f"{ROUND}__public_id")


@admin.register(FixtureEntry)
class FixtureEntryAdmin(LookOnly):
    """Which entry is which side."""

    list_display = ("fixture", "position", "entry")
    list_select_related = (f"fixture__{ROUND}", "entry__version__bot", "entry__tournament")
    search_fields = ("fixture__public_id", "entry__public_id")


@admin.register(Table)
class TableAdmin(LookOnly):
    """Tables: who plays them, how far they are, why they failed. The fence is a worker's pass: hidden."""

    hidden = ("fence",)
    list_display = ("public_id", "fixture", "rotation", "first_board", "state", "attempt", "worker", "reason")
    list_filter = ("state",)
    list_select_related = (f"fixture__{ROUND}",)
    search_fields = ("public_id", "fixture__public_id", "worker")
    actions = ("retry",)

    @admin.action(description="Send quarantined tables back to waiting")
    def retry(self, request: HttpRequest, rows: QuerySet[Table]) -> None:
        """Their attempts are unspent again; the tick publishes them."""
        actor = request.user
        assert isinstance(actor, User)
        each(self, request, rows.select_related(f"fixture__{ROUND}"), lambda table: table_retry(table, actor))


@admin.register(TableSeat)
class TableSeatAdmin(LookOnly):
    """Seats and how their bots behaved."""

    list_display = ("table", "seat", "version", "verdict", "forfeited", "decisions", "cpu_ms")
    list_filter = ("verdict", "forfeited")
    list_select_related = (f"table__fixture__{ROUND}", "version__bot")
    search_fields = ("table__public_id", "version__public_id")


@admin.register(BoardResult)
class BoardResultAdmin(LookOnly):
    """Results as played."""

    list_display = ("table", "board", "seat", "stones", "verdict")
    list_select_related = (f"table__fixture__{ROUND}",)
    search_fields = ("table__public_id",)


@admin.register(FaultGroup)
class FaultGroupAdmin(LookOnly):
    """Faults that look alike, of closed boards and of checks."""

    list_display = ("version", "verdict", "phase", "count", "fingerprint", "first_seen_at", "last_seen_at")
    list_filter = ("verdict", "phase", "version__state")
    list_select_related = ("version__bot",)
    search_fields = ("fingerprint", "version__public_id", "version__bot__name")


@admin.register(Worker)
class WorkerAdmin(LookOnly):
    """Workers as they last described themselves."""

    list_display = ("name", "heartbeat_at", "sandbox_level", "capacity", "detail")
    search_fields = ("name",)
