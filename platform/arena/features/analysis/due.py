"""Tables that become due for analysis: rows are made for missing ones and deleted for stale ones."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from analysis.notes import SOLVER
from arena.common.hash_field import HexOf
from arena.common.states import still_matching
from arena.competition.models import Tournament
from arena.features.analysis.access import open_analyses, open_tables
from arena.features.analysis.models import TableAnalysis
from arena.matches.models import BoardSet, Table

State = TableAnalysis.State
SETS_AT_ONCE = 50
"""Board sets of which missing rows are made in one call."""
TABLES_AT_ONCE = 500
"""Maximum rows made in one call."""


def round_make_due(tournament: Tournament) -> None:
    """Make rows for the tables of the tournament's last closed board set."""
    closed = BoardSet.objects.filter(round__stage__tournament=tournament, state=BoardSet.State.CLOSED)
    sets_make_due(closed.order_by("-closed_seq").values_list("pk", flat=True)[:1])


def analyses_make(tables: QuerySet[Table]) -> int:
    """Make rows for these tables as far as their analysis is open and missing; return their number."""
    known = _analyses_known()
    missing = tables.filter(~Exists(known)).order_by("-fixture__board_set__closed_seq", "pk")
    rows = [
        TableAnalysis(table_id=pk, record_sha256=sha256, solver=SOLVER, closed_seq=closed_seq or 0)
        for pk, sha256, closed_seq in missing.values_list(
            "pk", "record_sha256", "fixture__board_set__closed_seq"
        )[:TABLES_AT_ONCE]
    ]
    TableAnalysis.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def sets_make_due(board_sets: Iterable[int]) -> int:
    """Delete stale rows of these closed board sets, by primary key, and make missing ones."""
    sets = list(board_sets)
    stale_delete(TableAnalysis.objects.filter(table__fixture__board_set__in=sets))
    return analyses_make(open_tables().filter(fixture__board_set__in=sets))


def missing_make(before_seq: int | None) -> int | None:
    """Make missing rows of the next board sets, latest first.

    Return the ``closed_seq`` with which to continue; None at the end. Finds what no callback reported, such
    as a tournament that has become public.
    """
    sets = BoardSet.objects.filter(closed_seq__isnull=False).order_by("-closed_seq")
    if before_seq is not None:
        sets = sets.filter(closed_seq__lt=before_seq)
    rows = list(sets.values_list("pk", "closed_seq")[:SETS_AT_ONCE])
    if rows:
        sets_make_due([pk for pk, _ in rows])
    return rows[-1][1] if len(rows) == SETS_AT_ONCE else None


def _analyses_known() -> QuerySet[TableAnalysis]:
    """Return the rows of the current record of an outer ``Table``."""
    rows = TableAnalysis.objects.filter(table=OuterRef("pk"))
    return rows.annotate(record=HexOf("record_sha256")).filter(record=OuterRef("record_sha256"))


def stale_delete(rows: QuerySet[TableAnalysis]) -> int:
    """Delete rows of records that their tables no longer have, since a rerun deletes the record too."""
    return rows.exclude(table__record_sha256=HexOf("record_sha256")).delete()[0]


def analyses_request(tables: QuerySet[Table]) -> int:
    """Make these open tables due for the current solver, also after failures; return their number.

    Notes of earlier solvers stay until the new ones are ready.
    """
    rows = TableAnalysis.objects.filter(open_analyses(), table__in=tables, solver=SOLVER)
    failed = {"state": State.WAITING, "state_at": timezone.now(), "failures": 0, "retry_at": None}
    count = still_matching(rows, state=State.FAILED).update(**failed)
    known = _analyses_known().filter(solver=SOLVER)
    missing = open_tables().filter(~Exists(known), pk__in=tables.values("pk"))
    missing_rows = [
        TableAnalysis(
            table=table,
            record_sha256=table.record_sha256,
            solver=SOLVER,
            closed_seq=table.fixture.board_set.closed_seq or 0,
        )
        for table in missing.select_related("fixture__board_set")
    ]
    TableAnalysis.objects.bulk_create(missing_rows, ignore_conflicts=True)
    return count + len(missing_rows)
