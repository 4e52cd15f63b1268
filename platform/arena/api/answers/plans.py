"""Responses: the cost of tournaments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from rest_framework.request import Request

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.api.base.shapes import build_shape
from arena.common.errors import Forbidden
from arena.competition.cost import CostEstimate, cost_estimate
from arena.competition.drafts import require_valid_input
from arena.competition.models import Tournament
from arena.matches.clock_use import mean_cpu_for
from arena.matches.workers import capacity_alive


class StageCostOut(TypedDict):
    """Maximum cost of a stage."""

    number: int
    format: str
    entries: Annotated[int, "Number of entries."]
    rounds: Annotated[int | None, "Rounds of one pass; null: depends on results."]
    passes: Annotated[int, "Maximum repetitions of the schedule."]
    fixtures: int
    tables: int
    boards: Annotated[int, "A board counts once per table that plays it."]
    decisions: Annotated[int, "Decisions of all seats."]
    cpu_s_max: Annotated[float, "If every bot uses its whole clock."]
    cpu_s_expected: Annotated[float | None, "Estimated from measured tables of the preset."]


class PlanOut(TypedDict):
    """Maximum cost of a tournament, with all passes and without byes."""

    entries: Annotated[int, "Number of entries that the cost is computed for."]
    stages: list[StageCostOut]
    rounds: int | None
    fixtures: int
    tables: int
    boards: int
    decisions: int
    cpu_s_max: float
    cpu_s_expected: Annotated[float | None, "Null: no table of this preset has been measured."]
    capacity: Annotated[int | None, "Tables that can be played concurrently now; null: no worker is alive."]
    hours_max: Annotated[float | None, "If the workers play nothing else."]
    hours_expected: float | None
    budget_cpu_s: int | None
    notes: Annotated[list[str], "Advice before opening entry."]


def plan_out(plan: CostEstimate, _: Request) -> PlanOut:
    stages = [build_shape(StageCostOut, stage) for stage in plan.stages]
    return build_shape(PlanOut, plan, stages=stages)


def plan_compute(
    tournament_or_draft: Tournament | Mapping[str, Any], viewer: Viewer, entries: int | None = None
) -> CostEstimate:
    """Return the cost of a tournament, or of a draft given by its fields, on the live workers.

    Raises Invalid (the draft has an invalid field), Forbidden (``organiser_role_required``, for a draft).
    """
    if not isinstance(tournament_or_draft, Tournament) and not (
        isinstance(viewer, User) and (viewer.is_organiser or viewer.is_staff)
    ):
        raise Forbidden(
            "This account may not organise tournaments; ask the operator.",
            "organiser_role_required",
        )
    if not isinstance(tournament_or_draft, Tournament):
        require_valid_input(tournament_or_draft)
    return cost_estimate(
        tournament_or_draft,
        entries=entries,
        mean_cpu_ms=mean_cpu_for(tournament_or_draft),
        capacity=capacity_alive(),
    )
