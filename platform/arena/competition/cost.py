"""Estimate what a tournament takes: maximum values by formats and clock, expected ones by measurements."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from arena.common.declarations import invalid_field
from arena.common.errors import Conflict
from arena.competition.drafts import validate_draft
from arena.competition.models import Tournament
from arena.competition.rules import cpu_ms_per_seat, decisions_bound, rules_of
from arena.competition.stages import StagePlan, planned_field_sizes, stage_plans_of, stage_refusal
from engine import Rules
from league.rotation import table_chunks

MeanCpu = Callable[[str, str, str], float | None]
"""Measured mean CPU in ms of all seats for one board, by game, preset and kind of board; else None."""


@dataclasses.dataclass(frozen=True)
class StageCost:
    number: int
    format: str
    entries: int
    rounds: int | None
    """Rounds of one pass; None if the number depends on results."""
    passes: int
    """Maximum times that the schedule is played."""
    fixtures: int
    """Fixtures of all passes without byes. The numbers below include all passes too."""
    tables: int
    boards: int
    """Boards played: a board counts once for each table that plays it."""
    decisions: int
    cpu_s_max: float
    cpu_s_expected: float | None


@dataclasses.dataclass(frozen=True)
class CostEstimate:
    """Maximum cost of a tournament: the sums over its stages."""

    entries: int
    stages: tuple[StageCost, ...]
    rounds: int | None
    fixtures: int
    tables: int
    boards: int
    decisions: int
    cpu_s_max: float
    cpu_s_expected: float | None
    """None if no table of this preset has been measured."""
    capacity: int | None
    """Tables played at a time; None if not known."""
    hours_max: float | None
    """Hours if nothing else is played; None without a capacity."""
    hours_expected: float | None
    budget_cpu_s: int | None
    notes: tuple[str, ...]
    """Warnings to consider before entry opens."""


@dataclasses.dataclass(frozen=True)
class _CostInputs:
    rules: Rules
    seat_cpu_ms: int
    boards: int
    passes: int
    mean_cpu_ms: float | None


def cost_estimate(
    tournament_or_draft: Tournament | Mapping[str, Any],
    *,
    entries: int | None = None,
    mean_cpu_ms: MeanCpu | None = None,
    capacity: int | None = None,
) -> CostEstimate:
    """Estimate a stored tournament, or a draft given by the fields of ``tournament_create``.

    ``entries`` defaults to the size of the fixed field, else to the maximum. ``capacity`` is the number of
    tables played at a time. Raises Invalid, or Conflict ``field_unfit``.
    """
    if isinstance(tournament_or_draft, Tournament):
        rules = rules_of(tournament_or_draft)
        columns: Mapping[str, Any] = {
            "preset": tournament_or_draft.preset,
            "boards_per_round": tournament_or_draft.boards_per_round,
            "max_passes": tournament_or_draft.max_passes,
            "budget_cpu_s": tournament_or_draft.budget_cpu_s,
        }
        stages, size = stage_plans_of(tournament_or_draft), entries or _first_field_size(tournament_or_draft)
        seat_cpu_ms = cpu_ms_per_seat(rules, tournament_or_draft.clock)
    else:
        planned = validate_draft(tournament_or_draft)
        rules = planned.rules
        columns, stages = planned.columns, planned.stages
        size = entries or columns["max_entries"]
        seat_cpu_ms = cpu_ms_per_seat(rules, columns["clock"])
    sides = rules.sides
    number, reason = stage_refusal(stages, size, sides=len(sides), per_side=len(sides[0]))
    if number and entries is not None:
        raise invalid_field("entries", f"Stage {number}: {reason}.", "invalid_stage")
    if number:
        raise Conflict(f"Stage {number}: {reason}.", "field_unfit", stage=number, entries=size)
    event = _CostInputs(
        rules,
        seat_cpu_ms,
        columns["boards_per_round"],
        columns["max_passes"],
        mean_cpu_ms(rules.game.key, columns["preset"], rules.kind) if mean_cpu_ms else None,
    )
    costs = tuple(
        _stage_cost(event, number, stage, playing)
        for number, (stage, playing) in enumerate(
            zip(stages, planned_field_sizes(stages, size), strict=True), 1
        )
    )
    return _total_cost(costs, size, columns["budget_cpu_s"], capacity)


def _first_field_size(tournament: Tournament) -> int:
    first = tournament.stages.get(number=1)
    return first.stage_entries.count() if first.field_digest else tournament.max_entries


def _stage_cost(event: _CostInputs, number: int, stage: StagePlan, entries: int) -> StageCost:
    rules, sides = event.rules, event.rules.sides
    seats, per_side = rules.game.seats(rules.ruleset), len(sides[0])
    boards = stage.boards_per_round or event.boards
    passes = event.passes if stage.rules.repeats else 1
    fixtures = passes * stage.rules.max_fixtures(entries, stage.options, sides=len(sides), per_side=per_side)
    # One table per rotation of the sides.
    seatings = len(sides)
    chunks = table_chunks(boards=boards, seats=seats, cpu_ms_per_board=event.seat_cpu_ms)
    played = fixtures * seatings * boards
    mean = event.mean_cpu_ms
    return StageCost(
        number=number,
        format=stage.format,
        entries=entries,
        rounds=stage.rules.round_count(entries, stage.options, sides=len(sides)),
        passes=passes,
        fixtures=fixtures,
        tables=fixtures * seatings * len(chunks),
        boards=played,
        decisions=played * seats * decisions_bound(rules),
        cpu_s_max=played * seats * event.seat_cpu_ms / 1000,
        cpu_s_expected=None if mean is None else played * mean / 1000,
    )


def _total_cost(
    costs: tuple[StageCost, ...], entries: int, budget: int | None, capacity: int | None
) -> CostEstimate:
    expected = [cost.cpu_s_expected for cost in costs]
    cpu_s_expected = None if None in expected else sum(value or 0.0 for value in expected)
    cpu_s_max = sum(cost.cpu_s_max for cost in costs)
    rounds = [cost.rounds for cost in costs]
    return CostEstimate(
        entries=entries,
        stages=costs,
        rounds=None if None in rounds else sum(value or 0 for value in rounds),
        fixtures=sum(cost.fixtures for cost in costs),
        tables=sum(cost.tables for cost in costs),
        boards=sum(cost.boards for cost in costs),
        decisions=sum(cost.decisions for cost in costs),
        cpu_s_max=cpu_s_max,
        cpu_s_expected=cpu_s_expected,
        capacity=capacity,
        hours_max=_hours(cpu_s_max, capacity),
        hours_expected=_hours(cpu_s_expected, capacity),
        budget_cpu_s=budget,
        notes=tuple(_cost_notes(cpu_s_max, cpu_s_expected, budget, capacity)),
    )


def _hours(cpu_s: float | None, capacity: int | None) -> float | None:
    """Return hours, assuming that a table takes as long as its CPU: its seats decide in turn."""
    return None if cpu_s is None or not capacity else cpu_s / capacity / 3600


def _cost_notes(most: float, expected: float | None, budget: int | None, capacity: int | None) -> list[str]:
    notes = []
    if expected is None:
        notes.append("There is no estimate yet, because no table of this preset has been measured.")
    if budget is not None and expected is not None and expected > budget:
        notes.append(
            f"About {expected:.0f} CPU-seconds are expected, more than the budget of {budget}. The "
            "tournament pauses when the budget is used up."
        )
    elif budget is not None and most > budget:
        notes.append(
            f"If bots use their whole clock, they take {most:.0f} CPU-seconds, more than the budget of "
            f"{budget}. Slow bots may use it up."
        )
    if capacity == 0:
        notes.append("No worker is running.")
    return notes
