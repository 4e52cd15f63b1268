"""Groups of similar faults, rebuilt (idempotent) when a board set closes and when a check is done."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db import transaction

from arena.matches.models import BoardSet, FaultGroup, Table, TableSeat
from arena.roster.models import BotVersion, CheckRun

MAX_GROUPS = 200
"""Maximum groups of a version, so that a bot with ever new faults cannot fill the disk."""


class _FaultOccurrence(NamedTuple):
    at: datetime.datetime
    table_id: int | None
    check_run_id: int | None
    seat: int
    fault: dict[str, Any]


def faults_group(board_set: BoardSet) -> None:
    """Rebuild, in the closing transaction, the groups of all versions with a fault on these boards."""
    at_fault = (
        TableSeat.objects.filter(table__fixture__board_set=board_set).exclude(faults=[]).values("version")
    )
    for version in BotVersion.objects.filter(pk__in=at_fault).order_by("pk"):
        faults_rebuild(version)


def check_faults_group(check: CheckRun) -> None:
    """Rebuild the groups of a checked version if its trial had a fault. Idempotent."""
    if any(seat["faults"] for seat in (check.report or {}).get("seats", ())):
        faults_rebuild(check.version)


@transaction.atomic
def faults_rebuild(version: BotVersion) -> int:
    """Replace a version's groups by those that its seats and checks give now, and return how many."""
    # A concurrent call waits for this lock, and then finds the same rows.
    BotVersion.objects.select_for_update(no_key=True).filter(pk=version.pk).first()
    FaultGroup.objects.filter(version=version).delete()
    return len(FaultGroup.objects.bulk_create(fault_groups_of(version)))


def fault_groups_of(version: BotVersion, *, with_sealed: bool = False) -> list[FaultGroup]:
    """Return the version's groups unsaved, most frequent first. Two queries.

    ``with_sealed`` includes tables of open board sets, for staff only. A group's sample is its latest fault.
    """
    groups: dict[str, FaultGroup] = {}
    for occurrence in sorted(_fault_occurrences(version, with_sealed), key=_occurrence_order):
        fault = occurrence.fault
        group = groups.setdefault(
            fault["fingerprint"],
            FaultGroup(
                version=version,
                fingerprint=fault["fingerprint"],
                verdict=fault["verdict"],
                phase=fault["phase"],
                count=0,
                first_seen_at=occurrence.at,
            ),
        )
        group.count += 1
        group.last_seen_at = occurrence.at
        group.sample = fault
        group.table_id = occurrence.table_id
        group.check_run_id = occurrence.check_run_id
        group.seat = occurrence.seat
    return sorted(groups.values(), key=lambda group: (-group.count, group.fingerprint))[:MAX_GROUPS]


def _occurrence_order(occurrence: _FaultOccurrence) -> tuple[Any, ...]:
    """Sort key: by time; checks before tables that ended at the same moment; then by number."""
    return (
        occurrence.at,
        occurrence.table_id or 0,
        occurrence.check_run_id or 0,
        occurrence.seat,
        occurrence.fault["decision"],
    )


def _fault_occurrences(version: BotVersion, with_sealed: bool) -> Iterator[_FaultOccurrence]:
    checks = version.checks.filter(state=CheckRun.State.DONE).exclude(report=None)
    for pk, ended_at, report in checks.values_list("pk", "finished_at", "report"):
        assert ended_at is not None, "a check that is done has ended"
        for seat in (report or {}).get("seats", ()):
            yield from (_FaultOccurrence(ended_at, None, pk, seat["seat"], fault) for fault in seat["faults"])
    seats = version.seats.filter(table__state=Table.State.FINISHED).exclude(faults=[])
    if not with_sealed:
        seats = seats.filter(table__fixture__board_set__state=BoardSet.State.CLOSED)
    for table, ended_at, number, faults in seats.values_list(
        "table_id", "table__finished_at", "seat", "faults"
    ).iterator():
        assert ended_at is not None, "a finished table has ended"
        yield from (_FaultOccurrence(ended_at, table, None, number, fault) for fault in faults)
