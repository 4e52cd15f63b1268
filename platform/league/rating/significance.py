"""Tail probabilities of distributions, and false discovery rates of many p-values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from league.rating.fixtures import FloatArray, IntArray

MAX_STEPS = 300
"""Maximum steps of the continued fraction; about twelve are usual."""
PRECISION = 1e-13


def t_tails(values: FloatArray, degrees: IntArray) -> FloatArray:
    """Return two-sided tail probabilities of Student's t, with full relative precision for small ones.

    Source: Numerical Recipes, 3rd edition (2007), 6.4: the incomplete beta function by Lentz's method.
    """
    nu = degrees.astype(np.float64)
    x = nu / (nu + values**2)
    # The continued fraction converges fast below (a + 1) / (a + b + 2); symmetry maps other values there.
    is_turned = x > (nu / 2 + 1) / (nu / 2 + 2.5)
    a = np.where(is_turned, 0.5, nu / 2)
    b = np.where(is_turned, nu / 2, 0.5)
    argument = np.clip(np.where(is_turned, 1 - x, x), 1e-300, 1.0)
    known = {int(count): _log_beta(int(count) / 2) for count in np.unique(degrees)}
    beta = np.array([known[int(count)] for count in degrees])
    front = np.exp(a * np.log(argument) + b * np.log1p(-np.minimum(argument, 1 - 1e-16)) - beta) / a
    tail = front * _continued_fraction(a, b, argument)
    return np.asarray(np.clip(np.where(is_turned, 1 - tail, tail), 0.0, 1.0), np.float64)


def _log_beta(half: float) -> float:
    return math.lgamma(half) + math.lgamma(0.5) - math.lgamma(half + 0.5)


def _continued_fraction(a: FloatArray, b: FloatArray, x: FloatArray) -> FloatArray:
    tiny = 1e-300
    c = np.ones_like(x)
    d = 1 / _avoid_zero(1 - (a + b) * x / (a + 1), tiny)
    value = d.copy()
    for m in range(1, MAX_STEPS):
        for part in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _avoid_zero(1 + part * d, tiny)
            c = _avoid_zero(1 + part / c, tiny)
            value *= c * d
        if np.abs(c * d - 1).max(initial=0) < PRECISION:
            break
    return value


def _avoid_zero(values: FloatArray, tiny: float) -> FloatArray:
    return np.where(np.abs(values) < tiny, tiny, values)


def q_values(p: Sequence[float] | FloatArray) -> FloatArray:
    """Return, for each p-value, the share of false findings if all p-values up to it are accepted.

    Source: Y. Benjamini and Y. Hochberg, Controlling the false discovery rate (1995).

    >>> q_values([0.01, 0.02, 0.9]).round(3).tolist()
    [0.03, 0.03, 0.9]
    """
    given = np.asarray(p, np.float64)
    order = np.argsort(given, kind="stable")
    scaled = given[order] * len(given) / np.arange(1, len(given) + 1)
    values = np.empty(len(given))
    values[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return values


def hypergeometric_tail(observed: int, draws: Iterable[tuple[int, int, int]]) -> float:
    """Return the probability that draws without replacement contain at least this many marked items.

    Each draw is (all, marked among them, drawn): for one, Fisher's exact test. Costs draws x observed.
    """
    chance = [1.0] + [0.0] * observed
    for count, marked, drawn in draws:
        if not marked or not drawn:
            continue
        least, most = max(0, drawn - (count - marked)), min(marked, drawn)
        ways = math.comb(count, drawn)
        each = [
            math.comb(marked, k) * math.comb(count - marked, drawn - k) / ways for k in range(least, most + 1)
        ]
        after = [0.0] * (observed + 1)
        for had, part in enumerate(chance):
            for k, share in enumerate(each, least):
                # The last item is the probability of this number or more.
                after[min(observed, had + k)] += part * share
        chance = after
    return min(1.0, chance[observed])
