"""The stored tables after rounds: they say what the rounds say today, and nothing is computed for it."""

from __future__ import annotations

from typing import Any

import pytest

from arena.common.errors import Invalid
from arena.competition.models import Entry, Stage, Tournament
from arena.jobs.flow import tournament_advance
from arena.jobs.scoring import scores_recompute
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Fixture
from arena.standings import past_standings as past
from arena.standings.models import PastStandings
from arena.standings.past_standings import past_standings_build, standings_after_round
from tests.arena.conftest import an_event_under_way
from tests.arena.once import given, made_once
from tests.arena.play import play_table, waiting
from tests.refusals import refusal


def play_round(tournament: Tournament) -> None:
    for table in waiting(tournament):
        play_table(table)
    tournament_advance(tournament)


def computed(stage: Stage, number: int) -> Any:
    """From the fixtures, whatever is stored."""
    return past._compute_rows(Stage.objects.get(pk=stage.pk), number)


def a_stage_under_way() -> Stage:
    """A stage of two closed rounds and an open one."""
    running = an_event_under_way()
    for _ in range(2):
        play_round(running)
    return running.stages.get()


rows_of_the_stage = made_once(a_stage_under_way)


@pytest.fixture
def played(rows_of_the_stage: Stage, db: None) -> Stage:
    """The same for all tests here: a stage of two closed rounds and an open one."""
    return given(rows_of_the_stage)


@pytest.fixture
def computes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rounds whose tables were computed."""
    numbers: list[int] = []
    compute = past._compute_rows

    def noted(stage: Stage, number: int) -> Any:
        numbers.append(number)
        return compute(stage, number)

    monkeypatch.setattr(past, "_compute_rows", noted)
    return numbers


def fixture_of(stage: Stage, number: int) -> Fixture:
    """One with two sides."""
    found = Fixture.objects.filter(board_set__round__stage=stage, board_set__round__number=number)
    return next(fixture for fixture in found.order_by("pk") if fixture.sides.count() == 2)


def test_the_table_after_each_round_is_stored_when_it_closes(played: Stage, computes: list[int]) -> None:
    tables = [standings_after_round(played, number) for number in (1, 2)]
    assert computes == []
    assert tables == [computed(played, number) for number in (1, 2)]
    assert tables[0] != tables[1]
    assert refusal(Invalid, standings_after_round, played, 3).extra["closed_rounds"] == [1, 2]


@pytest.mark.parametrize("number", [1, 2])
def test_a_ruling_changes_the_tables_from_its_round_on(
    played: Stage, computes: list[int], number: int
) -> None:
    before = {at: standings_after_round(played, at) for at in (1, 2)}
    fixture = fixture_of(played, number)
    for kind in ("void", "draw", "lift"):
        fixture_adjudicate(Fixture.objects.get(pk=fixture.pk), played.tournament.organiser, kind, (), "so")
        for at in (1, 2):
            assert standings_after_round(played, at) == computed(played, at), "ruled on, and not scored yet"
        assert scores_recompute(played.tournament)
        for at in (1, 2):
            assert standings_after_round(played, at) == computed(played, at), "scored"
            if kind == "void":
                assert (before[at] != standings_after_round(played, at)) == (at >= number)
        past_standings_build()
        computes.clear()
        again = [standings_after_round(played, at) for at in (1, 2)]
        assert computes == [], "the tick made them again"
        assert again == [computed(played, at) for at in (1, 2)]
    assert {at: standings_after_round(played, at) for at in (1, 2)} == before


def test_a_fixture_that_is_played_again_does_not_count_meanwhile(played: Stage) -> None:
    fixture = fixture_of(played, 1)
    Fixture.objects.filter(pk=fixture.pk).update(state=Fixture.State.OPEN, scores_stale=True)
    rows = {row.entry: row.values["played"] for row in standings_after_round(played, 1)}
    assert [rows[side.entry_id] for side in fixture.sides.all()] == [0, 0]
    assert past_standings_build() == 2, "of both rounds"
    again = {row.entry: row.values["played"] for row in standings_after_round(played, 1)}
    assert again == rows


def test_who_left_since_is_known(played: Stage, computes: list[int]) -> None:
    Entry.objects.filter(pk=standings_after_round(played, 2)[-1].entry).update(
        status=Entry.Status.LEFT, left_stage=1, left_round=3
    )
    standings_after_round(played, 2)
    assert computes == [2]


def test_rows_of_another_time_are_never_taken(played: Stage, computes: list[int]) -> None:
    of_first, of_second = (PastStandings.objects.get(round__number=number) for number in (1, 2))
    PastStandings.objects.filter(pk=of_second.pk).update(key=of_first.key, rows=of_first.rows)
    assert standings_after_round(played, 2) == computed(played, 2)


def test_what_is_missing_is_made_by_the_tick(played: Stage, computes: list[int]) -> None:
    wanted = [standings_after_round(played, number) for number in (1, 2)]
    PastStandings.objects.update(key="", rows=b"")
    assert past_standings_build(0.0) == 1
    assert past_standings_build() == 1
    assert past_standings_build() == 0
    computes.clear()
    assert [standings_after_round(played, number) for number in (1, 2)] == wanted
    assert computes == []


def test_a_change_while_a_table_is_made_leaves_it_to_the_next_tick(
    played: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    PastStandings.objects.filter(round__number=1).update(key="", rows=b"")
    compute = past._compute_rows

    def interrupted(stage: Stage, number: int) -> Any:
        rows = compute(stage, number)
        PastStandings.objects.filter(round__number=1).update(scored="another")
        return rows

    monkeypatch.setattr(past, "_compute_rows", interrupted)
    assert past_standings_build() == 0
    assert PastStandings.objects.get(round__number=1).key == ""
