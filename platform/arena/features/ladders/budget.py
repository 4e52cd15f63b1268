"""CPU budget of a ladder: measured cost of boards, and the fixtures that the rest of the day allows."""

from __future__ import annotations

import datetime
from typing import NamedTuple

from django.db.models import F, Sum

from arena.competition.drafts import validate_draft
from arena.competition.rules import cpu_ms_per_seat
from arena.features.ladders.installing import ruleset_of
from arena.features.ladders.models import Ladder, LadderRound
from arena.matches.models import Fixture, TableSeat
from arena.matches.selectors import mean_cpu_ms_per_board

DAY = datetime.timedelta(days=1)
MEASURED_ROUNDS = 30
"""Last rounds of a ladder from which the cost of a board is measured."""


class LadderTable(NamedTuple):
    sides: int
    rotations: int
    max_cpu_ms: float


def ladder_table(ladder: Ladder) -> LadderTable:
    planned = validate_draft(
        {
            "name": ladder.name,
            "preset": ladder.preset,
            "ruleset": ruleset_of(ladder),
            "board_kind": ladder.board_kind,
        }
    )
    clock, sides = planned.columns["clock"], planned.rules.sides
    seats = sum(len(side) for side in sides)
    return LadderTable(len(sides), len(sides), float(seats * cpu_ms_per_seat(planned.rules, clock)))


def fixtures_affordable(ladder: Ladder, table: LadderTable, now: datetime.datetime) -> int:
    """Return the number of fixtures that the rest of the day's budget covers. Four queries."""
    left_ms = 1000 * ladder.cpu_s_per_day - cpu_ms_spent(ladder, now)
    board_ms = board_cpu_ms(ladder, table)
    return max(0, int(left_ms / (board_ms * ladder.boards * table.rotations)))


def cpu_ms_spent(ladder: Ladder, now: datetime.datetime) -> int:
    """Return the CPU time of all rounds drawn within the last 24 hours. One query."""
    lately = ladder.rounds.filter(drawn_at__gt=now - DAY)
    return int(lately.aggregate(sum=Sum("tournament__cpu_ms_spent"))["sum"] or 0)


def board_cpu_ms(ladder: Ladder, table: LadderTable) -> float:
    """Return CPU ms of all seats on a board: measured on the ladder, else on its preset, else the limit."""
    rounds = ladder.rounds.filter(state=LadderRound.State.COUNTED).order_by("-pk")
    spent = dict(rounds.values_list("tournament", "tournament__cpu_ms_spent")[:MEASURED_ROUNDS])
    fixtures = Fixture.objects.filter(tournament__in=list(spent)).count()
    measured: float | None = None
    if fixtures and sum(spent.values()):
        measured = sum(spent.values()) / (fixtures * ladder.boards * table.rotations)
    if measured is None:
        measured = mean_cpu_ms_per_board(ladder.game, ladder.preset, ladder.board_kind)
    return max(1.0, table.max_cpu_ms if measured is None else measured)


def cpu_ms_by_version(ladder: Ladder) -> dict[str, float]:
    """Return CPU ms per seat and board, at least 1, by public id of recently played versions. Two queries."""
    rounds = ladder.rounds.filter(state=LadderRound.State.COUNTED).order_by("-pk")
    lately = list(rounds.values_list("tournament", flat=True)[:MEASURED_ROUNDS])
    rows = (
        TableSeat.objects.filter(table__tournament__in=lately)
        .order_by()
        .values_list("version__public_id")
        .annotate(cpu=Sum("cpu_ms"), boards=Sum(F("table__board_count")))
    )
    return {version: max(1.0, cpu / boards) for version, cpu, boards in rows if boards}
