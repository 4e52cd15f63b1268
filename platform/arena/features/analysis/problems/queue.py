"""Queue of candidates: the background process leases one and finds that it is a problem or not."""

from __future__ import annotations

import datetime
import json
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet, Sum
from django.utils import timezone

from analysis.problems import Problem as Proof
from arena.features.analysis.access import open_analyses
from arena.features.analysis.models import Problem, TableAnalysis
from arena.features.analysis.problems.candidates import decisions_add
from arena.matches.replays import table_view

State = Problem.State
LEASE_S = 60
MAX_FAILURES = 3
MAX_TABLES = 100
"""Tables of a board whose plays at the position are collected when a problem is ready, the latest."""


def problem_claim() -> Problem | None:
    """Lease the newest candidate to the caller; None if none waits."""
    rows = Problem.objects.filter(open_analyses("analysis__"), state=State.WAITING)
    pk = rows.order_by("-id").values_list("pk", flat=True).first()
    if pk is None:
        return None
    until = timezone.now() + datetime.timedelta(seconds=LEASE_S)
    if not Problem.objects.filter(pk=pk, state=State.WAITING).update(state=State.LEASED, leased_until=until):
        return None
    return Problem.objects.select_related("analysis__table").filter(pk=pk).first()


def problem_renew(row: Problem) -> bool:
    """Extend the lease; False if it has expired or the row is gone."""
    until = timezone.now() + datetime.timedelta(seconds=LEASE_S)
    changed = _leased(row).update(leased_until=until)
    row.leased_until = until
    return bool(changed)


def problem_finish(row: Problem, proof: Proof | None, observation: str, reason: str, cpu_s: float) -> bool:
    """Store the proof and the plays of all tables, or the rejection; False if the lease has expired."""
    with transaction.atomic():
        if proof is None:
            return bool(
                _leased(row).update(reason=reason[:300], **_unleased(State.REJECTED), **_cpu_columns(cpu_s))
            )
        ready = {"proof": proof, "observation": json.loads(observation), "ready_at": timezone.now()}
        if not _leased(row).update(**ready, reason="", **_unleased(State.READY), **_cpu_columns(cpu_s)):
            return False
    row.refresh_from_db()
    for analysis in _analyses_of_board(row):
        view = table_view(analysis.table, row.board)
        if view is not None:
            decisions_add([row], analysis, json.loads(view))
    return True


def problem_release(row: Problem, cpu_s: float) -> None:
    """Return a row to the queue without a failure."""
    _leased(row).update(**_unleased(State.WAITING), **_cpu_columns(cpu_s))


def problem_fail(row: Problem, reason: str, cpu_s: float) -> None:
    """Record a failure of the attempt: the row waits for another, or is rejected after the third."""
    failed = {"failures": F("failures") + 1, "reason": reason[:300]}
    if _leased(row).update(**failed, **_unleased(State.WAITING), **_cpu_columns(cpu_s)):
        rows = Problem.objects.filter(pk=row.pk, state=State.WAITING, failures__gte=MAX_FAILURES)
        rows.update(state=State.REJECTED)


def problems_expire() -> int:
    """Fail the attempts of processes that no longer exist; return their number."""
    rows = list(Problem.objects.filter(state=State.LEASED, leased_until__lt=timezone.now())[:100])
    for row in rows:
        problem_fail(row, "the process that checked it ended", 0.0)
    return len(rows)


def problems_cpu_ms(since: datetime.datetime) -> int:
    """Return the CPU time of candidates checked since then. One query."""
    used = Problem.objects.filter(worked_at__gt=since).aggregate(sum=Sum("cpu_ms"))["sum"]
    return int(used or 0)


def _analyses_of_board(row: Problem) -> list[TableAnalysis]:
    rows = TableAnalysis.objects.filter(
        open_analyses(),
        state=TableAnalysis.State.READY,
        table__fixture__board_set=row.board_set_id,
        table__first_board__lte=row.board,
        table__first_board__gt=row.board - F("table__board_count"),
    )
    return list(rows.select_related("table").order_by("-id")[:MAX_TABLES])


def _leased(row: Problem) -> QuerySet[Problem]:
    return Problem.objects.filter(pk=row.pk, state=State.LEASED, leased_until=row.leased_until)


def _unleased(state: str) -> dict[str, Any]:
    return {"state": state, "leased_until": None}


def _cpu_columns(cpu_s: float) -> dict[str, Any]:
    return {"cpu_ms": F("cpu_ms") + round(1000 * cpu_s), "worked_at": timezone.now()} if cpu_s else {}
