"""The sequential comparison: its verdicts, its error rates, and what it shows on the way."""

import math
import random
import re
from fractions import Fraction
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.errors import SequentialError
from league.sequential import MIN_BOARDS, SequentialTest
from tests.refusals import refusal

TEST = SequentialTest(difference=0.25, alpha=0.05, beta=0.05, cap=2000)


def cycle(*scores, boards):
    return [scores[k % len(scores)] for k in range(boards)]


BETTER = cycle(1.5, -0.5, 0.0, 1.0, boards=400)
WORSE = [-score for score in BETTER]


def test_a_version_that_wins_is_accepted():
    found = TEST.evaluate(BETTER)
    assert found.state == "accepted"
    assert found.llr >= found.upper == pytest.approx(math.log(20))
    assert found.expected_remaining == 0
    assert MIN_BOARDS <= found.boards < 400


def test_a_version_that_loses_is_rejected_and_sooner_than_one_that_is_level():
    worse, level = TEST.evaluate(WORSE), TEST.evaluate(cycle(1, -1, boards=400))
    assert worse.state == level.state == "rejected"
    assert worse.llr <= worse.lower == pytest.approx(math.log(0.05))
    assert worse.boards < level.boards


def test_boards_after_the_deciding_one_change_nothing():
    found = TEST.evaluate(BETTER)
    assert TEST.evaluate(BETTER[: found.boards]) == found
    assert TEST.evaluate(BETTER + [-100.0] * 500) == found
    assert TEST.evaluate(BETTER[: found.boards - 1]).state == "running"


def test_once_decided_nothing_counts_any_more():
    run = TEST.start()
    assert [run.add(score) for score in BETTER][-1] == "accepted"
    assert run.result() == TEST.evaluate(BETTER)


def test_while_both_fortunes_lose_there_is_no_evidence():
    found = TEST.evaluate([0.0] * 25 + [4.0, -4.0] * 20)
    assert (found.state, found.llr) == ("running", 0.0)


def test_the_first_board_is_not_trusted_far():
    first = SequentialTest(0.1, 0.05, 0.05, 2000).evaluate([4.0])
    assert 0 < first.llr < 0.4


def test_what_the_cap_leaves_open_is_inconclusive():
    middling = cycle(1.125, -0.875, boards=100)
    assert TEST.evaluate(middling).state == "running"
    capped = SequentialTest(0.25, 0.05, 0.05, cap=100).evaluate(middling)
    assert (capped.state, capped.boards, capped.expected_remaining) == ("inconclusive", 100, 0)
    # The board that reaches the cap may still decide.
    decided = TEST.evaluate(BETTER)
    assert SequentialTest(0.25, 0.05, 0.05, cap=decided.boards).evaluate(BETTER).state == "accepted"


def test_nothing_is_decided_before_the_fewest_boards():
    found = TEST.evaluate([4.0] * MIN_BOARDS)
    assert (found.state, found.boards) == ("accepted", MIN_BOARDS)
    assert TEST.evaluate([4.0] * (MIN_BOARDS - 1)).state == "running"
    assert TEST.evaluate([4.0] * (MIN_BOARDS - 1)).expected_remaining == 1


def test_two_versions_that_always_play_alike_are_told_apart_from_better_but_not_at_once():
    found = TEST.evaluate([0.0] * 2000)
    assert found.state == "rejected"
    # One board in 30 with 4 stones would be worth half the difference: that many must be seen first.
    assert found.boards > 30
    assert found.interval == (0.0, 0.0)
    low, high = found.anytime_interval
    assert low < 0 < high


def test_no_boards_and_one_board_say_nothing():
    nothing, single = TEST.evaluate([]), TEST.evaluate([2])
    assert (nothing.state, nothing.boards, nothing.mean, nothing.llr) == ("running", 0, 0.0, 0.0)
    assert nothing.expected_remaining is None
    assert nothing.interval == single.interval == single.anytime_interval == (-math.inf, math.inf)
    assert (single.boards, single.mean) == (1, 2.0)
    assert MIN_BOARDS <= single.expected_remaining + 1 <= TEST.cap


def test_fractions_and_numbers_are_the_same():
    halves = cycle(Fraction(1, 2), Fraction(-1, 2), Fraction(0), boards=60)
    assert TEST.evaluate(halves) == TEST.evaluate([float(score) for score in halves])


def test_the_interval_is_student_t_and_the_one_for_any_time_is_wider():
    found = SequentialTest(0.25, 0.05, 0.05, cap=2000).evaluate(cycle(1.0, -1.0, 0.5, boards=42))
    variance = (14 * (1 - 1 / 6) ** 2 + 14 * (-1 - 1 / 6) ** 2 + 14 * (0.5 - 1 / 6) ** 2) / 41
    half = 2.019541 * math.sqrt(variance / 42)
    assert found.mean == pytest.approx(1 / 6)
    assert found.interval == pytest.approx((1 / 6 - half, 1 / 6 + half), abs=1e-6)
    assert found.anytime_interval[0] < found.interval[0]
    assert found.anytime_interval[1] > found.interval[1]


@given(st.lists(st.integers(-8, 8).map(lambda k: k / 2), max_size=120))
def test_told_board_by_board_it_says_the_same(scores):
    run = TEST.start()
    for score in scores:
        run.add(score)
    assert run.result() == TEST.evaluate(scores)
    assert run.state == TEST.evaluate(scores).state
    assert run.boards == TEST.evaluate(scores).boards


@given(st.lists(st.integers(-8, 8).map(lambda k: k / 2), max_size=150), st.floats(0.02, 2.0))
def test_what_is_shown_agrees_with_the_state(scores, difference):
    found = SequentialTest(difference, 0.05, 0.1, cap=120).evaluate(scores)
    assert found.lower < 0 < found.upper
    assert (found.state == "accepted") <= (found.llr >= found.upper)
    assert (found.state == "rejected") <= (found.llr <= found.lower)
    assert (found.state == "running") == (found.boards == len(scores) and found.expected_remaining != 0)
    assert found.interval[0] <= found.mean <= found.interval[1]
    if found.boards >= 2 and found.state == "running":
        assert 1 <= found.expected_remaining <= 120 - found.boards
    if found.state == "running" and found.boards >= MIN_BOARDS:
        assert found.lower < found.llr < found.upper


def test_expected_boards_shrink_as_evidence_grows_and_come_near_what_it_takes():
    rng = random.Random(3)
    scores = [rng.choice([-1.0, 0.0, 0.0, 1.0]) + 0.25 for _ in range(2000)]
    decided = TEST.evaluate(scores).boards
    half = TEST.evaluate(scores[: decided // 2])
    nearly = TEST.evaluate(scores[: decided - 3])
    assert half.expected_remaining > nearly.expected_remaining
    assert decided / 6 < half.expected_remaining < decided * 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((0, 0.05, 0.05, 100), "difference "),
        ((-0.1, 0.05, 0.05, 100), "not -0.1"),
        ((math.inf, 0.05, 0.05, 100), "not inf"),
        ((math.nan, 0.05, 0.05, 100), "not nan"),
        ((0.1, 0, 0.05, 100), "alpha "),
        ((0.1, 0.05, 0.5, 100), "beta "),
        ((0.1, 0.05, 0.05, 19), "cap "),
        ((0.1, 0.05, 0.05, True), "not True"),
        ((0.1, 0.05, 0.05, 99.5), "whole number"),
    ],
)
def test_a_test_that_makes_no_sense_is_refused(values, message):
    with pytest.raises(SequentialError, match=re.escape(message)):
        SequentialTest(*values)


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_a_score_that_is_no_number_is_refused(score):
    assert "board 2" in str(refusal(SequentialError, TEST.evaluate, [0.5, score]))


def weighted(weights, mean):
    """A distribution over board scores with these weights, tilted to this mean: scores and weights."""
    low, high = -60.0, 60.0
    for _ in range(200):
        tilt = (low + high) / 2
        tilted = {score: weight * math.exp(tilt * score / 8) for score, weight in weights.items()}
        if sum(s * w for s, w in tilted.items()) < mean * sum(tilted.values()):
            low = tilt
        else:
            high = tilt
    return list(tilted), list(accumulate(tilted.values()))


# Deal boards of Kakeya: halves from -4 to 4, most often level.
DEAL_BOARDS = {k / 2: 0.45 if k == 0 else 0.12 * math.exp(-abs(k) / 2) for k in range(-8, 9)}
# Versions that differ on one board in five.
ALIKE = {k / 2: 0.8 if k == 0 else 0.05 * math.exp(-abs(k) / 2) for k in range(-8, 9)}
# Rare large wins for many small losses.
RARE_WINS = {4.0: 0.03, 0.0: 0.73, -0.5: 0.24}
RUNS = 600


def share(weights, mean, test, state):
    """Part of seeded runs that end so."""
    rng = random.Random(17)
    scores, cumulative = weighted(weights, mean)
    ended = 0
    for _ in range(RUNS):
        run = test.start()
        while run.state == "running":
            run.add(rng.choices(scores, cum_weights=cumulative)[0])
        ended += run.state == state
    return ended / RUNS


@pytest.mark.sampled(3)
@pytest.mark.parametrize("weights", [DEAL_BOARDS, ALIKE, RARE_WINS])
@pytest.mark.parametrize(("mean", "wrong", "rate"), [(0.0, "accepted", 0.1), (0.25, "rejected", 0.05)])
def test_error_rates_hold_within_three_standard_errors(weights, mean, wrong, rate):
    test = SequentialTest(0.25, alpha=0.1, beta=0.05, cap=5000)
    assert share(weights, mean, test, wrong) <= rate + 3 * math.sqrt(rate * (1 - rate) / RUNS)


def test_a_version_twice_as_much_better_is_accepted_with_near_certainty():
    assert share(DEAL_BOARDS, 0.5, SequentialTest(0.25, 0.05, 0.05, 5000), "accepted") > 0.99
