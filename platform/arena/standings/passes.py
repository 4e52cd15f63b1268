"""Decides whether the schedule of a stage is repeated: until neighbours separate or the budget ends."""

from __future__ import annotations

from django.db.models import Sum

from arena.common.notes import Note
from arena.competition.models import Stage
from arena.matches.models import TableSeat
from arena.standings.stages import Rounds, StageField, compute_standings, stage_board_scores
from league.separation import unseparated

Ended = Stage.Ended


def end_of_passes(stage: Stage, field: StageField, rounds: Rounds, length: int) -> Note:
    """Return why no further pass follows, with a code of ``Stage.Ended``; empty if one follows."""
    tournament = stage.tournament
    done = len(rounds) // length
    names = [row.entry for row in compute_standings(stage, field, rounds) if row.entry not in field.left]
    level = unseparated(names, stage_board_scores(stage))
    if not level:
        return {"code": Ended.SEPARATED, "passes": done}
    numbers = {"passes": done, "level": len(level), "pairs": len(names) - 1}
    if done >= tournament.max_passes:
        return {"code": Ended.PASSES, **numbers}
    if tournament.budget_cpu_s is not None:
        left_ms = 1000 * tournament.budget_cpu_s - tournament.cpu_ms_spent
        mean_ms = pass_cost_ms(stage, done)
        if mean_ms > left_ms:
            costs = {"left": round(max(0, left_ms) / 1000), "cost": round(mean_ms / 1000)}
            return {"code": Ended.BUDGET, "budget": tournament.budget_cpu_s, **costs, **numbers}
    return {}


def pass_cost_ms(stage: Stage, passes: int) -> float:
    seats = TableSeat.objects.filter(table__fixture__board_set__round__stage=stage)
    return (seats.aggregate(spent=Sum("cpu_ms"))["spent"] or 0) / max(1, passes)
