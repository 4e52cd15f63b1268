"""How certain the first place is, what separates the first places, and irregular fixtures."""

from __future__ import annotations

from fractions import Fraction

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.fixture_selectors import irregular_fixtures
from arena.matches.models import BoardSet, Fixture
from arena.standings.board_values import format_values
from arena.standings.leads import margins, place_differences
from arena.standings.models import FixtureScore, StandingRow
from arena.standings.selectors import top_rows
from arena.web.tournaments.leader import build_podium
from league.separation import MIN_BOARDS, neighbour_difference
from tests.arena.play import begun
from tests.arena.played_event import final, rows_of_an_event
from tests.scores import board_scores

__all__ = ["final", "rows_of_an_event"]
pytestmark = pytest.mark.django_db


def test_the_lead_is_compared_on_the_boards_that_both_played(final: Tournament) -> None:
    stage = final.stages.get()
    rows = top_rows([stage], 10)[stage.pk]
    with CaptureQueriesContext(connection) as seen:
        difference = place_differences(final, stage, rows)[0]
        place_differences(final, stage, rows)
    assert len(seen) == 1
    assert difference is not None
    first, second = (
        {
            (score.fixture.board_set_id, score.board): score.value
            for score in board_scores(entry=row.entry.key)
        }
        for row in rows[:2]
    )
    assert difference.boards == len(first.keys() & second.keys()) == 6
    assert difference.state == "few"
    assert place_differences(final, stage, rows[:1]) == []


def test_more_boards_change_the_state_and_open_ones_do_not_count(final: Tournament) -> None:
    stage = final.stages.get()
    rows = top_rows([stage], 10)[stage.pk]
    fixture = Fixture.objects.filter(board_set__round__number=1).earliest("pk")
    for row, value in ((rows[0], 2), (rows[1], -1)):
        more = format_values({board: Fraction(value + board % 2, 2) for board in range(100, 130)})
        score, _ = FixtureScore.objects.get_or_create(
            fixture=fixture, entry_id=row.entry.key, defaults={"numerator": 0, "denominator": 1}
        )
        FixtureScore.objects.filter(pk=score.pk).update(
            board_values=score.board_values + more[score.board_values.count(",") :]
        )
    process_cache.clear()
    difference = place_differences(final, stage, rows)[0]
    assert difference is not None
    assert difference.interval is not None
    assert (difference.state, difference.boards) == ("ahead", 36)
    podium = build_podium(final, stage, rows)
    assert [place.certainty is None for place in podium] == [True, False, False]
    third = podium[2].certainty
    assert third is not None
    assert (third.second.id, third.boards, third.mean) == (rows[3].entry.id, 6, "")
    close = build_podium(final, stage, [rows[2], rows[0], rows[1]])[1].certainty
    assert close is not None
    assert close.state == "ahead"
    assert Fraction(close.low) > 0
    swapped = place_differences(final, stage, [rows[1], rows[0]])[0]
    assert swapped is not None
    assert swapped.state == "behind"
    BoardSet.objects.filter(pk=fixture.board_set_id).update(state="open")
    fixture.board_set.round.__class__.objects.filter(pk=fixture.board_set.round_id).update(state="open")
    process_cache.clear()
    sealed = place_differences(final, stage, rows)[0]
    assert sealed is not None
    assert sealed.boards == 4


def test_a_margin_names_the_value_that_decided(final: Tournament) -> None:
    stage = final.stages.get()
    StandingRow.objects.filter(stage=stage, rank=4).update(decided_by="lot")
    rows = top_rows([stage], 10)[stage.pk]
    told = margins(rows)
    assert len(told) == 3
    for margin, below in zip(told, rows[1:], strict=True):
        assert margin is not None
        assert margin.value == below.decided_by
    assert told[2] is not None
    assert told[2].ahead is None
    assert margins(rows[:2])[1] is None
    first, second = rows[0].values["match_points"], rows[1].values["match_points"]
    if told[0] is not None and told[0].value == "match_points":
        assert told[0].ahead == Fraction(first) - Fraction(second) > 0


def test_rulings_in_force_and_forfeits_of_finished_rounds_are_counted(final: Tournament) -> None:
    assert irregular_fixtures(final) == (0, 0)
    running = begun(4, boards_per_round=1)
    fixture = running.fixtures.earliest("number")
    fixture_adjudicate(fixture, running.organiser, "draw", [], "both were away")
    assert irregular_fixtures(running) == (0, 0), "the round is open"
    BoardSet.objects.filter(pk=fixture.board_set_id).update(state="closed")
    assert irregular_fixtures(running) == (1, 0)
    fixture.tables.all()[0].seats.filter(seat=1).update(forfeited=True)
    assert irregular_fixtures(running).forfeited == 1
    fixture.adjudications.update(kind="lift")
    assert irregular_fixtures(running).ruled == 0


def test_a_difference_has_a_state_from_twenty_boards_on() -> None:
    ones = [Fraction(1), Fraction(2)] * (MIN_BOARDS // 2)
    assert neighbour_difference(ones[1:]).state == "few"
    assert neighbour_difference(ones).state == "ahead"
    assert neighbour_difference([-value for value in ones]).state == "behind"
    assert neighbour_difference([*ones, *(-value for value in ones)]).state == "open"
