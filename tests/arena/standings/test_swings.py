"""The figures of boards, and the boards on which play decided most."""

from __future__ import annotations

from fractions import Fraction

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import BoardSet, Fixture
from arena.standings.models import BoardFigures
from arena.standings.swings import (
    biggest_swings,
    boards_decided,
    figures_of,
    hardest_boards,
    latest_swing,
    round_swings,
)
from tests import factories
from tests.arena.play import begun, play_out, play_table, waiting
from tests.scores import board_scores

pytestmark = pytest.mark.django_db


def by_hand(board_set: BoardSet) -> dict[int, tuple[Fraction, Fraction, int]]:
    """Largest score, mean size and count of fixtures by board, from the scores themselves."""
    found = {}
    for board in range(1, board_set.boards + 1):
        scores = board_scores(board, fixture__board_set=board_set)
        if scores:
            values = [score.value for score in scores]
            mean = sum(map(abs, values), Fraction()) / len(values)
            found[board] = (max(values), mean, len({score.fixture.pk for score in scores}))
    return found


def stored(board_set: BoardSet) -> dict[int, tuple[Fraction, Fraction, int]]:
    return {
        figures.board: (figures.best, figures.mean, figures.fixtures)
        for figures in figures_of(board_set).values()
    }


@pytest.mark.parametrize(
    ("entries", "fields"),
    [(4, {}), pytest.param(3, {"preset": "kakkuri", "ruleset": {"seats": 3}}, marks=pytest.mark.full)],
)
def test_figures_are_those_of_the_board_scores(entries: int, fields: dict[str, object]) -> None:
    play_out(begun(entries, boards_per_round=2, **fields))
    sets = list(BoardSet.objects.all())
    assert any(best for board_set in sets for best, _, _ in stored(board_set).values())
    for board_set in sets:
        assert stored(board_set) == by_hand(board_set) != {}


def test_lists_are_ordered_and_limited_and_need_two_queries() -> None:
    tournament = play_out(begun(4, boards_per_round=3))
    with CaptureQueriesContext(connection) as seen:
        swings = biggest_swings([tournament], 4)
    assert len(seen) == 2
    values = [swing.value for swing in biggest_swings([tournament], 100)]
    assert values == sorted(values, reverse=True)
    assert [swing.value for swing in swings] == values[:4]
    means = [swing.mean for swing in hardest_boards([tournament], 100)]
    assert means == sorted(means, reverse=True)
    assert len(values) == len(means) == boards_decided(tournament) > 4
    for swing in swings:
        (score,) = board_scores(swing.board, fixture__public_id=swing.fixture, entry=swing.winners[0])
        assert score.value == swing.value > 0
        assert len(swing.others) == 1
        assert swing.others != swing.winners


def test_only_public_events_are_in_the_list_of_the_site() -> None:
    open_event = play_out(begun(2, boards_per_round=4))
    hidden = play_out(begun(2, boards_per_round=4, visibility="private"))
    found = {swing.tournament.pk for swing in biggest_swings(limit=100)}
    assert found == {open_event.pk}
    assert {swing.tournament.pk for swing in biggest_swings([hidden], 100)} == {hidden.pk}


def test_nothing_of_an_open_board_set_is_listed() -> None:
    tournament = begun(4, stages=[{"format": "swiss", "options": {"rounds": 1}}])
    for table in waiting(tournament)[:-1]:
        play_table(table)
    tournament_advance(tournament)
    assert biggest_swings([tournament]) == hardest_boards([tournament]) == []
    # Not even if there were figures already.
    play_out(tournament)
    assert biggest_swings([tournament])
    board_sets = BoardSet.objects.filter(round__stage__tournament=tournament)
    board_sets.update(state=BoardSet.State.OPEN)
    assert biggest_swings([tournament]) == hardest_boards([tournament]) == []
    assert all(figures_of(board_set) == {} for board_set in board_sets)


def test_a_ruling_makes_the_figures_again() -> None:
    tournament = play_out(begun(2, boards_per_round=2))
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.RUNNING)
    tournament.refresh_from_db()
    fixture = Fixture.objects.get()
    loser = fixture.sides.all()[0].entry
    fixture_adjudicate(fixture, factories.odo(), "forfeit", [loser.public_id], "it was asleep")
    tournament_advance(tournament)
    board_set = BoardSet.objects.get()
    assert stored(board_set) == {board: (Fraction(2), Fraction(2), 1) for board in (1, 2)}
    assert all(figures.best_entry != loser for figures in figures_of(board_set).values())


def test_a_void_fixture_leaves_no_figures() -> None:
    tournament = begun(2, boards_per_round=2)
    fixture_adjudicate(Fixture.objects.get(), factories.odo(), "void", [], "the hall burned down")
    tournament_advance(tournament)
    assert BoardSet.objects.get().state == BoardSet.State.CLOSED
    assert not BoardFigures.objects.exists()


def test_each_round_has_its_largest_swing_and_the_latest_round_closed_last() -> None:
    tournament = play_out(begun(4, boards_per_round=3))
    sets = list(BoardSet.objects.order_by("closed_seq"))
    with CaptureQueriesContext(connection) as seen:
        swings = round_swings([board_set.pk for board_set in sets])
    assert len(seen) == 2
    for board_set in sets:
        scores = {board: best for board, (best, _, _) in by_hand(board_set).items() if best > 0}
        swing = swings.get(board_set.pk)
        assert (swing is not None) == bool(scores)
        if swing is not None:
            first = min(board for board, value in scores.items() if value == max(scores.values()))
            assert (swing.value, swing.board) == (scores[first], first)
    assert swings
    assert latest_swing(tournament) == swings.get(sets[-1].pk)
    BoardSet.objects.filter(pk=sets[-1].pk).update(state="open")
    assert sets[-1].pk not in round_swings([board_set.pk for board_set in sets])
    Fixture.objects.update(state="forfeited")
    assert round_swings([board_set.pk for board_set in sets]) == {}
    assert latest_swing(tournament) is None
