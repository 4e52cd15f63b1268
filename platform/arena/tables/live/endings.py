"""End of a live table: store record and view, and play the same cards with house bots."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from arena.common.blobs import blobs_register, blobs_write
from arena.common.models import Blob
from arena.roster.models import BotVersion
from arena.tables.artifacts import TableArtifacts
from arena.tables.live.drivers import MakeDriver
from arena.tables.live.models import LiveTable
from arena.tables.live.orders import seat_versions, table_order
from arena.tables.views import report_view
from engine.game import Seat
from referee.contract import TableOrder, TableReport
from referee.driver import Driver
from referee.table import Progress, play_table

ChargeDrivers = Callable[[Iterable[Driver]], None]
"""Callback after each table of the field, which charges the drivers' CPU time."""


def table_end(
    table: LiveTable,
    claim: str,
    order: TableOrder,
    report: TableReport,
    artifacts: TableArtifacts,
    *,
    untimed: Collection[Seat],
    changes: Mapping[str, Any],
    on_end: Callable[[], object],
) -> bool:
    """Store record, view and result of a finished table; return whether the claim was still valid.

    ``untimed`` are the seats without a sandboxed bot. ``changes`` are further columns; ``on_end`` is called
    in the transaction.
    """
    report_view(artifacts, order, _without_timings(report, artifacts, untimed), str(table))
    stored: list[tuple[str, str]] = [(report.record_sha256 or "", Blob.Kind.RECORD)]
    if artifacts.view_sha256:
        stored.append((artifacts.view_sha256, Blob.Kind.VIEW))
    blobs_write([artifacts.kept(sha256) for sha256, _ in stored])
    boards: dict[int, dict[str, int]] = {}
    for result in report.results:
        boards.setdefault(result.board, {})[str(result.seat)] = result.stones
    with transaction.atomic():
        changed = (
            type(table)
            ._default_manager.filter(pk=table.pk, claimed_by=claim)
            .update(
                ended_at=timezone.now(),
                result={
                    "boards": [{"number": number, "stones": stones} for number, stones in boards.items()],
                    "substituted": [n for n, _ in table.substituted],
                },
                record_sha256=report.record_sha256,
                view_sha256=artifacts.view_sha256,
                **changes,
            )
        )
        if changed:
            blobs_register((sha256, kind, len(artifacts.kept(sha256))) for sha256, kind in stored)
            on_end()
    return bool(changed)


def _without_timings(
    report: TableReport, artifacts: TableArtifacts, untimed: Collection[Seat]
) -> TableReport:
    """Remove the timings of seats that have no CPU time and no bank of CPU time."""
    if report.timings_sha256 is None:
        return report
    lines = artifacts.kept(report.timings_sha256).splitlines(keepends=True)
    of_bots = b"".join(line for line in lines if json.loads(line).get("seat") not in untimed)
    return dataclasses.replace(report, timings_sha256=artifacts.keep(of_bots))


def field_play(
    table: LiveTable,
    seat: Seat,
    bots: Sequence[BotVersion],
    make_driver: MakeDriver,
    spent: ChargeDrivers,
    on_progress: Progress,
) -> Iterator[int]:
    """Play the table's deals with each of these bots in the seat; yield its stones after each."""
    versions = seat_versions(table)
    for number, bot in enumerate(bots, start=1):
        order = table_order(table, versions, sitting_in=bot, number=number)
        drivers: dict[Seat, Driver] = {}
        for each in order.seats:
            drivers[each.seat] = make_driver(order, each)
        try:
            report = play_table(order, drivers, on_progress, TableArtifacts().keep)
        finally:
            spent(drivers.values())
        yield sum(result.stones for result in report.results if result.seat == seat)
