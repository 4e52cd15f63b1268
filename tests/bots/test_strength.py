"""Rule-based beats greedy beats random, on fewer boards than `make bench` plays and with a fixed seed."""

from fractions import Fraction

import pytest

from benchmarks.bench_strength import board_score, strength

BOARDS = range(1, 41)
SEED = "tests"


@pytest.mark.parametrize(("first", "second"), [("rules", "greedy"), ("greedy", "random")])
def test_the_stronger_bot_is_ahead_with_its_interval_clear_of_zero(first, second):
    found = strength(first, second, [board_score(first, second, SEED, number) for number in BOARDS])
    assert found.is_clear, str(found)


def test_a_board_score_changes_its_sign_with_the_sides():
    for number in range(1, 6):
        score = board_score("rules", "greedy", SEED, number)
        assert score == -board_score("greedy", "rules", SEED, number)


def test_a_bot_is_as_strong_as_itself():
    assert [board_score("rules", "rules", SEED, number) for number in range(1, 6)] == [0] * 5


def test_a_lead_that_could_be_chance_is_not_clear():
    assert not strength("a", "b", [Fraction(1), Fraction(-1), Fraction(1, 2)]).is_clear
    assert not strength("a", "b", [Fraction(-1), Fraction(-1), Fraction(-3, 2)]).is_clear
    assert strength("a", "b", [Fraction(1), Fraction(1), Fraction(3, 2)] * 9).is_clear
