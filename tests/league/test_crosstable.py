"""Everybody against everybody: what a cell holds and what its mark says."""

import math
import random
from collections import defaultdict
from fractions import Fraction

import pytest

from league.crosstable import MIN_BOARDS, crosstable_cell, pair_results
from league.intervals import mean_interval
from league.scoring import FixtureOutcome, fixture_totals


def played(sides, *by_board):
    """A fixture of these sides with the score of each side on each board."""
    entries = tuple(entry for side in sides for entry in side)
    boards = {
        board: {entry: Fraction(won) for side, won in zip(sides, scores, strict=True) for entry in side}
        for board, scores in enumerate(by_board, 1)
    }
    return FixtureOutcome(entries, fixture_totals(boards), per_side=len(sides[0])), boards


def duel(first, second, *won):
    return played((first, second), *((score, -score) for score in won))


def cells(*fixtures):
    met = defaultdict(list)
    for outcome, boards in fixtures:
        for pair, meeting in pair_results(outcome, boards).items():
            met[pair].append(meeting)
    return {pair: cell for pair, meetings in met.items() if (cell := crosstable_cell(meetings)) is not None}


def test_a_cell_counts_every_board_of_every_meeting():
    table = cells(duel("a", "b", 3, -1), duel("b", "a", 2, 0))
    cell = table["a", "b"]
    expected = mean_interval([3, -1, -2, 0])
    assert (cell.mean, cell.low, cell.high, cell.boards) == (0, expected.low, expected.high, 4)
    assert (cell.match_points, table["b", "a"].match_points) == (2, 2)


def test_both_ways_round_are_each_others_mirror():
    table = cells(duel("a", "b", 3, 1, 2))
    cell, other = table["a", "b"], table["b", "a"]
    assert (cell.mean, cell.low, cell.high) == (-other.mean, -other.high, -other.low)
    assert (cell.match_points, other.match_points) == (2, 0)


@pytest.mark.parametrize(("bias", "mark"), [(0.0, ""), (0.5, "*"), (1.5, "**")])
def test_a_mark_says_how_sure_it_is(bias, mark):
    chance = random.Random(7)
    scores = [Fraction(bias + chance.gauss(0, 1.5)) for _ in range(30)]
    cell = cells(duel("a", "b", *scores))["a", "b"]
    assert cell.mark == mark
    assert (cell.low > 0) == (mark != "")
    assert cells(duel("a", "b", *scores))["b", "a"].mark == mark


def test_a_few_boards_bear_no_mark_whatever_came_of_them():
    assert cells(duel("a", "b", *[2] * (MIN_BOARDS - 1)))["a", "b"].mark == ""
    assert cells(duel("a", "b", *[2] * MIN_BOARDS))["a", "b"].mark == "**"


def test_one_board_has_no_interval():
    cell = cells(duel("a", "b", 1))["a", "b"]
    assert (cell.low, cell.high, cell.mark) == (-math.inf, math.inf, "")


def test_of_more_sides_a_cell_is_half_the_difference():
    table = cells(played(("a", "b", "c"), (3, 0, -3), (1, 1, -2)))
    assert table["a", "b"].mean == Fraction(3, 4)
    assert table["c", "a"].mean == Fraction(-9, 4)
    assert [table["a", other].match_points for other in "bc"] == [2, 2]


def test_partners_do_not_meet():
    table = cells(played(("ab", "cd"), (2, -2)))
    assert set(table) == {
        (first, other) for first in "abcd" for other in "abcd" if (first in "ab") != (other in "ab")
    }
    assert table["b", "c"].mean == 2


def test_what_is_void_unfinished_or_a_bye_gives_no_cell():
    fixtures = [
        (FixtureOutcome(("a", "b"), is_void=True), {}),
        (FixtureOutcome(("a", "b")), {}),
        (FixtureOutcome(("a",)), {}),
    ]
    assert cells(*fixtures) == {}


def test_the_order_of_arrival_does_not_matter():
    fixtures = [duel("a", "b", 1, 2), duel("b", "c", 0, 4), duel("a", "b", -1, Fraction(1, 3))]
    assert cells(*fixtures) == cells(*fixtures[::-1])
