"""The deal of the day: a closed board, the same for all visitors during a day."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime, time
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef, Prefetch

from arena.competition.models import Tournament
from arena.competition.selectors import PUBLIC_STATES
from arena.matches.models import BoardSet, Fixture, Table, TableSeat

MAX_SETS = 50
"""Number of latest closed board sets from which the day's set is chosen."""
MAX_FIXTURES = 8
MAX_TABLES = 12


class DailyBoard(NamedTuple):
    board_set: BoardSet
    number: int
    tables: list[Table]


def daily_board(day: date) -> DailyBoard | None:
    """Return the deal board of a day (UTC), from a public event and closed before the day began.

    If none was closed by then, it is from the set that closed first. At most four queries.
    """
    chosen = hashlib.sha256(day.isoformat().encode()).digest()
    played = Fixture.objects.filter(
        board_set=OuterRef("pk"), state__in=(Fixture.State.SETTLED, Fixture.State.FORFEITED)
    )
    closed = BoardSet.objects.filter(
        state=BoardSet.State.CLOSED,
        kind="deal",
        event_seq__isnull=False,
        round__stage__tournament__visibility=Tournament.Visibility.PUBLIC,
        round__stage__tournament__state__in=PUBLIC_STATES,
    ).filter(Exists(played))
    start = datetime.combine(day, time(), UTC)
    candidates = closed.select_related("round__stage__tournament")
    before = candidates.filter(closed_at__lt=start).order_by("-event_seq")
    sets = list(before[:MAX_SETS]) or list(candidates.order_by("event_seq")[:1])
    if not sets:
        return None
    board_set = sets[int.from_bytes(chosen[:8]) % len(sets)]
    number = 1 + int.from_bytes(chosen[8:16]) % board_set.boards
    return DailyBoard(board_set, number, _tables(board_set, number))


def _tables(board_set: BoardSet, number: int) -> list[Table]:
    seats = TableSeat.objects.select_related("version__bot").order_by("table_id", "seat")
    rows = Table.objects.filter(
        fixture__board_set=board_set,
        fixture__number__lte=MAX_FIXTURES,
        state=Table.State.FINISHED,
        first_board__lte=number,
        first_board__gt=number - F("board_count"),
    )
    return list(
        rows.prefetch_related(Prefetch("seats", seats)).order_by("fixture__number", "rotation")[:MAX_TABLES]
    )
