"""Tables that wait because no living worker has the runtimes they need (DESIGN.md 14).

Waiting so costs no attempt. The reason stands at the table and goes when a worker comes that can run
it; ``TABLE_WAITING_HOURS`` bounds it like any other waiting.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db.models import Exists, OuterRef, QuerySet

from arena.competition.models import Tournament
from arena.competition.services import tournament_touch
from arena.matches.models import Table, TableSeat
from arena.matches.workers import UNAVAILABLE, Fleet

BATCH = 500
"""Tables named in one statement."""


def tables_waiting() -> QuerySet[Table]:
    """Tables of running tournaments that no worker has."""
    return Table.objects.filter(
        state=Table.State.WAITING,
        fixture__board_set__round__stage__tournament__state=Tournament.State.RUNNING,
    )


def beyond(runtimes: Collection[str]) -> Exists:
    """The condition that a table has a seat whose version needs another runtime than these."""
    seats = TableSeat.objects.filter(table=OuterRef("pk")).exclude(version__runtime__in=list(runtimes))
    return Exists(seats)


def runtimes_needed(table_ids: Iterable[int]) -> dict[int, frozenset[str]]:
    """The runtimes each of these tables needs, by table."""
    needed = defaultdict(set)
    ids = list(table_ids)
    for start in range(0, len(ids), BATCH):
        rows = TableSeat.objects.filter(table__in=ids[start : start + BATCH]).order_by()
        for table, runtime in rows.values_list("table", "version__runtime").distinct():
            needed[table].add(runtime)
    return {table: frozenset(names) for table, names in needed.items()}


def tables_wait_note(fleet: Fleet) -> None:
    """Write down at every waiting table of a running tournament whether the fleet lacks a runtime for it.

    A table that can be run again loses the reason and is due at once. Writes only what changed.
    """
    unserved = tables_waiting()
    for kind in fleet.kinds:
        unserved = unserved.filter(beyond(kind))
    stuck = dict(unserved.values_list("pk", "reason"))
    lacking = defaultdict(list)
    for table, needed in runtimes_needed(stuck).items():
        reason = fleet.refusal(needed)
        if stuck[table] != reason:
            lacking[reason].append(table)
    noted = tables_waiting().filter(reason__startswith=UNAVAILABLE)
    freed = [pk for pk in noted.values_list("pk", flat=True) if pk not in stuck]
    for reason, tables in lacking.items():
        _note(tables, reason)
    _note(freed, "")


def _note(table_ids: list[int], reason: str) -> None:
    """Give waiting tables a reason and let those who follow their tournaments look again."""
    for start in range(0, len(table_ids), BATCH):
        tables = Table.objects.filter(pk__in=table_ids[start : start + BATCH], state=Table.State.WAITING)
        if not reason:
            # One that was taken and came back meanwhile keeps what it says now.
            tables = tables.filter(reason__startswith=UNAVAILABLE)
        tables.update(reason=reason, published_at=None)
        for tournament in Tournament.objects.filter(
            stages__rounds__board_set__fixtures__tables__in=table_ids[start : start + BATCH]
        ).distinct():
            tournament_touch(tournament)
