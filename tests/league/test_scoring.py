"""Board scores, forfeits, totals and match points."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.errors import ScoresError
from league.scoring import (
    FixtureOutcome,
    TableResult,
    board_scores,
    duel_points,
    fixture_totals,
    forfeit_stones,
    table_result,
)
from tests.refusals import refusal

F = 2


def duel(rotation, by_board, *, forfeited=()):
    """A table of Aya against Ben, given Aya's stones by board."""
    stones = {board: {"aya": won, "ben": -won} for board, won in by_board.items()}
    return TableResult(rotation, stones, frozenset(forfeited))


def aya(tables, forfeit=F):
    return {board: scores["aya"] for board, scores in board_scores(tables, forfeit).items()}


def test_results_by_seat_become_results_by_entry():
    table = table_result(
        0,
        {1: "aya", 2: "ben", 3: "aya", 4: "ben"},
        [(7, 4, -3), (7, 1, 3), (7, 2, -3), (7, 3, 3)],
        forfeited_seats=[2],
    )
    assert table == TableResult(0, {7: {"aya": 3, "ben": -3}}, frozenset({"ben"}))


PAIRS = {1: "aya", 2: "ben", 3: "aya", 4: "ben"}


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([], "rotation 1"),
        ([(1, 1, 1), (1, 2, -1), (1, 3, 1)], "board 1"),
        ([(1, 1, 1), (1, 2, -1), (1, 3, 2), (1, 4, -2)], "aya"),
        ([(1, 1, 1), (1, 2, -2), (1, 3, 1), (1, 4, -2)], "do not sum to zero"),
        ([(1, 5, 1)], "seat 5"),
        ([(1, 1, 1), (1, 1, 2)], "seat 1"),
    ],
)
def test_incomplete_or_contradicting_results_are_refused(results, message):
    with pytest.raises(ScoresError, match=re.escape(message)):
        table_result(1, PAIRS, results)


def test_a_board_score_is_the_mean_over_the_two_tables():
    scores = board_scores([duel(0, {1: 3, 2: 1}), duel(1, {1: -2, 2: 1})], F)
    assert scores == {
        1: {"aya": Fraction(1, 2), "ben": Fraction(-1, 2)},
        2: {"aya": Fraction(1), "ben": Fraction(-1)},
    }
    assert fixture_totals(scores) == {"aya": Fraction(3, 2), "ben": Fraction(-3, 2)}


def test_a_forfeited_table_replaces_the_boards_of_both_tables():
    tables = [duel(0, {1: 3, 2: 1}, forfeited=["aya"]), duel(1, {1: 4, 2: 4})]
    assert aya(tables) == {1: -F, 2: -F}


def test_the_winner_by_forfeit_gets_what_the_other_pays():
    tables = [duel(0, {1: 3, 2: 1}), duel(1, {1: -1, 2: 4}, forfeited=["ben"])]
    assert aya(tables) == {1: F, 2: F}


def test_both_entries_forfeiting_gives_nothing_to_either():
    same_table = [duel(0, {1: -9}, forfeited=["aya", "ben"]), duel(1, {1: 4})]
    one_each = [duel(0, {1: -9}, forfeited=["aya"]), duel(1, {1: 4}, forfeited=["ben"])]
    assert aya(same_table) == aya(one_each) == {1: 0}


def test_a_worse_played_total_stands():
    tables = [duel(0, {1: -5, 2: 0}, forfeited=["aya"]), duel(1, {1: 4, 2: 4})]
    assert aya(tables) == {1: Fraction(-5 - F, 2), 2: Fraction(0 - F, 2)}


def test_a_played_total_of_exactly_the_price_is_replaced():
    tables = [duel(0, {1: -4, 2: 0}, forfeited=["aya"]), duel(1, {1: 4, 2: 4})]
    assert aya(tables) == {1: -F, 2: -F}


def test_a_forfeit_touches_only_the_boards_of_its_table():
    tables = [
        duel(0, {1: 3, 2: 1}, forfeited=["aya"]),
        duel(1, {1: 4, 2: 4}),
        duel(0, {3: 1}),
        duel(1, {3: 0}),
    ]
    assert aya(tables) == {1: -F, 2: -F, 3: Fraction(1, 2)}


def trio(rotation, stones, *, forfeited=()):
    return TableResult(
        rotation, {1: dict(zip(("aya", "ben", "chie"), stones, strict=True))}, frozenset(forfeited)
    )


def test_among_three_sides_a_forfeit_counts_at_its_table_only():
    tables = [trio(0, (6, -3, -3), forfeited=["aya"]), trio(1, (3, 0, -3)), trio(2, (0, 0, 0))]
    assert board_scores(tables, 4) == {
        1: {"aya": Fraction(-1, 3), "ben": Fraction(2, 3), "chie": Fraction(-1, 3)}
    }


def test_among_three_sides_forfeits_add_up():
    tables = [trio(0, (6, -3, -3), forfeited=["aya", "ben"]), trio(1, (0, 0, 0)), trio(2, (0, 0, 0))]
    assert board_scores(tables, 4) == {
        1: {"aya": Fraction(-2, 3), "ben": Fraction(-2, 3), "chie": Fraction(4, 3)}
    }


def test_among_three_sides_a_worse_played_total_stands_and_an_equal_one_does_not():
    played = [trio(1, (0, 0, 0)), trio(2, (0, 0, 0))]
    worse = board_scores([trio(0, (-5, 4, 1), forfeited=["aya"]), *played], 4)
    assert worse == {1: {"aya": Fraction(-5, 3), "ben": Fraction(4, 3), "chie": Fraction(1, 3)}}
    equal = board_scores([trio(0, (-4, 4, 0), forfeited=["aya"]), *played], 4)
    assert equal == {1: {"aya": Fraction(-4, 3), "ben": Fraction(2, 3), "chie": Fraction(2, 3)}}


def test_among_three_sides_all_who_forfeit_must_have_played_worse_for_the_results_to_stand():
    played = [trio(1, (0, 0, 0)), trio(2, (0, 0, 0))]
    one_better = board_scores([trio(0, (-9, 1, 8), forfeited=["aya", "ben"]), *played], 4)
    assert one_better[1] == {"aya": Fraction(-2, 3), "ben": Fraction(-2, 3), "chie": Fraction(4, 3)}
    both_worse = board_scores([trio(0, (-9, -5, 14), forfeited=["aya", "ben"]), *played], 4)
    assert both_worse[1] == {"aya": -3, "ben": Fraction(-5, 3), "chie": Fraction(14, 3)}


def test_among_three_sides_all_forfeiting_one_table_gives_nothing_to_anybody():
    tables = [trio(0, (6, -3, -3), forfeited=["aya", "ben", "chie"]), trio(1, (3, 0, -3)), trio(2, (0, 0, 0))]
    assert board_scores(tables, 4) == {1: {"aya": 1, "ben": 0, "chie": -1}}


def test_three_pairs_forfeit_by_the_pair_whichever_of_its_seats_failed():
    seats = {1: "aya", 4: "aya", 2: "ben", 5: "ben", 3: "chie", 6: "chie"}
    stones = {"aya": 2, "ben": -1, "chie": -1}
    tables = [
        table_result(
            rotation,
            seats,
            [(1, seat, stones[entry]) for seat, entry in seats.items()],
            forfeited_seats=[5] if rotation == 1 else [],
        )
        for rotation in range(3)
    ]
    assert tables[1].forfeited == {"ben"}
    assert board_scores(tables, F)[1] == {
        "aya": Fraction(2 + 1 + 2, 3),
        "ben": Fraction(-1 - 2 - 1, 3),
        "chie": Fraction(-1 + 1 - 1, 3),
    }


@pytest.mark.parametrize("sides", range(2, 9))
def test_a_forfeit_among_singles_pays_every_opponent_the_same_share(sides):
    entries = [f"e{k}" for k in range(sides)]
    level = dict.fromkeys(entries, 0)
    tables = [
        TableResult(rotation, {1: level, 2: level}, frozenset(entries[:1]) if rotation == 0 else frozenset())
        for rotation in range(sides)
    ]
    # Two sides: the other table of the pair is replaced too.
    replaced = 2 if sides == 2 else 1
    for scores in board_scores(tables, 20).values():
        assert scores.pop("e0") == Fraction(-20 * replaced, sides)
        assert set(scores.values()) == {Fraction(20 * replaced, (sides - 1) * sides)}


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([duel(0, {1: 1})], "rotations [0]"),
        ([duel(0, {1: 1}), duel(0, {1: 1})], "rotations [0, 0]"),
        ([duel(0, {1: 1, 2: 1}), duel(1, {1: 1})], "need one of each"),
        (
            [duel(0, {1: 1}), duel(1, {1: 1}), duel(0, {1: 1, 2: 1}), duel(1, {1: 1, 2: 1})],
            "board 1",
        ),
        ([duel(0, {1: 1}), TableResult(1, {1: {"aya": 0, "chie": 0}})], "where others have"),
        ([duel(0, {1: 1}, forfeited=["chie"]), duel(1, {1: 1})], "chie "),
    ],
)
def test_tables_that_make_no_fixture_are_refused(tables, message):
    with pytest.raises(ScoresError, match=re.escape(message)):
        board_scores(tables, F)


def test_the_price_of_a_board():
    assert forfeit_stones("deal", 24) == 2
    assert forfeit_stones("game", 24) == 24
    assert "'hand'" in str(refusal(ScoresError, forfeit_stones, "hand", 24))


@st.composite
def fixtures(draw):
    """All tables of a fixture of two to four entries, some of them forfeited, in any order."""
    entries = draw(st.sampled_from([("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d")]))
    tables = []
    for chunk in draw(st.sampled_from([[(1,)], [(1, 2)], [(1, 2), (3,)]])):
        for rotation in range(len(entries)):
            stones = {}
            for board in chunk:
                won = [draw(st.integers(-12, 12)) for _ in entries[1:]]
                stones[board] = dict(zip(entries, [*won, -sum(won)], strict=True))
            forfeited = draw(st.frozensets(st.sampled_from(entries), max_size=2))
            tables.append(TableResult(rotation, stones, forfeited))
    return entries, draw(st.permutations(tables))


@given(fixtures(), st.integers(0, 12))
def test_board_scores_sum_to_zero_whatever_is_forfeited(fixture, forfeit):
    entries, tables = fixture
    for scores in board_scores(tables, forfeit).values():
        assert sorted(scores) == sorted(entries)
        assert sum(scores.values()) == 0


@given(fixtures(), st.integers(0, 12))
def test_the_order_of_tables_does_not_matter(fixture, forfeit):
    _, tables = fixture
    assert board_scores(tables, forfeit) == board_scores(tables[::-1], forfeit)


@given(st.integers(3, 6), st.lists(st.integers(-12, 12), min_size=10, max_size=10), st.data())
def test_nobody_gains_by_forfeiting_a_table_of_many(sides, won, data):
    """Its results there count no more than the price, nor than what it played."""
    entries = [f"e{k}" for k in range(sides)]
    boards = {
        board: dict(zip(entries, [*(each := won[board * 5 :][: sides - 1]), -sum(each)], strict=True))
        for board in range(2)
    }
    others = [
        TableResult(rotation, {board: dict.fromkeys(entries, 0) for board in boards})
        for rotation in range(1, sides)
    ]
    loser = data.draw(st.sampled_from(entries))
    played = sum(by_entry[loser] for by_entry in boards.values())
    scores = board_scores([TableResult(0, boards, frozenset([loser])), *others], F)
    assert fixture_totals(scores)[loser] * sides == (played if played < -F * 2 else -F * 2)


@given(
    st.lists(st.integers(-12, 12), min_size=2, max_size=2),
    st.lists(st.integers(-12, 12), min_size=2, max_size=2),
)
def test_forfeiting_is_never_better_than_the_price_of_all_boards(first, second):
    tables = [duel(0, dict(enumerate(first, 1)), forfeited=["aya"]), duel(1, dict(enumerate(second, 1)))]
    total = fixture_totals(board_scores(tables, F))["aya"]
    assert total <= -F * 2


def test_match_points_are_two_one_nothing():
    assert (duel_points(1, -1), duel_points(0, 0), duel_points(-1, 1)) == (2, 1, 0)


def test_totals_within_the_margin_draw():
    assert (duel_points(1, -1, 2), duel_points(1, -1, Fraction(199, 100))) == (1, 2)


def test_a_bye_is_done_and_a_fixture_without_totals_is_not():
    assert not FixtureOutcome(("aya", "ben")).is_done
    assert FixtureOutcome(("aya",)).is_done
