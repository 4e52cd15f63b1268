"""Views of tables, made with the report or later from stored files (docs/views.md)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction

from arena.common.blob_storages import BlobsUnavailable
from arena.common.blobs import BlobDamaged, BlobMissing, blob_get, blob_register, blob_write
from arena.common.models import Blob
from arena.matches.models import Table
from arena.tables.artifacts import TableArtifacts
from referee.contract import Clock, TableOrder, TableReport
from viewer.banks import Bank
from viewer.build import ViewError, view_bytes, view_of

log = logging.getLogger(__name__)


class ViewImpossible(Exception):
    pass


def report_view(artifacts: TableArtifacts, order: TableOrder, report: TableReport, name: str) -> None:
    """Add the view of a report's record to its artefacts. Never raises; ``name`` is for logs."""
    try:
        record = artifacts.kept(report.record_sha256 or "")
        timings = artifacts.kept(report.timings_sha256) if report.timings_sha256 else None
        faults = {
            seat.seat: [(fault.decision, fault.clock) for fault in seat.faults] for seat in report.seats
        }
        bank = _bank(order.clock, [board.kind for board in order.boards], faults)
        artifacts.add_view(view_bytes(view_of(record, timings, bank=bank)))
    except Exception:
        log.exception("%s: no view until manage.py views_make succeeds", name)


def table_view_make(table: Table) -> str | None:
    """Make the view of a finished table from stored files and store it; return its SHA-256. Idempotent.

    None if the table was reset meanwhile. Raises ``ViewImpossible`` if the record cannot be fetched or shown.
    """
    try:
        record = blob_get(table.record_sha256)
        view = view_bytes(view_of(record, _timings(table.timings_sha256), bank=_bank_of(table)))
    except (BlobMissing, BlobDamaged, BlobsUnavailable, ViewError) as error:
        raise ViewImpossible(str(error)) from error
    sha256 = blob_write(view)
    with transaction.atomic():
        blob_register(sha256, Blob.Kind.VIEW, len(view))
        same = Table.objects.filter(
            pk=table.pk, state=Table.State.FINISHED, record_sha256=table.record_sha256
        )
        return sha256 if same.update(view_sha256=sha256) else None


def _bank_of(table: Table) -> Bank:
    board_set = table.fixture.board_set
    faults = {
        row.seat: [(fault["decision"], fault["clock"]) for fault in row.faults] for row in table.seats.all()
    }
    clock = Clock(**board_set.round.stage.tournament.clock)
    return _bank(clock, [board_set.kind] * table.board_count, faults)


def _bank(
    clock: Clock, kinds: list[str], faults: Mapping[int, Iterable[tuple[int, Mapping[str, Any]]]]
) -> Bank:
    """``faults`` by seat: the request number (0 during the start) and the clock fields of each fault."""
    used = {
        seat: [
            round(1000 * times["used_cpu_ms"])
            for decision, times in sorted(seat_faults, key=_decision_number)
            if decision
        ]
        for seat, seat_faults in faults.items()
    }
    return Bank(1000 * clock.bank_cpu_ms(kinds), 1000 * clock.increment_cpu_ms, used)


def _decision_number(fault: tuple[int, Mapping[str, Any]]) -> int:
    return fault[0]


def _timings(sha256: str) -> bytes | None:
    """Return the stored times; None if missing: a view is possible without them."""
    try:
        return blob_get(sha256) if sha256 else None
    except (BlobMissing, BlobDamaged) as error:
        log.warning("a view has no times: %s", error)
        return None
