"""A version's conduct at its latest tables on closed boards: faults, forfeits and CPU time."""

from __future__ import annotations

from typing import NamedTuple

from arena.accounts.selectors import Viewer
from arena.competition.models import Tournament
from arena.competition.selectors import tournaments_visible_to
from arena.matches.models import BoardSet, TableSeat
from arena.roster.models import BotVersion

MAX_SEATS = 200
OK_VERDICT = "OK"


class SeatConduct(NamedTuple):
    table: int
    verdict: str
    forfeited: bool
    cpu_ms: int
    granted_ms: int
    """CPU ms granted by the event's clock at this table: the bank, and the increments of its decisions."""


def latest_conduct(version: BotVersion, viewer: Viewer, at_most: int = MAX_SEATS) -> list[SeatConduct]:
    """Return the version's seats at finished visible tables of closed boards, latest first. Two queries."""
    rows = TableSeat.objects.filter(
        version=version,
        table__state="finished",
        table__fixture__board_set__state=BoardSet.State.CLOSED,
        table__tournament__in=tournaments_visible_to(viewer).order_by(),
    ).order_by("-table_id", "seat")
    columns = (
        *("table", "verdict", "forfeited", "cpu_ms", "decisions"),
        *("table__board_count", "table__fixture__board_set__kind", "table__tournament"),
    )
    seats = list(rows.values_list(*columns)[:at_most])
    events = Tournament.objects.filter(pk__in={row[-1] for row in seats})
    clocks = dict(events.order_by().values_list("pk", "clock"))
    return [
        SeatConduct(
            table,
            verdict,
            forfeited,
            cpu_ms,
            boards * clocks[event][f"bank_cpu_ms_per_{kind}_board"]
            + decisions * clocks[event]["increment_cpu_ms"],
        )
        for table, verdict, forfeited, cpu_ms, decisions, boards, kind, event in seats
    ]
