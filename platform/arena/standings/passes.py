"""Whether the schedule of a stage is played once more: until neighbours separate or the budget ends."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Sum

from arena.competition.models import Stage
from arena.matches.models import TableSeat
from arena.standings.stages import Field, Rounds, boards_of, table_of
from league.separation import unseparated

Ended = Stage.Ended


class Verdict(NamedTuple):
    """Whether another pass is played, and why."""

    end_code: str
    """Why not, of ``Stage.Ended``; empty if another is played."""
    reason: str


def pass_decide(stage: Stage, field: Field, rounds: Rounds, length: int) -> Verdict:
    """What follows the pass just finished; ``rounds`` are all of the stage, ``length`` those of a pass."""
    tournament = stage.tournament
    done = len(rounds) // length
    passes = f"{done} pass{'es' if done > 1 else ''}"
    names = [row.entry for row in table_of(stage, field, rounds) if row.entry not in field.left]
    level = unseparated(names, boards_of(stage))
    if not level:
        return Verdict(Ended.SEPARATED, f"after {passes} all neighbours of the table are separated")
    some = f"{len(level)} of {len(names) - 1} pairs of neighbours not separated"
    if done >= tournament.most_passes:
        return Verdict(Ended.PASSES, f"{passes} played, the most there may be; {some}")
    if tournament.budget_cpu_s is not None:
        left_ms = 1000 * tournament.budget_cpu_s - tournament.cpu_ms_spent
        mean_ms = pass_cost_ms(stage, done)
        if mean_ms > left_ms:
            return Verdict(
                Ended.BUDGET,
                f"budget_spent: after {passes} {max(0, left_ms) / 1000:.0f} of {tournament.budget_cpu_s} "
                f"CPU-seconds remain, a pass takes {mean_ms / 1000:.0f}; {some}",
            )
    return Verdict("", f"after {passes} {some}")


def pass_cost_ms(stage: Stage, passes: int) -> float:
    """CPU milliseconds a pass of the stage took on the average, all seats together. One query."""
    seats = TableSeat.objects.filter(table__fixture__board_set__round__stage=stage)
    return (seats.aggregate(spent=Sum("cpu_ms"))["spent"] or 0) / max(1, passes)
