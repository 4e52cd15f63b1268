"""The search of `rensho tune` on functions whose best values are known."""

import numpy as np

from bots.kit.local.scale import point_of, values_of
from bots.kit.local.search import Samples, best_with_interval, fit_quadratic, min_blocks, next_points
from referee.parameters import Parameter

POINTS = 4


def searched(peak, blocks, seed=1):
    """Samples of a quadratic function with noise: of each point, and of each block as its cards have it."""
    rng, luck = np.random.default_rng(seed), np.random.default_rng(seed + 100)
    samples = Samples(np.empty((0, len(peak))), np.empty(0), np.empty(0, dtype=np.int64))
    for block in range(blocks):
        points = next_points(samples, POINTS, rng)
        scores = -0.5 * ((points - peak) ** 2).sum(axis=1) + luck.normal(0, 2) + luck.normal(0, 0.1, POINTS)
        samples = Samples(
            np.vstack([samples.points, points]),
            np.append(samples.scores, scores),
            np.append(samples.blocks, [block] * POINTS),
        )
    return samples, rng


def test_it_finds_the_best_values_whatever_the_cards_of_a_block_are_worth():
    peak = np.array([0.4, -0.3])
    samples, rng = searched(peak, 30)
    best, low, high = best_with_interval(samples, rng)
    assert np.abs(best - peak).max() < 0.15
    assert (low <= best).all()
    assert (best <= high).all()
    assert (high - low).max() < 0.5


def test_it_looks_where_values_are_good():
    samples, _ = searched(np.array([0.5]), 40)
    early, late = samples.points[:40], samples.points[-40:]
    assert np.abs(late - 0.5).mean() < 0.8 * np.abs(early - 0.5).mean()
    fit = fit_quadratic(samples)
    assert fit.weight_at(np.array([[0.5]]))[0] > 5 * fit.weight_at(np.array([[-1.0]]))[0]


def test_the_best_value_may_lie_at_an_end():
    samples, rng = searched(np.array([3.0]), 20)
    best, _, high = best_with_interval(samples, rng)
    assert 0.9 < best[0] <= high[0] <= 1.0


def test_the_same_samples_give_the_same_points():
    samples, _ = searched(np.array([0.1]), 10)
    first, again = (next_points(samples, POINTS, np.random.default_rng(5)) for _ in range(2))
    assert (first == again).all()


def test_points_and_values_are_each_other():
    parameters = [
        Parameter("risk", 0.5, -2.0, 2.0),
        Parameter("depth", 3.0, 1.0, 9.0, whole=True),
        Parameter("scale", 1.0, 0.01, 100.0, log=True),
    ]
    values = values_of([0.5, -0.5, 0.0], parameters)
    assert values == {"risk": 1.0, "depth": 3.0, "scale": 1.0}
    assert np.allclose(point_of(values, parameters), [0.5, -0.5, 0.0])
    for end, parameter_values in ((-1.0, (-2.0, 1.0, 0.01)), (1.0, (2.0, 9.0, 100.0))):
        assert tuple(values_of([end] * 3, parameters).values()) == parameter_values


def test_enough_blocks_give_twice_as_many_differences_as_coefficients():
    assert min_blocks(1, POINTS) == 2
    assert min_blocks(6, POINTS) == 18
