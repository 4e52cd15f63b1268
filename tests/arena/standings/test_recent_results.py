"""The latest results of entries in standings, and their tables with a fault."""

from __future__ import annotations

import pytest

from arena.competition.models import Entry, Tournament
from arena.matches.models import BoardSet, Fixture, TableSeat
from arena.standings.models import FixtureScore, StandingRow
from arena.standings.recent_results import faulty_tables, recent_results
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out

pytestmark = pytest.mark.django_db

SWISS = [{"format": "swiss", "options": {"rounds": 2}}]
rows_of_a_swiss = made_once(lambda: play_out(begun(5, stages=SWISS, boards_per_round=1)), serials=4000)


@pytest.fixture
def swiss(rows_of_a_swiss: Tournament, db: None) -> Tournament:
    return given(rows_of_a_swiss)


def test_results_name_the_opponent_and_both_totals(swiss: Tournament) -> None:
    stage = swiss.stages.get()
    entries = list(Entry.objects.filter(tournament=swiss).values_list("pk", flat=True))
    results = recent_results(stage, entries, 4)
    ranks = dict(StandingRow.objects.filter(stage=stage).values_list("entry", "rank"))
    for entry in entries:
        assert [result.round for result in results[entry]] == [1, 2]
        for result in results[entry]:
            fixture = Fixture.objects.get(public_id=result.fixture)
            totals = {row.entry_id: row.value for row in FixtureScore.objects.filter(fixture=fixture)}
            if result.opponent is None:
                assert fixture.sides.count() == 1
            else:
                assert result.opponent_rank == ranks[result.opponent.key]
                assert (result.total, result.against) == (totals[entry], totals[result.opponent.key])
    assert sum(result.opponent is None for row in results.values() for result in row) == 2
    assert [result.round for result in recent_results(stage, entries[:1], 1)[entries[0]]] == [2]


def test_an_open_round_adds_neither_results_nor_faults(swiss: Tournament) -> None:
    stage = swiss.stages.get()
    entry = stage.standings.get(rank=1).entry_id
    seat = TableSeat.objects.filter(
        entry=entry, table__fixture__board_set__round__number=2, table__fixture__board_set__round__stage=stage
    )
    assert faulty_tables([entry]) == {}
    TableSeat.objects.filter(pk=seat[0].pk).update(verdict="CRASHED")
    assert faulty_tables([entry]) == {entry: 1}
    BoardSet.objects.filter(round__stage=stage, round__number=2).update(state=BoardSet.State.OPEN)
    assert faulty_tables([entry]) == {}
    assert [result.round for result in recent_results(stage, [entry], 4)[entry]] == [1]
