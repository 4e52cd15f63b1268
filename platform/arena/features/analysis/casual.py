"""Notes on casual and remote tables: requested at the end or by the page, made by the interactive queue."""

from __future__ import annotations

import datetime
import json
from typing import Any

from django.db.models import F, QuerySet
from django.utils import timezone

from analysis.shapes import Limits
from arena.common.features import CasualNotes
from arena.features.analysis.heartbeat import Queue, is_alive
from arena.features.analysis.models import CasualAnalysis
from arena.features.analysis.positions import GAME
from arena.features.play.models import CasualTable
from arena.features.remote.models import RemoteTable
from arena.tables.live.models import LiveTable

State = CasualAnalysis.State
LEASE_S = 30
"""Seconds until the lease of a process that no longer renews it expires."""
MAX_FAILURES = 3
NODES = 1_000_000
"""Maximum nodes per card of Kakeya and Etori, about 0.5 s of CPU. Few deals are not solved from the start."""


def casual_notes(table: LiveTable, may_request: bool) -> CasualNotes | None:
    """Return the notes on a table that is over; None without any.

    ``may_request``: the first call requests them if there is a record. One query, or two.
    """
    row = CasualAnalysis.objects.filter(**_named(table)).first()
    if row is None and may_request:
        row = _request(table)
    if row is None:
        return None
    match row.state:
        case State.READY:
            return CasualNotes("ready", row.notes)
        case State.FAILED:
            return CasualNotes("failed")
    return CasualNotes("waiting" if is_alive(Queue.INTERACTIVE) else "down")


def casual_request(table_pk: int) -> None:
    """Request notes on a table that its person has played to the end."""
    table = CasualTable.objects.get(pk=table_pk)
    if table.state == CasualTable.State.FINISHED:
        _request(table)


def _request(table: LiveTable) -> CasualAnalysis | None:
    if table.ended_at is None or not table.record_sha256:
        return None
    return CasualAnalysis.objects.get_or_create(**_named(table))[0]


def _named(table: LiveTable) -> dict[str, Any]:
    return {"remote_table" if isinstance(table, RemoteTable) else "table": table}


def limits_of(table: LiveTable) -> Limits | None:
    """Return limits without averages, except in Kakkuri, where all costs are averages."""
    return {"nodes": NODES, "deals": 0} if table.game == GAME else None


def casual_claim() -> CasualAnalysis | None:
    """Lease the table that has waited longest to the caller; None if none waits. One query, else three."""
    pk = (
        CasualAnalysis.objects.filter(state=State.WAITING).order_by("id").values_list("pk", flat=True).first()
    )
    if pk is None:
        return None
    until = timezone.now() + datetime.timedelta(seconds=LEASE_S)
    changed = CasualAnalysis.objects.filter(pk=pk, state=State.WAITING).update(
        state=State.LEASED, state_at=timezone.now(), leased_until=until
    )
    return CasualAnalysis.objects.select_related("table", "remote_table").get(pk=pk) if changed else None


def casual_renew(row: CasualAnalysis) -> bool:
    """Extend the lease; False if it has expired."""
    until = timezone.now() + datetime.timedelta(seconds=LEASE_S)
    changed = _leased(row).update(leased_until=until)
    row.leased_until = until
    return bool(changed)


def casual_finish(row: CasualAnalysis, notes: bytes, cpu_s: float) -> bool:
    """Store the notes; False if the lease has expired."""
    ready = {"notes": json.loads(notes), "failure": "", **_unleased(State.READY)}
    return bool(_leased(row).update(**ready, **_cpu_columns(cpu_s)))


def casual_release(row: CasualAnalysis, cpu_s: float) -> None:
    """Return a row to the queue without a failure."""
    _leased(row).update(**_unleased(State.WAITING), **_cpu_columns(cpu_s))


def casual_fail(row: CasualAnalysis, reason: str, cpu_s: float) -> None:
    """Record a failure of the attempt: the row waits for another, or has failed."""
    failed = {"failures": F("failures") + 1, "failure": reason[:300]}
    if not _leased(row).update(**failed, **_unleased(State.WAITING), **_cpu_columns(cpu_s)):
        return
    rows = CasualAnalysis.objects.filter(pk=row.pk, state=State.WAITING, failures__gte=MAX_FAILURES)
    rows.update(state=State.FAILED)


def casual_expire() -> int:
    """Fail the attempts of processes that no longer exist; return their number."""
    rows = list(CasualAnalysis.objects.filter(state=State.LEASED, leased_until__lt=timezone.now())[:100])
    for row in rows:
        casual_fail(row, "the process that analysed it ended", 0.0)
    return len(rows)


def failed_casual() -> QuerySet[CasualAnalysis]:
    """Return failed analyses, latest first."""
    rows = CasualAnalysis.objects.filter(state=State.FAILED).order_by("-state_at")
    return rows.select_related("table", "remote_table")


def casual_request_failed() -> int:
    """Queue failed analyses again; return their number."""
    again = {"failures": 0, **_unleased(State.WAITING)}
    return CasualAnalysis.objects.filter(state=State.FAILED).update(**again)


def _leased(row: CasualAnalysis) -> QuerySet[CasualAnalysis]:
    return CasualAnalysis.objects.filter(pk=row.pk, state=State.LEASED, leased_until=row.leased_until)


def _unleased(state: str) -> dict[str, Any]:
    return {"state": state, "state_at": timezone.now(), "leased_until": None}


def _cpu_columns(cpu_s: float) -> dict[str, Any]:
    return {"cpu_ms": F("cpu_ms") + round(1000 * cpu_s)}
