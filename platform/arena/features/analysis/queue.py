"""Queue of tables to analyse: a row is leased to a process and ends ready, or failed after three attempts.

Later board sets first. A process that dies loses its lease after ``LEASE_S``; its row then waits again.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum
from django.utils import timezone

from analysis.accuracy import BoardCosts
from arena.common.blobs import blob_register, blob_write
from arena.common.models import Blob
from arena.common.states import still_matching
from arena.features.analysis.access import open_analyses
from arena.features.analysis.models import CostlyPlay, SeatAnalysis, TableAnalysis
from arena.features.analysis.problems.queue import problems_cpu_ms
from arena.features.analysis.summary import TableSummary

State = TableAnalysis.State
LEASE_S = 60
"""Seconds until the lease of a process that no longer renews it expires."""
MAX_FAILURES = 3
RETRY_S = 300
"""Seconds until the attempt after the first failure; twice as many after the second."""
BUDGET_PERIOD = datetime.timedelta(days=1)
EXPIRED_AT_ONCE = 100
"""Maximum expired leases handled in one call."""


def cpu_ms_left() -> int:
    """Return the rest of the CPU budget of the last 24 hours; 0 if it is used up. Two queries."""
    since = timezone.now() - BUDGET_PERIOD
    used = TableAnalysis.objects.filter(worked_at__gt=since).aggregate(sum=Sum("cpu_ms"))["sum"] or 0
    return max(0, settings.ANALYSIS.notes_cpu_s * 1000 - used - problems_cpu_ms(since))


def analysis_claim(lease: str) -> TableAnalysis | None:
    """Lease the next due row to a process under this name; None if none is due or the budget is used up."""
    if not cpu_ms_left():
        return None
    now = timezone.now()
    due = Q(retry_at__isnull=True) | Q(retry_at__lte=now)
    has_view = ~Q(table__view_sha256="")  # without, the costs could not be assigned to seats
    rows = TableAnalysis.objects.filter(due, has_view, open_analyses(), state=State.WAITING)
    pk = rows.order_by("-closed_seq", "id").values_list("pk", flat=True).first()
    if pk is None:
        return None
    changed = TableAnalysis.objects.filter(pk=pk, state=State.WAITING).update(
        state=State.LEASED,
        state_at=now,
        lease=lease,
        leased_until=now + datetime.timedelta(seconds=LEASE_S),
        retry_at=None,
    )
    return TableAnalysis.objects.select_related("table").get(pk=pk) if changed else None


def analysis_renew(row: TableAnalysis, cpu_s: float) -> bool:
    """Extend the lease and add CPU time; False if the row was taken away or its table is in play again."""
    now = timezone.now()
    leased = TableAnalysis.objects.filter(open_analyses(), pk=row.pk)
    return bool(
        still_matching(leased, state=State.LEASED, lease=row.lease).update(
            leased_until=now + datetime.timedelta(seconds=LEASE_S), **_cpu_columns(cpu_s)
        )
    )


def analysis_release(row: TableAnalysis, cpu_s: float) -> None:
    """Return a row to the queue without a failure."""
    _leased(row).update(**_unleased(State.WAITING), **_cpu_columns(cpu_s))


def analysis_fail(row: TableAnalysis, reason: str, cpu_s: float) -> None:
    """Record a failure of the attempt: the row waits for another, or has failed."""
    with transaction.atomic():
        if not _leased(row).update(
            failures=F("failures") + 1,
            failure=reason[:300],
            **_unleased(State.WAITING),
            **_cpu_columns(cpu_s),
        ):
            return
        row.refresh_from_db()
        changes: dict[str, Any] = {
            "retry_at": timezone.now() + datetime.timedelta(seconds=RETRY_S * row.failures)
        }
        if row.failures >= MAX_FAILURES:
            changes = {"state": State.FAILED, "retry_at": None}
        TableAnalysis.objects.filter(pk=row.pk, state=State.WAITING).update(**changes)


def analysis_finish(row: TableAnalysis, notes: bytes, summary: TableSummary, cpu_s: float) -> bool:
    """Store the notes and figures; False if the row was taken away or its table is in play again."""
    sha256 = blob_write(notes)
    versions = dict(row.table.seats.values_list("seat", "version"))
    with transaction.atomic():
        open_rows = still_matching(
            TableAnalysis.objects.filter(open_analyses(), pk=row.pk), state=State.LEASED, lease=row.lease
        )
        ready = {**_unleased(State.READY), "notes_sha256": sha256, "failure": ""}
        if not open_rows.update(**ready, **_cpu_columns(cpu_s)):
            return False
        blob_register(sha256, Blob.Kind.NOTES, len(notes))
        earlier = TableAnalysis.objects.filter(table=row.table).exclude(pk=row.pk)
        SeatAnalysis.objects.filter(analysis__in=earlier).delete()
        CostlyPlay.objects.filter(analysis__in=earlier).delete()
        SeatAnalysis.objects.bulk_create(
            _seat_analysis(row, seat, versions[seat], costs) for seat, costs in summary.seats.items()
        )
        CostlyPlay.objects.bulk_create(
            CostlyPlay(
                analysis=row,
                tournament_id=row.table.tournament_id,
                version_id=versions[play.seat],
                **play._asdict(),
            )
            for play in summary.costly
        )
    return True


def _seat_analysis(row: TableAnalysis, seat: int, version: int, costs: Sequence[BoardCosts]) -> SeatAnalysis:
    boards = [
        [int(each.board.rpartition(":")[2]), each.decisions, each.costly, each.stones] for each in costs
    ]
    return SeatAnalysis(
        analysis=row,
        seat=seat,
        version_id=version,
        decisions=sum(each.decisions for each in costs),
        costly=sum(each.costly for each in costs),
        stones=sum(each.stones for each in costs),
        boards=boards,
    )


def leases_expire() -> int:
    """Fail the attempts of processes that no longer renew their leases; return their number."""
    expired = TableAnalysis.objects.filter(state=State.LEASED, leased_until__lt=timezone.now())
    rows = list(expired[:EXPIRED_AT_ONCE])
    for row in rows:
        analysis_fail(row, "the process that analysed it ended", 0.0)
    return len(rows)


def _leased(row: TableAnalysis) -> QuerySet[TableAnalysis]:
    return TableAnalysis.objects.filter(pk=row.pk, state=State.LEASED, lease=row.lease)


def _unleased(state: str) -> dict[str, object]:
    return {"state": state, "state_at": timezone.now(), "lease": "", "leased_until": None}


def _cpu_columns(cpu_s: float) -> dict[str, object]:
    return {"cpu_ms": F("cpu_ms") + round(1000 * cpu_s), "worked_at": timezone.now()} if cpu_s else {}
