"""Accept the report of a table: exactly once, even if it is sent repeatedly."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from arena.accounts.events import event_add
from arena.common.causes import Cause
from arena.common.notes import Note
from arena.common.revisions import revision
from arena.common.states import state_change
from arena.competition.models import Tournament
from arena.competition.services import tournament_touch
from arena.competition.transitions import tournament_row_lock
from arena.matches.board_results import format_results
from arena.matches.common_boards import lost_leases_record
from arena.matches.leases import table_fail
from arena.matches.models import Fixture, PendingReport, Table, TableSeat
from referee.contract import TableReport


class ReportMismatch(Exception):
    """A report that does not match its table: a platform fault, never a bot's."""


SEAT_COLUMNS = (
    "verdict",
    "forfeited",
    "decisions",
    "cpu_ms",
    "wall_ms",
    "peak_bytes",
    "faults",
    "log_sha256",
)


def table_finish(
    table_id: int,
    fence: str,
    report: TableReport,
    view_sha256: str = "",
    on_accept: Callable[[], object] = lambda: None,
) -> bool:
    """Store a report under a valid fence, and settle the fixture if this was its last table.

    Locks the fixture and its table, not the tournament, whose totals ``matches.totals`` updates. Calls
    ``on_accept`` in the transaction that accepts the report.

    Returns True if the report counts, also if it was accepted before; False if the fence is stale. A report
    with a platform fault is not stored and releases the table. Raises ``ReportMismatch`` if seats or boards
    differ.
    """
    cpu_ms = sum(seat.cpu_ms for seat in report.seats)
    if report.platform_fault is not None or report.record_sha256 is None:
        cause = Cause(report.platform_cause or Cause.INTERNAL)
        reason = report.platform_fault or {"code": "no_record"}
        table_fail(table_id, fence, reason, cpu_ms, cause, report.killed_bundle)
        return False
    with transaction.atomic():
        # Serialise reports of the same fixture, so that one of them finds all tables finished.
        rows = Fixture.objects.select_for_update(of=("self",), no_key=True).select_related("tournament")
        columns = ("public_id", "number", "state", "tournament__public_id")
        fixture = rows.order_by().only(*columns).get(tables=table_id)
        now = timezone.now()
        accepted = Table.objects.filter(pk=table_id, fence=fence, state=Table.State.LEASED).update(
            state=Table.State.FINISHED,
            state_at=now,
            finished_at=now,
            lease_until=None,
            heartbeat_at=None,
            progress_at=None,
            note={},
            cause="",
            boards_done=F("board_count"),
            decisions=sum(seat.decisions for seat in report.seats),
            record_sha256=report.record_sha256,
            timings_sha256=report.timings_sha256 or "",
            view_sha256=view_sha256,
            sandbox_level=report.sandbox_level,
            engine_version=report.engine_version,
            revision=revision(),
            runtime_artifacts=dict(report.runtime_artifacts),
            compact_results=format_results(report.results),
        )
        if not accepted:
            return Table.objects.filter(
                pk=table_id, state=Table.State.FINISHED, fence=fence, record_sha256=report.record_sha256
            ).exists()
        _store(table_id, report)
        PendingReport.objects.create(tournament_id=fixture.tournament_id, cpu_ms=cpu_ms)
        on_accept()
        fixture_settle(fixture, fixture.tournament.public_id)
    return True


def _store(table_id: int, report: TableReport) -> None:
    rows = TableSeat.objects.filter(table=table_id).select_related("table").order_by()
    seats = {seat.seat: seat for seat in rows}
    table = next(iter(seats.values())).table
    boards = range(table.first_board, table.first_board + table.board_count)
    expected = {(board, seat) for board in boards for seat in seats}
    given = [(result.board, result.seat) for result in report.results]
    if len(given) != len(expected) or set(given) != expected or {s.seat for s in report.seats} != set(seats):
        raise ReportMismatch(f"table {table.public_id}: the report's seats or boards are not those ordered")
    for seat_report in report.seats:
        seat = seats[seat_report.seat]
        seat.verdict = seat_report.verdict
        seat.forfeited = seat_report.forfeited
        seat.decisions = seat_report.decisions
        seat.cpu_ms = seat_report.cpu_ms
        seat.wall_ms = seat_report.wall_ms
        seat.peak_bytes = seat_report.peak_bytes
        seat.log_sha256 = seat_report.log_sha256 or ""
    faults = {raw["seat"]: raw["faults"] for raw in report.to_json()["seats"]}
    for number, seat in seats.items():
        seat.faults = list(faults[number])
    # Updates these rows; as an upsert it is a tenth of the text of bulk_update.
    TableSeat.objects.bulk_create(
        seats.values(), update_conflicts=True, unique_fields=["id"], update_fields=SEAT_COLUMNS
    )


def fixture_settle(fixture: Fixture, tournament: str) -> bool:
    """Close a fixture whose tables are all finished. ``tournament`` is its public id. In a transaction."""
    if fixture.tables.exclude(state=Table.State.FINISHED).exists():
        return False
    forfeited = TableSeat.objects.filter(table__fixture=fixture, forfeited=True).exists()
    to = Fixture.State.FORFEITED if forfeited else Fixture.State.SETTLED
    if not state_change(fixture, "state", Fixture.State.OPEN, to, done_at=timezone.now()):
        return False
    fixture_done_notify(fixture, tournament)
    return True


def fixture_done_notify(fixture: Fixture, tournament: str) -> None:
    """Publish that a fixture is done. Its result becomes public when its boards are unsealed."""
    event_add("fixture.done", fixture, tournament=tournament, number=fixture.number)


def fixtures_settle(tournament: Tournament) -> None:
    """Settle open fixtures whose tables are all finished. One query if there are none."""
    unfinished = Table.objects.filter(fixture=OuterRef("pk")).exclude(state=Table.State.FINISHED)
    played = Fixture.objects.filter(~Exists(unfinished), tournament=tournament, state=Fixture.State.OPEN)
    for fixture in played:
        with transaction.atomic():
            fixture_settle(fixture, tournament.public_id)


@transaction.atomic
def fixture_void(fixture: Fixture, note: Note) -> bool:
    tournament_row_lock(pk=fixture.tournament_id)
    now = timezone.now()
    if not state_change(fixture, "state", Fixture.State.OPEN, Fixture.State.VOID, note=note, done_at=now):
        return False
    tables_void(fixture)
    fixture_done_notify(fixture, fixture.tournament.public_id)
    tournament_touch(fixture.tournament)
    return True


def tables_void(fixture: Fixture) -> None:
    unfinished = fixture.tables.exclude(state=Table.State.FINISHED)
    # Lock them, so that none is claimed meanwhile.
    lost_leases_record(unfinished.select_for_update(of=("self",), no_key=True).order_by("pk"))
    unfinished.update(state=Table.State.VOID, state_at=timezone.now(), fence="", lease_until=None)
