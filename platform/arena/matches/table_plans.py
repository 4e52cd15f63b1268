"""Seats, boards and rules of tables, which never change, in a bounded cache of the process.

Claims read them outside of their locks. The cache is filled for several tables of a board set at once, in the
order in which they are played.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from arena.accounts.house import is_house_account
from arena.common.process_cache import CacheKey, ProcessCache
from arena.matches.models import BoardSet, Table, TableSeat
from referee.contract import SeatOrder

MAX_PLANS = 1024
MAX_BOARD_SETS = 64
PREFETCHED_TABLES = 64
"""Tables of a board set that are read together."""
Holder = tuple[str, int]


class TablePlan(NamedTuple):
    """The boards of a table, and who plays them."""

    board_set: int
    first_board: int
    end_board: int
    holders: frozenset[Holder]
    """Entries, versions and non-house owners."""
    seats: tuple[SeatOrder, ...]
    """By seat, without the artefacts of their runtimes."""

    def conflicts(self, other: TablePlan) -> bool:
        """Return whether both play a common board and share an entry, a version, or a non-house owner."""
        return (
            self.board_set == other.board_set
            and self.first_board < other.end_board
            and other.first_board < self.end_board
            and not self.holders.isdisjoint(other.holders)
        )


_plans = ProcessCache(max_entries=MAX_PLANS)
_board_sets = ProcessCache(max_entries=MAX_BOARD_SETS)


def table_plans(public_ids: Mapping[int, str]) -> dict[int, TablePlan]:
    """Return the plans of these tables, given with their public ids. At most one query."""
    plans: dict[int, TablePlan] = {}
    missing: list[int] = []
    for pk, public_id in public_ids.items():
        if (plan := _known(public_id)) is not None:
            plans[pk] = plan
        else:
            missing.append(pk)
    if missing:
        plans |= {pk: plan for pk, plan in _read(missing).items() if pk in public_ids}
    return plans


def table_plan(pk: int, public_id: str, board_set: int) -> TablePlan:
    """Return the plan of a waiting table; if it is not known, read those of the next tables with it."""
    if (plan := _known(public_id)) is not None:
        return plan
    waiting = Table.objects.filter(fixture__board_set=board_set, state=Table.State.WAITING)
    in_turn = waiting.order_by("first_board", "rotation", "pk").values_list("pk", flat=True)
    return _read([pk, *in_turn[:PREFETCHED_TABLES]])[pk]


def board_set_of(pk: int, tournament_public_id: str) -> BoardSet:
    """Return a board set with its round, stage and tournament, of which only what is fixed may be used."""
    # Rows of transactions that were rolled back may have had the same key, but not the same public id.
    key = CacheKey(pk, tournament_public_id)
    if (known := _board_sets.get(key)) is not None:
        assert isinstance(known, BoardSet)
        return known
    board_set = BoardSet.objects.select_related("round__stage__tournament").get(pk=pk)
    _board_sets.put(key, board_set, 1)
    return board_set


def _known(public_id: str) -> TablePlan | None:
    plan = _plans.get(CacheKey(public_id, None))
    assert plan is None or isinstance(plan, TablePlan)
    return plan


def _read(table_ids: list[int]) -> dict[int, TablePlan]:
    rows = TableSeat.objects.filter(table__in=table_ids).order_by("table", "seat")
    boards: dict[int, tuple[str, int, int, int]] = {}
    holders: defaultdict[int, set[Holder]] = defaultdict(set)
    seats: defaultdict[int, list[SeatOrder]] = defaultdict(list)
    for row in rows.values_list(
        "table",
        "table__public_id",
        "table__fixture__board_set",
        "table__first_board",
        "table__board_count",
        "entry",
        "version",
        "version__bot__owner",
        "version__bot__owner__user__username",
        "seat",
        "version__bundle_sha256",
        "version__runtime",
        "version__entry_point",
    ):
        table, public_id, board_set, first, size, entry, version, owner, username = row[:9]
        boards[table] = (public_id, board_set, first, first + size)
        holders[table] |= {("entry", entry), ("version", version)}
        if not is_house_account(username):
            holders[table].add(("owner", owner))
        seats[table].append(SeatOrder(*row[9:]))
    plans: dict[int, TablePlan] = {}
    for table, (public_id, board_set, first, end) in boards.items():
        plan = TablePlan(board_set, first, end, frozenset(holders[table]), tuple(seats[table]))
        plans[table] = plan
        _plans.put(CacheKey(public_id, None), plan, 1)
    return plans
