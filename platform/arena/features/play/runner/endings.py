"""End of a casual table: store record and view, and play the same cards with bots."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone

from arena.common.blobs import blobs_register, blobs_write
from arena.common.models import Blob
from arena.features.play.limits import quota_free_at
from arena.features.play.models import CasualTable
from arena.features.play.offers import house_versions
from arena.features.play.runner.drivers import MakeDriver
from arena.features.play.runner.orders import seat_versions, table_order
from arena.mounts import FEATURES
from arena.tables.artifacts import TableArtifacts
from arena.tables.views import report_view
from engine.game import Seat
from referee.contract import TableOrder, TableReport
from referee.driver import Driver
from referee.table import Progress, play_table

Strength = CasualTable.Strength
FIELD = ((Strength.RULES, 1), (Strength.GREEDY, 1), (Strength.RANDOM, 4))
"""House bots of the field, and their number of runs. Only random bots differ between runs."""
FIELD_OF_GAMES = ((Strength.RULES, 1), (Strength.GREEDY, 1), (Strength.RANDOM, 1))
"""The field of whole games, which take as long as fifty deals."""
ChargeDrivers = Callable[[Iterable[Driver]], None]
"""Callback after each table of the field, which charges the drivers' CPU time."""


def table_end(
    table: CasualTable, claim: str, order: TableOrder, report: TableReport, artifacts: TableArtifacts
) -> bool:
    """Store record, view and result of a finished table; return whether the claim was still valid."""
    state = CasualTable.State
    report_view(artifacts, order, _without_person(report, artifacts, table.seat), str(table))
    stored: list[tuple[str, str]] = [(report.record_sha256 or "", Blob.Kind.RECORD)]
    if artifacts.view_sha256:
        stored.append((artifacts.view_sha256, Blob.Kind.VIEW))
    blobs_write([artifacts.kept(sha256) for sha256, _ in stored])
    boards: dict[int, dict[str, int]] = {}
    for result in report.results:
        boards.setdefault(result.board, {})[str(result.seat)] = result.stones
    with transaction.atomic():
        changed = CasualTable.objects.filter(pk=table.pk, claimed_by=claim).update(
            state=state.ABANDONED if table.state == state.ABANDONED else state.FINISHED,
            ended_at=timezone.now(),
            deadline_at=None,
            result={
                "boards": [{"number": number, "stones": stones} for number, stones in boards.items()],
                "substituted": [n for n, _ in table.substituted],
            },
            record_sha256=report.record_sha256,
            view_sha256=artifacts.view_sha256,
        )
        if changed:
            blobs_register((sha256, kind, len(artifacts.kept(sha256))) for sha256, kind in stored)
            for feature in FEATURES:
                feature.casual_ended(table.pk)
    return bool(changed)


def _without_person(report: TableReport, artifacts: TableArtifacts, seat: Seat) -> TableReport:
    """Remove the person's timings from the report: a person has no CPU time and no bank."""
    if report.timings_sha256 is None:
        return report
    lines = artifacts.kept(report.timings_sha256).splitlines(keepends=True)
    of_bots = b"".join(line for line in lines if json.loads(line).get("seat") != seat)
    return dataclasses.replace(report, timings_sha256=artifacts.keep(of_bots))


def field_play(
    table: CasualTable, make_driver: MakeDriver, spent: ChargeDrivers, on_progress: Progress
) -> list[dict[str, Any]]:
    """Play the table's deals with house bots in the person's seat, until the person's quota is used up.

    Returns the stones of each, the person's first.
    """
    field = [{"label": "you", "stones": table.won, "mine": True}]
    versions = seat_versions(table)
    house = house_versions(table.game)
    number = 0
    for strength, times in FIELD_OF_GAMES if table.deals == CasualTable.Deals.GAME else FIELD:
        for _ in range(times if strength in house else 0):
            number += 1
            if quota_free_at(table.quota_key) is not None:
                return field
            order = table_order(table, versions, sitting_in=house[strength], number=number)
            drivers: dict[Seat, Driver] = {}
            for seat in order.seats:
                drivers[seat.seat] = make_driver(order, seat)
            try:
                report = play_table(order, drivers, on_progress, TableArtifacts().keep)
            finally:
                spent(drivers.values())
            stones = sum(result.stones for result in report.results if result.seat == table.seat)
            field.append({"label": f"house {strength}", "stones": stones, "mine": False})
    return field
