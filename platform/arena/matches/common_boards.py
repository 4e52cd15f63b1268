"""Keep tables with common boards and common holders from being in play at once on one kernel.

Two tables conflict if they play a common board of a board set and share an entry, a version, or an owner
other than the house: their bots see different hands of the same deal. Containers of a machine share its
kernel, which has more counters and durations than a sandbox can hide. A table is in play from its claim to
the end of its lease, or if that was revoked, until its worker is known to have stopped.

Source: docs/decisions/0012-tables-of-common-boards.md.
"""

from __future__ import annotations

import datetime
import hashlib
import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from django.db import connection, transaction
from django.utils import timezone

from arena.common.causes import WaitingFor
from arena.common.metrics import count, observe
from arena.common.notes import Note
from arena.matches.models import LostLease, Table
from arena.matches.table_plans import TablePlan, table_plans
from arena.matches.waits import tables_waiting
from arena.matches.workers import workers_alive
from referee.contract import machine_delay_limit_s


def boards_lock(kernel: str, board_set: int) -> None:
    """Serialise claims of tables of one board set for one kernel, inside a transaction.

    Claims of other events are not blocked, and the lock cannot be part of a deadlock.
    """
    assert connection.in_atomic_block
    if connection.vendor != "postgresql":
        return
    digest = hashlib.sha256(f"rensho-boards/1|{kernel}|{board_set}".encode()).digest()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [int.from_bytes(digest[:8], signed=True)])


def boards_admitted(table_id: int, plan: TablePlan, kernel: str, waiting_for: str, note: Note) -> bool:
    """Return whether no table in play on the kernel conflicts with this table; otherwise mark it as waiting.

    Call it inside the transaction of the claim. Two queries, and one for tables of which this process does
    not know the plan; none if the kernel is not known.
    """
    if not kernel:
        return True
    boards_lock(kernel, plan.board_set)
    leased = Table.objects.filter(
        fixture__board_set=plan.board_set, state=Table.State.LEASED, kernel=kernel
    ).exclude(pk=table_id)
    # Includes the table itself if an earlier attempt may still be in play on this kernel.
    lost_leases = LostLease.objects.filter(
        kernel=kernel, until__gt=timezone.now(), table__fixture__board_set=plan.board_set
    )
    rows = leased.order_by().values_list("pk", "public_id")
    in_play = dict(rows.union(lost_leases.values_list("table", "table__public_id")))
    plans = table_plans(in_play)
    conflicting = [other for other in in_play if plan.conflicts(plans[other])]
    if not conflicting:
        return True
    is_known = waiting_for == WaitingFor.BOARDS
    since = note.get("since") if is_known else None
    waits = Table.objects.filter(pk=table_id, state=Table.State.WAITING).update(
        waiting_for=WaitingFor.BOARDS, note=_wait_note(in_play[min(conflicting)], since), published_at=None
    )
    if waits and not is_known:
        transaction.on_commit(lambda: count("board_waits"))
    return False


def _wait_note(blocking: str, since: str | None) -> Note:
    """Return the note of a table that waits for another one, by public id, since a time in ISO format."""
    return {"code": "table_in_play", "table": blocking, "since": since or timezone.now().isoformat()}


def blocking_table(table: Table) -> str | None:
    """Return the public id of the table for whose end a waiting table waits."""
    is_blocked = table.state == Table.State.WAITING and table.waiting_for == WaitingFor.BOARDS
    return table.note.get("table") if is_blocked else None


def board_wait_observe(note: Note) -> None:
    """Observe how long a table waited, from the note that it had."""
    if "since" in note:
        waited = timezone.now() - datetime.datetime.fromisoformat(note["since"])
        observe("board_wait_seconds", waited.total_seconds())


def tables_wait_for_boards(table_ids: Collection[int]) -> bool:
    return Table.objects.filter(
        pk__in=table_ids, state=Table.State.WAITING, waiting_for=WaitingFor.BOARDS
    ).exists()


class KernelCapacity(NamedTuple):
    runtimes: frozenset[frozenset[str]]
    """One set of runtimes for each kind of worker."""
    free: int
    """Tables that they could take now; negative if they hold more than they announce."""


def _kernel_capacities() -> dict[str, KernelCapacity]:
    kinds: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
    free: Counter[str] = Counter()
    working = workers_alive().filter(cause="").exclude(runtimes={})
    for kernel, runtimes, capacity in working.values_list("kernel", "runtimes", "capacity"):
        kinds[kernel].add(frozenset(runtimes))
        free[kernel] += capacity
    leased = Table.objects.order_by().filter(state=Table.State.LEASED)
    free.subtract(leased.values_list("kernel", flat=True))
    return {kernel: KernelCapacity(frozenset(kinds[kernel]), free[kernel]) for kernel in kinds}


def _tables_in_play() -> Iterator[tuple[str, int, str]]:
    """Yield kernel, key and public id of each table in play. Two queries."""
    leased = Table.objects.order_by().filter(state=Table.State.LEASED).exclude(kernel="")
    yield from leased.values_list("kernel", "pk", "public_id")
    lost_leases = LostLease.objects.filter(until__gt=timezone.now())
    yield from lost_leases.values_list("kernel", "table", "table__public_id")


def board_waits_end() -> dict[str, list[int]]:
    """Release waiting tables whose conflicts are over.

    Tables that every capable kernel may play become due again. One that only some may play is assigned to one
    of them with a free place; these are returned by kernel, marked as published. One query if no table waits;
    else up to six, and one for each released table.
    """
    waits = tables_waiting().filter(waiting_for=WaitingFor.BOARDS)
    in_turn = waits.order_by("tournament", "first_board", "rotation", "pk")
    rows = list(in_turn.values_list("pk", "public_id", "runtimes__names", "note"))
    if not rows:
        return {}
    public_ids = {pk: public_id for pk, public_id, *_ in rows}
    waiting = {pk: names for pk, _, names, _ in rows}
    notes = {pk: note for pk, *_, note in rows}
    in_play: defaultdict[str, set[int]] = defaultdict(set)
    for kernel, table, public_id in _tables_in_play():
        in_play[kernel].add(table)
        public_ids[table] = public_id
    plans = table_plans(public_ids)
    places = _kernel_capacities()
    free = {kernel: capacity.free for kernel, capacity in places.items()}
    due: list[int] = []
    targeted: defaultdict[str, list[int]] = defaultdict(list)
    for table, names in waiting.items():
        able = _capable_kernels(places, names)
        begins = [k for k in able if not _is_barred(plans[table], in_play[k], plans)]
        if able and len(begins) == len(able):
            due.append(table)
            continue
        chosen = max(begins, key=lambda kernel: (free[kernel], kernel), default=None)
        if chosen is not None and free[chosen] > 0:
            free[chosen] -= 1
            in_play[chosen].add(table)
            targeted[chosen].append(table)
    now = timezone.now()
    ended: dict[str | None, list[int]] = {None: _waits_end(due, published_at=None)}
    for kernel, tables in targeted.items():
        ended[kernel] = _waits_end(tables, published_at=now)
    for table in itertools.chain(*ended.values()):
        board_wait_observe(notes[table])
    return {kernel: ids for kernel, ids in ended.items() if kernel is not None and ids}


def _capable_kernels(places: Mapping[str, KernelCapacity], names: Iterable[str]) -> list[str]:
    needed = frozenset(names)
    return [
        kernel for kernel, capacity in places.items() if any(needed <= kind for kind in capacity.runtimes)
    ]


def _is_barred(plan: TablePlan, tables: Iterable[int], plans: Mapping[int, TablePlan]) -> bool:
    return any(other in plans and plan.conflicts(plans[other]) for other in tables)


def _waits_end(table_ids: Collection[int], *, published_at: datetime.datetime | None) -> list[int]:
    ended = []
    for table in table_ids:
        row = Table.objects.filter(pk=table, state=Table.State.WAITING, waiting_for=WaitingFor.BOARDS)
        if row.update(waiting_for="", note={}, published_at=published_at):
            ended.append(table)
    return ended


def lost_leases_record(tables: Iterable[Table]) -> None:
    """Record the leased ones of these tables just before their leases are revoked.

    Call it inside the revoking transaction. Such a table counts as in play until its worker reports that it
    stopped, at most for its wall limit and holdup limit. One statement.
    """
    now = timezone.now()
    LostLease.objects.bulk_create(
        LostLease(
            table=table,
            fence=table.fence,
            worker=table.worker,
            kernel=table.kernel,
            until=now
            + datetime.timedelta(seconds=table.wall_limit_s + machine_delay_limit_s(table.wall_limit_s)),
        )
        for table in tables
        if table.state == Table.State.LEASED and table.kernel
    )


def lost_lease_end(fence: str) -> bool:
    """Record that the worker of a revoked lease stopped. False if no such lease exists."""
    return bool(LostLease.objects.filter(fence=fence).delete()[0])


def lost_leases_sweep() -> None:
    """Delete expired revoked leases. One query if there are none."""
    LostLease.objects.filter(until__lte=timezone.now()).delete()
