"""After an experiment stopped: the corrected mean, the widened interval, and experiments against a field."""

import math
import random
from fractions import Fraction
from statistics import NormalDist

import pytest

from league.errors import SequentialError
from league.experiments import analyse_stopped_test, corrected_mean, field_scores, upper_bound_probability
from league.sequential import SequentialTest
from tests.refusals import refusal

TEST = SequentialTest(difference=0.2, alpha=0.05, beta=0.05, cap=2000)
BETTER = [1.5, -0.5, 0.0, 1.0] * 100


def stopped(mean, rng, test=TEST, spread=0.7):
    """The scores of one experiment up to the board that decides."""
    run, scores = test.start(), []
    while run.state == "running":
        scores.append(rng.gauss(mean, spread))
        run.add(scores[-1])
    return scores


@pytest.mark.parametrize("drift", [-0.6, 0.0, 0.3, 2.0])
@pytest.mark.parametrize("time", [0.5, 2.0, 9.0])
def test_far_from_one_bound_the_series_is_that_of_the_other_alone(drift, time):
    phi = NormalDist().cdf
    above, noise = 1.5, 0.8
    scale = math.sqrt(noise * time)
    alone = phi((drift * time - above) / scale) + math.exp(2 * drift * above / noise) * phi(
        (-drift * time - above) / scale
    )
    assert upper_bound_probability(time, drift, noise, above, 40.0) == pytest.approx(alone, abs=1e-6)


@pytest.mark.parametrize("drift", [-0.5, 0.0, 0.4])
def test_in_the_end_one_of_the_bounds_is_reached(drift):
    up, down = (
        upper_bound_probability(1e4, drift, 0.6, 1.0, 2.0),
        upper_bound_probability(1e4, -drift, 0.6, 2.0, 1.0),
    )
    assert up + down == pytest.approx(1)
    rate = 2 * drift / 0.6
    ever = 2 / 3 if drift == 0 else (1 - math.exp(-rate * 2)) / (1 - math.exp(-rate * 3))
    assert up == pytest.approx(ever)
    assert upper_bound_probability(0.01, drift, 0.6, 1.0, 2.0) == pytest.approx(0, abs=1e-6)


def test_chances_are_those_of_steps_drawn():
    rng = random.Random(1)
    hits = 0
    for _ in range(1000):
        at = 0.0
        for _ in range(200):
            at += rng.gauss(0.004, 0.1)
            if not -1.0 < at < 0.8:
                break
        hits += at >= 0.8
    # Steps overshoot: by .058 of a bound each, as if the bounds lay further off.
    assert hits / 1000 == pytest.approx(upper_bound_probability(200, 0.004, 0.01, 0.858, 1.058), abs=0.045)


def test_the_corrected_mean_is_where_both_ends_are_as_likely():
    scores = stopped(0.25, random.Random(2))
    found = corrected_mean(TEST, scores)
    boards, mean = len(scores), sum(scores) / len(scores)
    variance = sum((score - mean) ** 2 for score in scores) / (boards - 1)
    stake = 0.2 / variance
    evidence = stake * (sum(scores) - boards * 0.1)
    assert TEST.evaluate(scores).state == "accepted"
    chance = upper_bound_probability(
        boards, stake * (found - 0.1), stake**2 * variance, evidence, math.log(20)
    )
    assert chance == pytest.approx(0.5, abs=1e-6)
    assert found < mean


def test_a_rejection_is_corrected_upwards_and_as_far():
    rng = random.Random(3)
    scores = stopped(0.25, rng)
    assert TEST.evaluate(scores).state == "accepted"
    # Seen from the other version, less the difference, it is the same test.
    mirrored = [0.2 - score for score in scores]
    assert TEST.evaluate(mirrored).state == "rejected"
    assert corrected_mean(TEST, mirrored) == pytest.approx(0.2 - corrected_mean(TEST, scores), abs=1e-6)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("mean", "raw"), [(0.0, -0.012), (0.2, 0.012)])
def test_the_correction_takes_the_bias_away(mean, raw):
    rng = random.Random(4)
    found = [analyse_stopped_test(TEST, stopped(mean, rng)) for _ in range(150)]
    bias = sum(one.judgement.mean for one in found) / 150 - mean
    corrected = sum(one.mean for one in found) / 150 - mean
    assert bias / raw > 1
    assert abs(corrected) < 0.6 * abs(bias)
    assert 0.4 < sum(one.mean < mean for one in found) / 150 < 0.6
    assert sum(one.low <= mean <= one.high for one in found) >= 137


def test_a_stopped_experiment_shows_both_corrected_and_widened():
    found = analyse_stopped_test(TEST, BETTER)
    low, high = found.judgement.interval
    assert found.judgement.state == "accepted"
    assert (found.is_corrected, found.is_widened) == (True, True)
    assert found.high - found.low == pytest.approx(1.15 * (high - low))
    assert (found.low + found.high) / 2 == pytest.approx(found.judgement.mean)
    assert found.low < found.mean < found.judgement.mean
    # Boards after the deciding one change nothing.
    assert analyse_stopped_test(TEST, BETTER[: found.judgement.boards]) == found


def test_a_running_one_and_one_at_its_cap_are_not_corrected():
    running = analyse_stopped_test(TEST, BETTER[:19])
    assert running.judgement.state == "running"
    assert (running.mean, running.low, running.high) == (running.judgement.mean, *running.judgement.interval)
    assert not running.is_widened
    assert analyse_stopped_test(TEST, []).mean == 0
    capped = analyse_stopped_test(SequentialTest(0.2, 0.05, 0.05, 20), [0.6, -0.4] * 10)
    assert capped.judgement.state == "inconclusive"
    assert (capped.is_corrected, capped.is_widened) == (False, True)
    assert capped.mean == capped.judgement.mean


def test_scores_that_are_all_equal_need_no_correction():
    found = analyse_stopped_test(TEST, [0.0] * 2000)
    assert found.judgement.state == "rejected"
    assert (found.mean, found.low, found.high, found.is_corrected) == (0, 0, 0, False)


def test_the_score_against_a_field_is_half_the_mean_difference():
    new = {"a": [2, 0, Fraction(1, 2)], "b": [1, -1, 0]}
    old = {"b": [0, -1, 1], "a": [1, 1, Fraction(1, 2)]}
    assert field_scores(new, old) == [Fraction(2, 4), Fraction(-1, 4), Fraction(-1, 4)]
    assert field_scores(old, new) == [-score for score in field_scores(new, old)]


@pytest.mark.parametrize(
    ("new", "old", "message"),
    [
        ({}, {}, "only one"),
        ({"a": [1]}, {"b": [1]}, "only one"),
        ({"a": [1, 2]}, {"a": [1]}, "same boards"),
        ({"a": [1], "b": [1, 2]}, {"a": [1], "b": [1, 2]}, "same boards"),
    ],
)
def test_another_field_for_each_version_is_refused(new, old, message):
    assert message in str(refusal(SequentialError, field_scores, new, old))
