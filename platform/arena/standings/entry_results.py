"""Results of entries in tournaments that are over: place, best board, faults."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import NamedTuple

from django.db.models import Count

from arena.accounts.models import User
from arena.competition.entries.counts import entry_counts
from arena.competition.models import Entry
from arena.matches.models import BoardSet, TableSeat
from arena.standings.board_values import parse_values
from arena.standings.models import FixtureScore
from arena.standings.selectors import last_ranks

ROWS_AT_ONCE = 5000


class BestBoard(NamedTuple):
    board_set: str
    board: int
    score: Fraction
    """Largest board score of the entry, in stones; of equal ones the latest."""


class EntryResult(NamedTuple):
    entry: int
    place: int | None
    """Rank in the last stage with standings of the entry; None without standings."""
    field: int
    """Number of entries, including those that left."""
    best: BestBoard | None
    """None if it played no board."""
    faulty_tables: int
    """Tables at which a bot of the account had a fault."""


def entry_results(entries: Collection[Entry], user: User) -> list[EntryResult]:
    """Return the results of an account's entries in their order. Four queries, or none without entries.

    Only boards of closed sets count.
    """
    if not entries:
        return []
    keys = [entry.pk for entry in entries]
    ranks, best, faults = last_ranks(keys), best_boards(keys), _faulty_tables(keys, user)
    counts = entry_counts({entry.tournament for entry in entries})
    return [
        EntryResult(
            entry.pk,
            ranks.get(entry.pk),
            counts[entry.tournament_id].in_field,
            best.get(entry.pk),
            faults.get(entry.pk, 0),
        )
        for entry in entries
    ]


def best_boards(entries: Collection[int]) -> dict[int, BestBoard]:
    """Return the best board of each entry (by key) in closed sets; entries without are missing. One query."""
    rows = FixtureScore.objects.filter(entry__in=entries, fixture__board_set__state=BoardSet.State.CLOSED)
    columns = rows.order_by("pk").values_list("entry", "fixture__board_set__public_id", "board_values")
    best: dict[int, BestBoard] = {}
    for entry, board_set, text in columns.iterator(ROWS_AT_ONCE):
        for board, value in parse_values(text).items():
            if entry not in best or value >= best[entry].score:
                best[entry] = BestBoard(board_set, board, value)
    return best


def _faulty_tables(entries: Collection[int], user: User) -> dict[int, int]:
    seats = TableSeat.objects.filter(
        entry__in=entries,
        version__bot__owner__user=user,
        table__fixture__board_set__state=BoardSet.State.CLOSED,
    ).exclude(faults=[])
    counted = seats.order_by().values("entry").annotate(tables=Count("table", distinct=True))
    return dict(counted.values_list("entry", "tables"))
