"""Scores of fixtures that were decided, and of sides that several entries make."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.errors import ScoresError
from league.scoring import (
    FixtureOutcome,
    TableResult,
    adjudicated_scores,
    board_scores,
    fixture_totals,
)

F = 2
PAIRS = (("a", "b"), ("c", "d"))


def table(rotation, *by_board, forfeited=()):
    """A table at which a and b won so much against c and d."""
    stones = {board: {"a": won, "b": won, "c": -won, "d": -won} for board, won in enumerate(by_board, 1)}
    return TableResult(rotation, stones, frozenset(forfeited))


def test_a_forfeit_costs_every_board_and_the_opponents_share_it():
    assert adjudicated_scores("forfeit", ["a"], [("a",), ("b",)], 2, F) == {
        1: {"a": -2, "b": 2},
        2: {"a": -2, "b": 2},
    }
    three = adjudicated_scores("forfeit", ["b"], [("a",), ("b",), ("c",)], 1, F)
    assert three == {1: {"a": 1, "b": -2, "c": 1}}


def test_two_of_three_who_forfeit_pay_each_other_too():
    assert adjudicated_scores("forfeit", ["a", "b"], [("a",), ("b",), ("c",)], 1, F) == {
        1: {"a": -1, "b": -1, "c": 2}
    }


@pytest.mark.parametrize("sides", [[("a",), ("b",)], [("a",), ("b",), ("c",)], PAIRS])
def test_if_all_sides_forfeit_nobody_gains(sides):
    scores = adjudicated_scores("forfeit", [side[0] for side in sides], sides, 3, F)
    assert {value for by_entry in scores.values() for value in by_entry.values()} == {0}


def test_who_forfeits_takes_the_partner_along():
    assert adjudicated_scores("forfeit", ["d"], PAIRS, 1, F) == {1: {"a": 2, "b": 2, "c": -2, "d": -2}}
    assert adjudicated_scores("forfeit", ["c", "d"], PAIRS, 1, F) == {1: {"a": 2, "b": 2, "c": -2, "d": -2}}


def test_a_draw_is_nothing_on_every_board_and_void_is_nothing_at_all():
    assert adjudicated_scores("draw", [], PAIRS, 2, F) == {n: dict.fromkeys("abcd", 0) for n in (1, 2)}
    assert adjudicated_scores("void", [], PAIRS, 2, F) == {}


@pytest.mark.parametrize(
    ("kind", "losers", "message"),
    [
        ("lift", [], "'lift'"),
        ("forfeit", [], "at least one"),
        ("forfeit", ["x"], "x "),
    ],
)
def test_what_cannot_be_scored_is_refused(kind, losers, message):
    with pytest.raises(ScoresError, match=re.escape(message)):
        adjudicated_scores(kind, losers, PAIRS, 1, F)


@given(st.integers(2, 8), st.data())
def test_scores_of_a_ruling_sum_to_zero(sides, data):
    names = [(f"e{number}",) for number in range(sides)]
    losers = data.draw(st.lists(st.sampled_from([side[0] for side in names]), min_size=1, unique=True))
    for by_entry in adjudicated_scores("forfeit", losers, names, 3, F).values():
        assert sum(by_entry.values()) == 0


@given(st.integers(2, 6), st.integers(0, 5))
def test_a_ruling_of_one_loser_is_what_forfeiting_every_table_would_have_been(sides, loser):
    names = [(f"e{number}",) for number in range(sides)]
    who = f"e{loser % sides}"
    tables = [
        TableResult(rotation, {1: dict.fromkeys((side[0] for side in names), 0)}, frozenset({who}))
        for rotation in range(sides)
    ]
    assert adjudicated_scores("forfeit", [who], names, 1, F) == board_scores(tables, F)


def test_partners_share_the_score_of_their_side():
    scores = board_scores([table(0, 4, 1), table(1, 1, -1)], F, PAIRS)
    half = Fraction(5, 2)
    assert scores == {1: {"a": half, "b": half, "c": -half, "d": -half}, 2: dict.fromkeys("abcd", 0)}


def test_a_forfeit_of_one_partner_is_one_of_the_side():
    scores = board_scores([table(0, 4, forfeited=["b"]), table(1, 4)], F, PAIRS)
    assert scores == {1: {"a": -2, "b": -2, "c": 2, "d": 2}}


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([table(0, 1), table(1, 1), table(2, 1)], "[0, 1, 2]"),
        ([TableResult(0, {1: {"a": 1, "b": 2, "c": -1, "d": -2}})], "b "),
        ([TableResult(0, {1: {"a": 1, "c": -1}})], "['a', 'c']"),
        ([table(0, 1, forfeited=["x"])], "x "),
    ],
)
def test_tables_that_do_not_fit_the_sides_are_refused(tables, message):
    with pytest.raises(ScoresError, match=re.escape(message)):
        board_scores(tables, F, PAIRS)


def test_sides_of_one_are_the_entries_themselves():
    tables = [TableResult(rotation, {1: {"a": 3, "b": -3}}) for rotation in (0, 1)]
    assert board_scores(tables, F, [("a",), ("b",)]) == board_scores(tables, F)


def test_an_outcome_has_the_sides_of_its_entries():
    totals = fixture_totals(board_scores([table(0, 4), table(1, 0)], F, PAIRS))
    outcome = FixtureOutcome(("a", "b", "c", "d"), totals, per_side=2)
    assert outcome.sides == PAIRS
    assert FixtureOutcome(("a",), per_side=2).sides == (("a",),)
