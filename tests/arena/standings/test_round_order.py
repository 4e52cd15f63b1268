"""The order of a round's fixtures, places of their entries, and counts of results."""

from __future__ import annotations

from collections import Counter

import pytest

from arena.competition.models import Round, Tournament
from arena.matches.models import Fixture, Table
from arena.standings.models import StandingRow
from arena.standings.round_order import fixtures_by_rank, result_counts, standings_of, top_fixtures
from arena.standings.selectors import closed_totals
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out

pytestmark = pytest.mark.django_db

SWISS = [{"format": "swiss", "options": {"rounds": 2}}]
rows_of_a_swiss = made_once(lambda: play_out(begun(6, stages=SWISS, boards_per_round=1)), serials=5000)


@pytest.fixture
def played(rows_of_a_swiss: Tournament, db: None) -> Round:
    swiss = given(rows_of_a_swiss)
    return Round.objects.select_related("stage", "board_set").get(stage__tournament=swiss, number=1)


def best_rank(fixture: Fixture) -> int:
    entries = fixture.sides.values("entry")
    return min(StandingRow.objects.filter(entry__in=entries).values_list("rank", flat=True))


def test_the_fixture_of_the_leader_comes_first(played: Round) -> None:
    ranks = [best_rank(fixture) for fixture in fixtures_by_rank(played)]
    assert ranks == sorted(ranks)
    assert ranks[0] == 1
    assert len(ranks) == 3


def test_fixtures_in_play_come_before_the_leader(played: Round) -> None:
    last = list(fixtures_by_rank(played))[-1]
    assert list(top_fixtures(played, 2)) == [fixture.pk for fixture in fixtures_by_rank(played)[:2]]
    Table.objects.filter(fixture=last).update(state="leased", fence="f")
    assert top_fixtures(played, 1) == {last.pk: last.public_id}


def test_fixtures_are_found_by_the_name_of_a_bot(played: Round) -> None:
    fixture = fixtures_by_rank(played)[1]
    name = fixture.sides.all()[0].entry.version.bot.name
    assert fixture in fixtures_by_rank(played, name)
    assert not fixtures_by_rank(played, "no such bot")


def test_places_and_results_are_counted_from_the_scores(played: Round) -> None:
    rows = StandingRow.objects.filter(stage=played.stage).select_related("entry")
    standings = standings_of(played.stage, [row.entry.public_id for row in rows], "match_points")
    assert {entry: standing.rank for entry, standing in standings.items()} == {
        row.entry.public_id: row.rank for row in rows
    }
    totals = closed_totals([played.board_set.pk])
    drawn = Counter(fixture for (fixture, _), total in totals.items() if total == 0)
    counts = result_counts(played.board_set)
    assert counts.drawn == len(drawn)
    assert counts.won + counts.drawn == 3
