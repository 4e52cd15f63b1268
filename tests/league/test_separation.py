"""Which neighbours are told apart: by the boards both played, and not before there are enough."""

import random
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from league.separation import MIN_BOARDS, unseparated


def boards_of(seed, number, strengths, spread=2):
    """Scores of entries that differ by their strengths; what a board is like they all share."""
    chance = random.Random(seed)
    made = []
    for _ in range(number):
        common = chance.randint(-9, 9)
        made.append(
            {
                entry: Fraction(common + strength) + Fraction(chance.randint(-spread, spread), 2)
                for entry, strength in strengths.items()
            }
        )
    return made


def test_neighbours_that_differ_are_separated_and_equals_are_not():
    boards = boards_of(1, 60, {"a": 2, "b": 0, "c": 0})
    assert unseparated(["a", "b", "c"], boards) == [("b", "c")]


def test_boards_are_compared_one_by_one():
    """What the boards have in common would drown the difference of two means."""
    boards = boards_of(2, 40, {"a": 1, "b": 0}, spread=1)
    assert unseparated(["a", "b"], boards) == []
    turned = [
        {"a": board["a"], "b": other["b"]} for board, other in zip(boards, reversed(boards), strict=True)
    ]
    assert unseparated(["a", "b"], turned) == [("a", "b")]


def test_a_few_boards_separate_nobody():
    boards = boards_of(3, MIN_BOARDS - 1, {"a": 9, "b": 0})
    assert unseparated(["a", "b"], boards) == [("a", "b")]
    assert unseparated(["a", "b"], boards_of(3, MIN_BOARDS, {"a": 9, "b": 0})) == []


def test_only_boards_both_played_count():
    boards = boards_of(4, 2 * MIN_BOARDS, {"a": 9, "b": 0})
    for number, board in enumerate(boards):
        if number % 2 and number > 2:
            del board["a" if number % 4 == 1 else "b"]
    assert unseparated(["a", "b"], boards) == []
    assert unseparated(["a", "b"], [b for b in boards if len(b) == 1] + boards[:4]) == [("a", "b")]


def test_those_who_always_score_the_same_are_not_separated():
    assert unseparated(["a", "b"], [{"a": Fraction(1), "b": Fraction(1)}] * 100) == [("a", "b")]


def test_nobody_has_no_neighbours():
    assert unseparated([], []) == unseparated(["a"], [{"a": Fraction(1)}]) == []


@given(st.integers(0, 99), st.randoms())
def test_the_order_of_boards_does_not_matter(seed, chance):
    boards = boards_of(seed, 30, {"a": 1, "b": 0, "c": -1})
    found = unseparated(["a", "b", "c"], boards)
    chance.shuffle(boards)
    assert unseparated(["a", "b", "c"], boards) == found
