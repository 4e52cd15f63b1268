"""What a tournament will take: rounds, fixtures, tables, boards, CPU and hours, before it is begun.

The bounds follow from the formats and the clock alone; what is expected, from what was measured.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from arena.common.declarations import invalid
from arena.common.errors import Conflict
from arena.competition.drafts import validate_draft
from arena.competition.models import Tournament
from arena.competition.rules import cpu_ms_per_seat, decisions_bound, rules_of
from arena.competition.stages import StagePlan, planned_field_sizes, stage_plans_of, stage_refusal
from engine import Rules
from league.rotation import table_chunks

MeanCpu = Callable[[str, str, str], float | None]
"""Of a game, a preset and a kind of board: the CPU in ms that all seats of a table together used on one
board in the mean of what was measured, or None if nothing was."""


@dataclasses.dataclass(frozen=True)
class StageCost:
    """One stage, at most."""

    number: int
    format: str
    entries: int
    """How many play it."""
    rounds: int | None
    """Of one pass; None: that depends on results."""
    passes: int
    """How often the schedule is played at most."""
    fixtures: int
    """Byes not counted; all passes, as are the numbers below."""
    tables: int
    boards: int
    """Boards played: every board counts at every table that plays it."""
    decisions: int
    """Of all seats."""
    cpu_s_most: float
    """If every bot uses all its clock."""
    cpu_s_expected: float | None


@dataclasses.dataclass(frozen=True)
class CostEstimate:
    """A whole tournament, at most: the sums of its stages."""

    entries: int
    """How many the figures are for."""
    stages: tuple[StageCost, ...]
    rounds: int | None
    """Of all stages, one pass each; None if one's depends on results."""
    fixtures: int
    tables: int
    boards: int
    decisions: int
    cpu_s_most: float
    cpu_s_expected: float | None
    """None: no table of this preset has been measured yet."""
    capacity: int | None
    """Tables played at a time; None: not known."""
    hours_most: float | None
    """If nothing else is played; None without a capacity."""
    hours_expected: float | None
    budget_cpu_s: int | None
    notes: tuple[str, ...]
    """What to think of before opening it, in words."""


@dataclasses.dataclass(frozen=True)
class _CostInputs:
    """What the figures of all stages follow from."""

    rules: Rules
    seat_cpu_ms: int
    boards: int
    passes: int
    mean_cpu_ms: float | None


def cost_estimate(
    thing: Tournament | Mapping[str, Any],
    *,
    entries: int | None = None,
    mean_cpu_ms: MeanCpu | None = None,
    capacity: int | None = None,
) -> CostEstimate:
    """What a stored tournament, or a draft given by the fields of ``tournament_create``, takes at most.

    For ``entries`` entries; by default those in a fixed field, else the most that may enter. ``capacity``
    is how many tables are played at a time.

    Raises:
        Invalid: the draft has an impossible field, or its stages cannot be played by so many ``entries``.
        Conflict: code ``field_unfit``: its stages cannot be played by the field there is.
    """
    if isinstance(thing, Tournament):
        rules = rules_of(thing)
        columns: Mapping[str, Any] = {
            "preset": thing.preset,
            "boards_per_round": thing.boards_per_round,
            "most_passes": thing.most_passes,
            "budget_cpu_s": thing.budget_cpu_s,
        }
        stages, size = stage_plans_of(thing), entries or _first_field_size(thing)
        seat_cpu_ms = cpu_ms_per_seat(rules, thing.clock)
    else:
        planned = validate_draft(thing)
        rules = planned.rules
        columns, stages = planned.columns, planned.stages
        size = entries or columns["max_entries"]
        seat_cpu_ms = cpu_ms_per_seat(rules, columns["clock"])
    sides = rules.sides
    number, reason = stage_refusal(stages, size, sides=len(sides), per_side=len(sides[0]))
    if number and entries is not None:
        raise invalid("entries", f"Stage {number}: {reason}.", "invalid_stage")
    if number:
        raise Conflict(f"Stage {number}: {reason}.", "field_unfit", stage=number, entries=size)
    event = _CostInputs(
        rules,
        seat_cpu_ms,
        columns["boards_per_round"],
        columns["most_passes"],
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
    """Entries of the first stage once its field is fixed, else the most there may be. Two queries at most."""
    first = tournament.stages.get(number=1)
    return first.stage_entries.count() if first.field_digest else tournament.max_entries


def _stage_cost(event: _CostInputs, number: int, stage: StagePlan, entries: int) -> StageCost:
    rules, sides = event.rules, event.rules.sides
    seats, per_side = rules.game.seats(rules.ruleset), len(sides[0])
    boards = stage.boards_per_round or event.boards
    passes = event.passes if stage.rules.repeats else 1
    fixtures = passes * stage.rules.fixtures_bound(
        entries, stage.options, sides=len(sides), per_side=per_side
    )
    # A table for each rotation of the sides.
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
        cpu_s_most=played * seats * event.seat_cpu_ms / 1000,
        cpu_s_expected=None if mean is None else played * mean / 1000,
    )


def _total_cost(
    costs: tuple[StageCost, ...], entries: int, budget: int | None, capacity: int | None
) -> CostEstimate:
    expected = [cost.cpu_s_expected for cost in costs]
    cpu_s_expected = None if None in expected else sum(value or 0.0 for value in expected)
    cpu_s_most = sum(cost.cpu_s_most for cost in costs)
    rounds = [cost.rounds for cost in costs]
    return CostEstimate(
        entries=entries,
        stages=costs,
        rounds=None if None in rounds else sum(value or 0 for value in rounds),
        fixtures=sum(cost.fixtures for cost in costs),
        tables=sum(cost.tables for cost in costs),
        boards=sum(cost.boards for cost in costs),
        decisions=sum(cost.decisions for cost in costs),
        cpu_s_most=cpu_s_most,
        cpu_s_expected=cpu_s_expected,
        capacity=capacity,
        hours_most=_hours(cpu_s_most, capacity),
        hours_expected=_hours(cpu_s_expected, capacity),
        budget_cpu_s=budget,
        notes=tuple(_cost_notes(cpu_s_most, cpu_s_expected, budget, capacity)),
    )


def _hours(cpu_s: float | None, capacity: int | None) -> float | None:
    """Seats of a table think in turn, so that a table takes as long as its CPU."""
    return None if cpu_s is None or not capacity else cpu_s / capacity / 3600


def _cost_notes(most: float, expected: float | None, budget: int | None, capacity: int | None) -> list[str]:
    notes = []
    if expected is None:
        notes.append("No table of this preset has been measured yet, so that nothing can be expected.")
    if budget is not None and expected is not None and expected > budget:
        notes.append(
            f"Expected are {expected:.0f} CPU-seconds, the budget is {budget}: it would pause when that is "
            "spent."
        )
    elif budget is not None and most > budget:
        notes.append(
            f"With all its clock used it takes {most:.0f} CPU-seconds, the budget is {budget}: "
            "slow bots may spend it."
        )
    if capacity == 0:
        notes.append("No worker is at work just now.")
    return notes
