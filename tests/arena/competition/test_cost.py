"""What a tournament takes, told before it is begun."""

from __future__ import annotations

from typing import Any

import pytest

from arena.common.errors import Invalid
from arena.competition.cost import cost_estimate
from arena.competition.drafts import fields_of
from arena.competition.models import Tournament
from arena.competition.rules import decisions_bound, rules_of
from tests.factories import a_locked_tournament, a_tournament
from tests.refusals import refusal

pytestmark = pytest.mark.django_db
CLOCK = {"increment_cpu_ms": 10, "bank_cpu_ms_per_deal_board": 100}


def test_a_round_robin_is_counted_to_the_last_decision() -> None:
    tournament = a_tournament(boards_per_round=4, max_entries=6, clock=CLOCK)
    plan = cost_estimate(tournament, capacity=2)
    bound = decisions_bound(rules_of(tournament))
    # 15 meetings, each at two tables with the sides exchanged, four boards at each, four seats at a board.
    assert (plan.rounds, plan.fixtures, plan.tables, plan.boards) == (5, 15, 30, 120)
    assert plan.decisions == 120 * 4 * bound
    assert plan.cpu_s_max == pytest.approx(120 * 4 * (100 + 10 * bound) / 1000)
    assert plan.hours_max == pytest.approx(plan.cpu_s_max / 2 / 3600)
    assert plan.cpu_s_expected is None
    assert "measured" in plan.notes[0]


def test_a_draft_given_as_fields_is_planned_alike_and_nothing_is_stored() -> None:
    tournament = a_tournament(boards_per_round=4, max_entries=6)
    fields = fields_of(tournament)
    tournament.delete()
    assert cost_estimate(fields).fixtures == 15
    assert not Tournament.objects.exists()
    refusal(Invalid, cost_estimate, {**fields, "preset": "bridge"})


def test_what_was_measured_is_expected() -> None:
    asked = []

    def measured(game: str, preset: str, kind: str) -> float:
        asked.append((game, preset, kind))
        return 250.0

    plan = cost_estimate(
        a_tournament(boards_per_round=4, max_entries=6, budget_cpu_s=20), mean_cpu_ms=measured, capacity=1
    )
    assert asked == [("kakeya", "kakeya4", "deal")]
    assert plan.cpu_s_expected == pytest.approx(30)
    assert plan.hours_expected == pytest.approx(30 / 3600)
    assert "budget of 20" in plan.notes[0]


def test_stages_add_up_each_with_its_field_boards_and_passes() -> None:
    stages = [
        {"format": "round_robin"},
        {"format": "round_robin", "qualify": 3, "boards_per_round": 10, "options": {"cycles": 2}},
    ]
    plan = cost_estimate(
        a_tournament(
            stages=stages, boards_per_round=4, max_entries=6, board_plan="until_separated", max_passes=3
        )
    )
    first, second = plan.stages
    assert (first.entries, first.passes, first.fixtures, first.boards) == (6, 3, 45, 45 * 2 * 4)
    assert (second.entries, second.passes, second.fixtures, second.boards) == (3, 3, 18, 18 * 2 * 10)
    assert plan.fixtures == 63
    assert plan.rounds == first.rounds + second.rounds  # type: ignore[operator]


def test_a_fixed_field_is_planned_for_those_who_are_in_it() -> None:
    assert cost_estimate(a_locked_tournament(4)).entries == 4
    assert cost_estimate(a_tournament(max_entries=12)).entries == 12
    assert cost_estimate(a_tournament(max_entries=12), entries=5).fixtures == 10


def test_nobody_at_work_gives_no_hours() -> None:
    plan = cost_estimate(a_tournament(), capacity=0)
    assert plan.hours_max is None
    assert any("No worker" in note for note in plan.notes)


def test_a_free_for_all_is_played_in_all_its_rotations() -> None:
    stages = [{"format": "heats", "options": {"rounds": 2}}]
    plan = cost_estimate(a_tournament(preset="kakkuri", ruleset={"seats": 3}, stages=stages, max_entries=7))
    assert (plan.fixtures, plan.boards) == (4, 4 * 3 * 2)


@pytest.mark.parametrize(
    ("preset", "stage", "entries"),
    [
        ("kakeya4", {"format": "groups", "options": {"groups": 3}}, 5),
        ("kakeya4", {"format": "swiss", "options": {"rounds": 7}}, 4),
        ("kakkuri", {"format": "heats"}, 4),
        ("kakeya4", {"format": "movement"}, 3),
    ],
)
def test_a_field_that_a_stage_does_not_take_is_refused(
    preset: str, stage: dict[str, Any], entries: int
) -> None:
    event = a_tournament(preset=preset, stages=[stage])
    refused = refusal(Invalid, cost_estimate, event, entries=entries)
    assert (refused.code, refused.extra["field"]) == ("invalid_stage", "entries")
    assert str(entries) in refused.message
