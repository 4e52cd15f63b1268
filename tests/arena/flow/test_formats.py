"""Whole tournaments of every format, from the lock to final: the audit derives each of them again."""

from __future__ import annotations

from typing import Any

import pytest

from arena.competition.models import Stage, Tournament
from arena.matches.models import Fixture, FixtureEntry
from arena.standings.audit import tournament_audit
from arena.standings.models import StandingRow
from tests.arena.play import begun, play_out

pytestmark = pytest.mark.full

FINAL = Tournament.State.FINAL
CASES: dict[str, dict[str, Any]] = {
    "round robin twice": {"entries": 3, "stages": [{"format": "round_robin", "options": {"cycles": 2}}]},
    "swiss": {"entries": 5, "stages": [{"format": "swiss", "options": {"rounds": 3}}]},
    "single elimination": {"entries": 5, "stages": [{"format": "single_elimination"}]},
    "double elimination": {"entries": 4, "stages": [{"format": "double_elimination"}]},
    "groups": {"entries": 6, "stages": [{"format": "groups", "options": {"groups": 2}}]},
    "heats": {
        "entries": 5,
        "preset": "kakkuri",
        "ruleset": {"seats": 4},
        "boards_per_round": 1,
        "stages": [{"format": "heats", "options": {"rounds": 2}}],
    },
    "groups, then knockout": {
        "entries": 6,
        "stages": [
            {"format": "groups", "options": {"groups": 2}},
            {"format": "single_elimination", "qualify": 4, "boards_per_round": 1},
        ],
    },
}


@pytest.mark.sampled(3)
@pytest.mark.django_db
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_it_is_played_to_its_end_and_agrees_with_its_records(case: dict[str, Any]) -> None:
    plan = {"boards_per_round": 1, **case}
    tournament = play_out(begun(plan.pop("entries"), **plan))
    assert (tournament.state, tournament.state_reason) == (FINAL, "")
    assert tournament_audit(tournament) == []
    stages = list(tournament.stages.order_by("number"))
    assert {stage.state for stage in stages} == {Stage.State.DONE}
    for stage in stages:
        field = stage.stage_entries.count()
        ranks = list(StandingRow.objects.filter(stage=stage).values_list("rank", flat=True))
        assert ranks == list(range(1, field + 1))
        for played in stage.rounds.all():
            assert played.board_set.boards == stage.boards
    assert not Fixture.objects.exclude(state__in=Fixture.DONE).exists()
    assert tournament.cpu_ms_spent > 0


@pytest.mark.django_db
def test_the_knockout_is_played_by_the_best_of_the_groups() -> None:
    tournament = play_out(
        begun(6, boards_per_round=1, **{"stages": CASES["groups, then knockout"]["stages"]})
    )
    groups, knockout = tournament.stages.order_by("number")
    best = list(StandingRow.objects.filter(stage=groups, rank__lte=4).values_list("entry", flat=True))
    field = list(knockout.stage_entries.order_by("position").values_list("entry", flat=True))
    assert field == best
    assert {row.origin for row in knockout.stage_entries.all()} == {1, 2}
    assert set(knockout.rounds.values_list("board_set__boards", flat=True)) == {1}


@pytest.mark.django_db
def test_partners_change_at_every_round_of_a_movement_and_sit_on_one_side() -> None:
    plan = {"stages": [{"format": "movement", "options": {}}], "boards_per_round": 1}
    tournament = play_out(begun(4, accepts_partners=True, **plan))
    assert (tournament.state, tournament.state_reason) == (FINAL, "")
    assert tournament_audit(tournament) == []
    partners = set()
    for fixture in Fixture.objects.filter(tournament=tournament):
        sides = list(FixtureEntry.objects.filter(fixture=fixture).order_by("position"))
        if len(sides) == 1:
            continue
        assert [side.side for side in sides] == [0, 0, 1, 1]
        for table in fixture.tables.all():
            seated = {seat.seat: seat.entry_id for seat in table.seats.all()}
            assert len(set(seated.values())) == 4
            pairs = {frozenset((seated[1], seated[3])), frozenset((seated[2], seated[4]))}
            assert pairs == {
                frozenset((sides[0].entry_id, sides[1].entry_id)),
                frozenset((sides[2].entry_id, sides[3].entry_id)),
            }
        partners |= pairs
    assert len(partners) == 6, "everybody partners everybody"


@pytest.mark.django_db
def test_two_entries_of_one_owner_meet_only_marked() -> None:
    tournament = begun(3, boards_per_round=1, entries_per_player=2)
    assert not Fixture.objects.filter(same_owner=True).exists()
    assert tournament.stages.get().stage_entries.count() == 3
