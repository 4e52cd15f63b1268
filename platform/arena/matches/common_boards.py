"""Tables that must not be in play at once on one kernel: those that could carry a hand from one to the other.

Two tables that play a common board of one board set and share an entry, a version, or an owner other than
the house have bots that want the same thing and see different hands of one deal. A kernel, which all
containers of a machine share, has more counters and durations than any sandbox can hide; so such tables
follow one another, or are played on different machines. A table is in play from its claim to the end of its
lease; one whose lease was taken away, until its worker is known to have stopped.

Source: docs/decisions/0012-tables-of-common-boards.md.
"""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from django.db import connection
from django.utils import timezone

from arena.accounts.house import is_house_account
from arena.common.causes import WaitingFor
from arena.matches.models import LostLease, Table, TableSeat
from arena.matches.waits import tables_waiting
from arena.matches.workers import workers_alive
from referee.contract import held_up_limit_s

Holder = tuple[str, int]
"""An entry, a version or an owner, with what it is."""


class ConflictProfile(NamedTuple):
    """What of a table decides which others it may be in play with."""

    board_set: int
    first_board: int
    end_board: int
    """After the last one."""
    holders: frozenset[Holder]

    def conflicts(self, other: ConflictProfile) -> bool:
        """Whether both play a common board and share an entry, a version, or an owner that is a person."""
        return (
            self.board_set == other.board_set
            and self.first_board < other.end_board
            and other.first_board < self.end_board
            and not self.holders.isdisjoint(other.holders)
        )


def conflict_profiles(table_ids: Collection[int]) -> dict[int, ConflictProfile]:
    """The seatings of tables by primary key. One query."""
    rows = TableSeat.objects.filter(table__in=table_ids).order_by()
    boards: dict[int, tuple[int, int, int]] = {}
    holders: defaultdict[int, set[Holder]] = defaultdict(set)
    for table, board_set, first, count, entry, version, owner, username in rows.values_list(
        "table",
        "table__fixture__board_set",
        "table__first_board",
        "table__board_count",
        "entry",
        "version",
        "version__bot__owner",
        "version__bot__owner__user__username",
    ):
        boards[table] = (board_set, first, first + count)
        holders[table] |= {("entry", entry), ("version", version)}
        if not is_house_account(username):
            holders[table].add(("owner", owner))
    return {table: ConflictProfile(*boards[table], frozenset(holders[table])) for table in boards}


def boards_lock(kernel: str, board_set: int) -> None:
    """Let claims for one kernel of tables of one board set go one after the other. Inside a transaction.

    Nothing else takes this lock, and a claim waits for no tournament while it has it: so claims of other
    events go on beside it, and it cannot be part of a deadlock. On SQLite a transaction is alone anyway.
    """
    assert connection.in_atomic_block
    if connection.vendor != "postgresql":
        return
    digest = hashlib.sha256(f"rensho-boards/1|{kernel}|{board_set}".encode()).digest()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [int.from_bytes(digest[:8], signed=True)])


def boards_admitted(table_id: int, kernel: str) -> bool:
    """Whether a table may be begun on a kernel as far as others in play there go; if not, it waits for them.

    Inside the transaction that is to lease it: until that ends, others that ask about the same board set
    wait. Five queries at most; none if the kernel is not known.
    """
    if not kernel:
        return True
    board_set = Table.objects.filter(pk=table_id).values_list("fixture__board_set", flat=True).first()
    if board_set is None:
        return True
    boards_lock(kernel, board_set)
    of_set = Table.objects.filter(fixture__board_set=board_set)
    leased = of_set.filter(state=Table.State.LEASED, kernel=kernel).exclude(pk=table_id)
    in_play = [*leased.order_by().values_list("pk", flat=True)]
    # The table itself is among them if an earlier attempt at it may still be in play here.
    lost_leases = LostLease.objects.filter(
        kernel=kernel, until__gt=timezone.now(), table__fixture__board_set=board_set
    )
    in_play += lost_leases.values_list("table", flat=True)
    if not in_play:
        return True
    seatings = conflict_profiles({table_id, *in_play})
    if not any(seatings[table_id].conflicts(seatings[other]) for other in in_play):
        return True
    Table.objects.filter(pk=table_id, state=Table.State.WAITING).update(
        waiting_for=WaitingFor.BOARDS, note={"code": "boards_in_play"}, published_at=None
    )
    return False


def tables_wait_for_boards(table_ids: Collection[int]) -> bool:
    """Whether one of these tables was refused because of others in play. One query."""
    return Table.objects.filter(
        pk__in=table_ids, state=Table.State.WAITING, waiting_for=WaitingFor.BOARDS
    ).exists()


class KernelCapacity(NamedTuple):
    """What the living workers of one kernel can play."""

    runtimes: frozenset[frozenset[str]]
    """One set for each kind of worker."""
    free: int
    """Tables they could take now; negative if they hold more than they announce."""


def _kernel_capacities() -> dict[str, KernelCapacity]:
    """By kernel; only workers in order count. Two queries."""
    kinds: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
    free: Counter[str] = Counter()
    working = workers_alive().filter(cause="").exclude(runtimes={})
    for kernel, runtimes, capacity in working.values_list("kernel", "runtimes", "capacity"):
        kinds[kernel].add(frozenset(runtimes))
        free[kernel] += capacity
    leased = Table.objects.order_by().filter(state=Table.State.LEASED)
    free.subtract(leased.values_list("kernel", flat=True))
    return {kernel: KernelCapacity(frozenset(kinds[kernel]), free[kernel]) for kernel in kinds}


def _tables_in_play() -> Iterator[tuple[str, int]]:
    """Kernel and table of every table in play on a known kernel. Two queries."""
    leased = Table.objects.order_by().filter(state=Table.State.LEASED).exclude(kernel="")
    yield from leased.values_list("kernel", "pk")
    yield from LostLease.objects.filter(until__gt=timezone.now()).values_list("kernel", "table")


def board_waits_end() -> dict[str, list[int]]:
    """End the waiting of tables for others, where it is over.

    Those that every living worker may begin are due again. Those that only some machines may begin, because
    on the rest the others are still in play, are to be sent to one that has a place free: these are returned,
    by kernel and in turn, marked as published. One query if no table waits so; else six, and one for each
    whose waiting ends.
    """
    waits = tables_waiting().filter(waiting_for=WaitingFor.BOARDS)
    in_turn = waits.order_by("tournament", "first_board", "rotation", "pk")
    waiting = dict(in_turn.values_list("pk", "runtimes__names"))
    if not waiting:
        return {}
    in_play: defaultdict[str, set[int]] = defaultdict(set)
    for kernel, table in _tables_in_play():
        in_play[kernel].add(table)
    seatings = conflict_profiles({*waiting, *(table for tables in in_play.values() for table in tables)})
    places = _kernel_capacities()
    free = {kernel: capacity.free for kernel, capacity in places.items()}
    due: list[int] = []
    targeted: defaultdict[str, list[int]] = defaultdict(list)
    for table, names in waiting.items():
        able = _capable_kernels(places, names)
        begins = [k for k in able if not _is_barred(seatings[table], in_play[k], seatings)]
        if able and len(begins) == len(able):
            due.append(table)
            continue
        chosen = max(begins, key=lambda kernel: (free[kernel], kernel), default=None)
        if chosen is not None and free[chosen] > 0:
            free[chosen] -= 1
            in_play[chosen].add(table)
            targeted[chosen].append(table)
    _waits_end(due, published_at=None)
    now = timezone.now()
    return {
        kernel: ids for kernel, tables in targeted.items() if (ids := _waits_end(tables, published_at=now))
    }


def _capable_kernels(places: Mapping[str, KernelCapacity], names: Iterable[str]) -> list[str]:
    """Kernels with a worker that has all these runtimes."""
    needed = frozenset(names)
    return [
        kernel for kernel, capacity in places.items() if any(needed <= kind for kind in capacity.runtimes)
    ]


def _is_barred(
    seating: ConflictProfile, tables: Iterable[int], seatings: Mapping[int, ConflictProfile]
) -> bool:
    return any(other in seatings and seating.conflicts(seatings[other]) for other in tables)


def _waits_end(table_ids: Collection[int], *, published_at: datetime.datetime | None) -> list[int]:
    """Those that did wait and do no longer, in this order."""
    ended = []
    for table in table_ids:
        row = Table.objects.filter(pk=table, state=Table.State.WAITING, waiting_for=WaitingFor.BOARDS)
        if row.update(waiting_for="", note={}, published_at=published_at):
            ended.append(table)
    return ended


def lost_leases_record(tables: Iterable[Table]) -> None:
    """Note which of the tables are leased, just before their workers lose the leases without noticing.

    Inside the transaction that does it, which has their rows locked. Until a worker says that it stopped, its
    table counts as in play: for as long as it may last, at most. One statement, if there is any.
    """
    now = timezone.now()
    LostLease.objects.bulk_create(
        LostLease(
            table=table,
            fence=table.fence,
            worker=table.worker,
            kernel=table.kernel,
            until=now + datetime.timedelta(seconds=table.wall_limit_s + held_up_limit_s(table.wall_limit_s)),
        )
        for table in tables
        if table.state == Table.State.LEASED and table.kernel
    )


def lost_lease_end(fence: str) -> bool:
    """The worker that had this lease plays no more; whether others may have waited for that. One query."""
    return bool(LostLease.objects.filter(fence=fence).delete()[0])


def lost_leases_sweep() -> None:
    """Remove those whose time is over. One query if there is none."""
    LostLease.objects.filter(until__lte=timezone.now()).delete()
