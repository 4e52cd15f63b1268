"""Stages in sequence, board plans, and what they take of a field."""

from __future__ import annotations

from typing import Any

import pytest

from arena.common.errors import ArenaError
from arena.competition.models import Tournament
from arena.competition.stages import StagePlan, entry_range, planned_field_sizes
from tests.factories import a_tournament
from tests.refusals import refusal

pytestmark = pytest.mark.django_db
ROUND_ROBIN = {"format": "round_robin"}


@pytest.mark.parametrize(
    ("fields", "code", "field", "words"),
    [
        ({"stages": [{**ROUND_ROBIN, "qualify": 4}]}, "invalid_stage", "stages", "later stages"),
        ({"stages": [ROUND_ROBIN, {**ROUND_ROBIN, "qualify": 1}]}, "invalid_stage", "stages", "Stage 2"),
        ({"stages": [ROUND_ROBIN, {**ROUND_ROBIN, "qualify": "4"}]}, "invalid_stage", "stages", "'4'"),
        (
            {"stages": [ROUND_ROBIN, {**ROUND_ROBIN, "qualify": 9}], "max_entries": 8},
            "invalid_stage",
            "stages",
            "qualify 9",
        ),
        ({"stages": [{**ROUND_ROBIN, "boards_per_round": 0}]}, "invalid_stage", "stages", "boards_per_round"),
        ({"stages": [{**ROUND_ROBIN, "seeds": 4}]}, "invalid_stage", "stages", "'seeds'"),
        ({"stages": [ROUND_ROBIN] * 11}, "invalid_stage", "stages", "at most 10"),
        ({"board_plan": "forever"}, "invalid", "board_plan", "until_separated"),
        ({"max_passes": 3}, "invalid", "max_passes", "until_separated"),
        ({"board_plan": "until_separated", "max_passes": 1}, "invalid", "max_passes", "2 to 100"),
        ({"board_plan": "until_separated", "max_passes": 101}, "invalid", "max_passes", "2 to 100"),
        ({"budget_cpu_s": 0}, "invalid", "budget_cpu_s", "1 to"),
        ({"entry_policy": "friends"}, "invalid", "entry_policy", "open, invited"),
        ({"quarantine_hours": 721}, "invalid", "quarantine_hours", "720"),
        ({"max_entries": 1001}, "invalid", "max_entries", "1000"),
        ({"jokers": 2}, "unknown_field", "jokers", "fields: name"),
    ],
)
def test_what_cannot_be_planned_is_named(fields: dict[str, Any], code: str, field: str, words: str) -> None:
    refused = refusal(ArenaError, a_tournament, **fields)
    assert (refused.code, refused.extra["field"]) == (code, field)
    assert words in refused.message
    assert not Tournament.objects.exists()


def test_stages_keep_their_own_boards_and_how_many_qualify() -> None:
    stages = [ROUND_ROBIN, {**ROUND_ROBIN, "qualify": 4, "boards_per_round": 32, "options": {"cycles": 2}}]
    first, second = a_tournament(stages=stages, boards_per_round=8).stages.all()
    assert (first.boards, first.qualify) == (8, None)
    assert (second.boards, second.qualify, second.options) == (32, 4, {"cycles": 2})


def test_a_schedule_may_be_played_until_neighbours_separate() -> None:
    tournament = a_tournament(board_plan="until_separated")
    assert (tournament.board_plan, tournament.max_passes) == ("until_separated", 10)
    assert a_tournament().max_passes == 1


def test_a_format_that_cannot_be_repeated_says_which_can() -> None:
    refused = refusal(ArenaError, a_tournament, board_plan="until_separated", stages=[{"format": "swiss"}])
    assert refused.code == "not_repeatable"
    assert "round_robin" in refused.message


def test_a_swiss_of_more_rounds_than_the_smallest_field_allows_is_refused_at_once() -> None:
    swiss = {"format": "swiss", "options": {"rounds": 8}}
    refused = refusal(ArenaError, a_tournament, stages=[swiss], min_entries=5)
    assert refused.code == "invalid_stage"
    assert "5" in refused.message


def test_unless_told_the_entries_are_those_the_stages_take() -> None:
    tournament = a_tournament(stages=[{"format": "swiss", "options": {"rounds": 8}}])
    assert tournament.min_entries == 9
    assert tournament.max_entries == 64


def test_as_many_go_on_as_qualify_or_are_there() -> None:
    planned = [
        StagePlan("round_robin", {}),
        StagePlan("round_robin", {}, qualify=8),
        StagePlan("round_robin", {}),
        StagePlan("round_robin", {}, qualify=2),
    ]
    assert planned_field_sizes(planned, 20) == [20, 8, 8, 2]
    assert planned_field_sizes(planned, 5) == [5, 5, 5, 2]
    assert entry_range(planned, None, None, sides=2, per_side=1, preset="p") == (2, 64)
