"""Means of board scores with intervals that cover what they claim."""

import math
import random
from fractions import Fraction

import pytest

from league import intervals
from league.intervals import Moments, anytime_interval, mean_interval, t_quantile
from tests import chance
from tests.refusals import refusal


# Two-sided 95 % and 99 % points of the published t tables.
@pytest.mark.parametrize(
    ("probability", "degrees", "published"),
    [
        (0.975, 1, 12.706),
        (0.975, 2, 4.303),
        (0.975, 5, 2.571),
        (0.975, 10, 2.228),
        (0.975, 30, 2.042),
        (0.975, 120, 1.980),
        (0.995, 4, 4.604),
        (0.995, 15, 2.947),
        (0.5, 7, 0.0),
        (0.975, 500, 1.96472),
        (0.995, 1000, 2.58075),
    ],
)
def test_quantiles_agree_with_the_tables(probability, degrees, published):
    assert t_quantile(probability, degrees) == pytest.approx(published, abs=0.0005)


@pytest.mark.parametrize("probability", [0.6, 0.975, 0.9995])
def test_the_series_for_many_degrees_takes_over_without_a_step(probability, monkeypatch):
    by_series = t_quantile(probability, intervals.MIN_SERIES_DEGREES)
    monkeypatch.setattr(intervals, "MIN_SERIES_DEGREES", 10**9)
    assert by_series == pytest.approx(t_quantile(probability, 300), abs=1e-10)


def test_a_worked_example():
    # Mean 2, standard deviation 1, so the half width is t(2) / sqrt(3).
    interval = mean_interval([1, 2, 3])
    assert interval.mean == 2
    assert interval.high - 2 == pytest.approx(4.30265 / math.sqrt(3), abs=1e-5)
    assert interval.low == pytest.approx(4 - interval.high)
    assert interval.boards == 3


def test_clear_of_zero_or_not():
    assert mean_interval([1, 1, 2, 1]).is_clear_of_zero
    assert mean_interval([-1, -1, -2, -1]).is_clear_of_zero
    assert not mean_interval([1, -1, 2, -2]).is_clear_of_zero


def test_one_board_says_nothing_about_the_spread():
    interval = mean_interval([Fraction(3, 2)])
    assert (interval.mean, interval.low, interval.high) == (1.5, -math.inf, math.inf)
    assert not interval.is_clear_of_zero


def test_the_order_of_boards_does_not_matter():
    scores = [Fraction(n * n % 7 - 3, 2) for n in range(40)]
    shuffled = random.Random(1).sample(scores, len(scores))
    assert mean_interval(scores) == mean_interval(shuffled)


def test_intervals_cover_the_true_mean_as_often_as_stated():
    rng = random.Random(20)
    covered = 0
    for _ in range(1000):
        interval = mean_interval([rng.choice([-3, -1, 0, 1, 3]) for _ in range(16)])
        covered += interval.low <= 0 <= interval.high
    assert 925 <= covered <= 975


@pytest.mark.parametrize(("scores", "confidence"), [([], 0.95), ([1, 2], 0.0), ([1, 2], 1.0)])
def test_nonsense_is_refused(scores, confidence):
    with pytest.raises(ValueError, match=r"no board scores|confidence"):
        mean_interval(scores, confidence)


def test_no_quantile_without_degrees_of_freedom():
    assert "freedom" in str(refusal(ValueError, t_quantile, 0.975, 0))


def normal(seed, boards, mean=0.0):
    chance = random.Random(seed)
    return [chance.gauss(mean, 2.0) for _ in range(boards)]


def test_an_interval_that_always_holds_is_wider_by_about_the_half():
    scores = normal(1, 200)
    fixed, always = mean_interval(scores), anytime_interval(scores)
    assert always.mean == fixed.mean
    assert 1.4 < (always.high - always.low) / (fixed.high - fixed.low) < 1.7


def test_looking_after_every_board_refutes_the_truth_no_more_often_than_stated():
    """Student's interval, looked at after every board, misses it in a third of all rows."""
    rows, boards = chance.times(400), 120
    missed = {mean_interval: 0, anytime_interval: 0}
    for seed in range(rows):
        scores = normal(seed, boards)
        for interval in missed:
            seen = Moments()
            for score in scores:
                seen = seen.with_scores([score])
                if seen.boards >= 2:
                    found = seen.interval() if interval is mean_interval else seen.anytime_interval()
                    if found.is_clear_of_zero:
                        missed[interval] += 1
                        break
    assert missed[anytime_interval] <= 0.05 * rows < 0.2 * rows < missed[mean_interval]


def test_the_interval_that_always_holds_follows_units_and_says_nothing_of_two_boards():
    scores = normal(3, 60, mean=1.0)
    plain, tenfold = anytime_interval(scores), anytime_interval([10 * score for score in scores])
    assert tenfold.low == pytest.approx(10 * plain.low)
    assert anytime_interval([1, 2]).high == math.inf


def test_moments_are_exact_and_do_not_know_the_order():
    scores = [Fraction(1, 3), Fraction(-7, 2), Fraction(5), Fraction(0)]
    parts = Moments().with_scores(scores[2:]).with_scores(scores[:2])
    assert parts == Moments().with_scores(scores)
    assert parts.interval() == mean_interval(scores)
    assert (parts.boards, parts.total) == (4, sum(scores))
    assert parts.squares == sum(score * score for score in scores)


@pytest.mark.parametrize("confidence", [0, 1, -0.5])
def test_a_confidence_outside_its_range_is_refused(confidence):
    assert "between 0 and 1" in str(refusal(ValueError, anytime_interval, [1, 2, 3], confidence))
