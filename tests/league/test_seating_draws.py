"""Averages as they might have been with one seating per board."""

import random
from fractions import Fraction
from statistics import fmean, pvariance, variance

import pytest

from league.luck import FixtureStones
from league.seating_draws import draw_seatings
from tests.league.stones import duel, event

NAMES = [["a"], ["b"]]


def named(fixtures, sides=NAMES):
    return [(fixture, sides) for fixture in fixtures]


def rows_of(drawn):
    return {row.entry: row for row in drawn.entries}


def test_each_draw_uses_one_table_of_each_board():
    drawn = draw_seatings(named([duel("f", "s", [10, 1], [-4, 1])]), "seed", 400)
    rows = rows_of(drawn)
    assert set(rows["a"].draws) == {(10 + 1) / 2, (-4 + 1) / 2}
    assert rows["b"].draws == tuple(-mean for mean in rows["a"].draws)
    assert (rows["a"].mean, rows["a"].boards) == (Fraction(3 + 1, 2), 2)
    assert fmean(rows["a"].draws) == pytest.approx(2, abs=1)
    # The first table is chosen in about half of the draws.
    assert 150 < sum(mean == 5.5 for mean in rows["a"].draws) < 250


def test_fixtures_are_drawn_independently():
    fixtures = [duel(name, "s", [1] * 20, [-1] * 20) for name in "fg"]
    one, other = (draw_seatings(named([fixture]), "seed").entries[0].draws for fixture in fixtures)
    assert one != other


def test_draws_depend_on_the_seed_and_not_on_the_order():
    fixtures = named(event(random.Random(5), fixtures=3))
    assert draw_seatings(fixtures, "seed") == draw_seatings(fixtures[::-1], "seed")
    assert draw_seatings(fixtures, "seed") != draw_seatings(fixtures, "other")


def test_the_same_result_at_all_tables_leaves_nothing_to_draw():
    rng = random.Random(1)
    stones = [rng.choice([-2, 1, 3]) for _ in range(40)]
    drawn = draw_seatings(named([duel("f", "s", stones, stones)]), "seed")
    for row in drawn.entries:
        assert row.draws == pytest.approx([row.mean] * 100)
    assert drawn.other_best == 0
    assert drawn.variance_ratio == pytest.approx(1)


@pytest.mark.parametrize("sides", [2, 3])
def test_the_variance_ratio_worked_by_hand(sides):
    names = [[name] for name in "abc"[:sides]]
    fixtures = event(random.Random(7), sets=3, sides=sides, chance=0.6)
    drawn = draw_seatings(named(fixtures, names), "seed", 2000)
    dealt = seated = 0.0
    for side in range(sides):
        boards = sum(len(fixture.stones) for fixture in fixtures)
        for fixture in fixtures:
            by_board = [[table[side] for table in board] for board in fixture.stones]
            dealt += len(by_board) * variance(map(fmean, by_board)) / boards**2
            seated += sum(map(pvariance, by_board)) / boards**2
    assert drawn.variance_ratio == pytest.approx((dealt + seated) / dealt)
    assert drawn.variance_ratio > 2
    # The draws vary as much as the formula says.
    assert sum(pvariance(row.draws) for row in drawn.entries) == pytest.approx(seated, rel=0.2)


def test_draws_with_another_best_entry_are_counted():
    fixtures = event(random.Random(11), sets=1, boards=4)
    drawn = draw_seatings(named(fixtures), "seed")
    first, second = (row.draws for row in drawn.entries)
    assert drawn.entries[0].mean > drawn.entries[1].mean
    assert drawn.other_best == sum(b > a for a, b in zip(first, second, strict=True)) > 0


def test_equal_averages_are_both_best():
    drawn = draw_seatings(named([duel("f", "s", [1, 2], [-1, -2])]), "seed")
    assert [row.mean for row in drawn.entries] == [0, 0]
    assert drawn.other_best == 0


def test_both_entries_of_a_side_count():
    drawn = draw_seatings([(duel("f", "s", [3], [1]), [["a", "b"], ["c", "d"]])], "seed")
    rows = rows_of(drawn)
    assert [rows[name].mean for name in "abcd"] == [2, 2, -2, -2]
    assert rows["a"].draws == rows["b"].draws


def test_no_ratio_from_few_or_even_boards():
    few = named([duel("f", "s", [3, 1, 0] * 10, [1, 0, -2] * 10)])
    assert draw_seatings(few, "seed").variance_ratio is None
    even = named([duel("f", "s", [2, -2] * 20, [-2, 2] * 20)])
    assert draw_seatings(even, "seed").variance_ratio is None
    assert draw_seatings([], "seed") is None


def test_boards_of_a_set_count_once():
    fixtures = [duel(name, "s", [3, 1, 0] * 6, [1, 0, -2] * 6) for name in "fgh"]
    assert draw_seatings(named(fixtures), "seed").variance_ratio is None
    others = [FixtureStones(one.fixture, one.fixture, one.stones) for one in fixtures]
    assert draw_seatings(named(others), "seed").variance_ratio is not None
