"""What an experiment says once it has stopped, and what it counts where two versions meet a field.

A sequential test that stops at the first clear evidence flatters whoever it favours, and its fixed-size
interval is too narrow. The corrected mean is the one for which it would have been as likely as not to stop as
decidedly as it did: evidence is taken as a Brownian motion between its two bounds, where the chance of
reaching one of them by a time is a known series. It is wrong by 0.02 stones at most on the average where the
mean of the boards was wrong by 0.04.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from league.errors import SequentialError
from league.sequential import SequentialResult, SequentialTest

INTERVAL_WIDENING = 1.15
"""Student's t interval, so many times as wide, covers the true mean of about 95 in 100 that stopped."""
MIN_BOUND = 0.1
"""Evidence that never left its start by so much counts as if it had."""
MAX_SERIES_TERMS = 400
"""Of the series."""
MAX_CORRECTION = 8.0
"""Standard errors from the raw mean within which the corrected one is looked for."""


class StoppedTest(NamedTuple):
    """A sequential test and what to show of it."""

    judgement: SequentialResult
    mean: float
    """In stones a board: corrected for having stopped early if ``is_corrected``, else that of the boards."""
    low: float
    high: float
    """95 % interval about the mean of the boards, widened for having stopped early if ``is_widened``."""
    is_corrected: bool
    is_widened: bool


def analyse_stopped_test(test: SequentialTest, scores: Sequence[Fraction | float]) -> StoppedTest:
    """What these scores say, one a board, in the order of boards; those after the deciding one do not count.

    While the test is running, and when it ended at its cap, the mean is as it is; an interval is widened
    once the test has ended. Costs a pass, and if decided some thousand terms of a series.

    Raises:
        SequentialError: a score that is no finite number.
    """
    found = test.evaluate(scores)
    low, high = found.interval
    if found.state == "running" or found.boards < 2:
        return StoppedTest(found, found.mean, low, high, False, False)
    middle, half = (low + high) / 2, INTERVAL_WIDENING * (high - low) / 2
    mean = corrected_mean(test, [float(score) for score in scores[: found.boards]])
    return StoppedTest(
        found,
        found.mean if mean is None else mean,
        middle - half,
        middle + half,
        mean is not None,
        True,
    )


def corrected_mean(test: SequentialTest, scores: Sequence[float]) -> float | None:
    """The median-unbiased mean of a test that these scores, and not one fewer, decided.

    None if they did not, or are all equal: there is no noise to correct for.
    """
    state = test.evaluate(scores).state
    boards = len(scores)
    if state not in ("accepted", "rejected"):
        return None
    total = math.fsum(scores)
    variance = math.fsum((score - total / boards) ** 2 for score in scores) / (boards - 1)
    if variance <= 0:
        return None
    stake = test.difference / variance
    noise = stake**2 * variance
    evidence = stake * (total - boards * test.difference / 2)

    def more_decided(mean: float) -> float:
        """The chance to end further up than it did, with this true mean: it rises with it."""
        drift = stake * (mean - test.difference / 2)
        if state == "accepted":
            above, below = max(evidence, MIN_BOUND), max(-test.lower, MIN_BOUND)
            return upper_bound_probability(boards, drift, noise, above, below)
        above, below = max(test.upper, MIN_BOUND), max(-evidence, MIN_BOUND)
        return 1 - upper_bound_probability(boards, -drift, noise, below, above)

    reach = MAX_CORRECTION * math.sqrt(variance / boards)
    low, high = total / boards - reach, total / boards + reach
    for _ in range(50):
        middle = (low + high) / 2
        if more_decided(middle) < 0.5:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def upper_bound_probability(time: float, drift: float, noise: float, above: float, below: float) -> float:
    """The chance that a Brownian motion from 0 rises by ``above`` by this time, before it falls by ``below``.

    ``drift`` and ``noise`` are its mean and variance a unit of time.

    Source: D. R. Cox and H. D. Miller, The Theory of Stochastic Processes (1965), 5.7, two barriers.
    """
    width = above + below
    rate = 2 * drift / noise
    if abs(rate) * width < 1e-9:
        ever = below / width
    elif rate > 0:
        ever = math.expm1(-rate * below) / math.expm1(-rate * width)
    else:
        # The same, without powers too large to hold.
        ever = math.exp(rate * above) * math.expm1(rate * below) / math.expm1(rate * width)
    still = 0.0
    for n in range(1, MAX_SERIES_TERMS + 1):
        speed = drift**2 / (2 * noise) + n**2 * math.pi**2 * noise / (2 * width**2)
        power = drift * above / noise - speed * time
        if power < -745 or speed * time > 745:
            break
        sign = 1 if n % 2 else -1
        still += sign * n * math.sin(n * math.pi * below / width) * math.exp(power) / speed
    return min(1.0, max(0.0, ever - math.pi * noise / width**2 * still))


def field_scores(
    new: Mapping[str, Sequence[Fraction | int]], old: Mapping[str, Sequence[Fraction | int]]
) -> list[Fraction]:
    """A score a board for two versions that met the same field on the same boards: (new - old)/2.

    ``new`` and ``old`` have each version's board scores, in stones, by opponent (or by table of opponents);
    the mean over the field is taken. As in a game of more than two sides it is half of the difference that
    the two have in the field, and so are the mean and the difference that a test of it looks for.

    Raises:
        SequentialError: no opponents, other ones for the two versions, or not as many boards.
    """
    if not new or new.keys() != old.keys():
        missing = sorted(new.keys() ^ old.keys())
        raise SequentialError(
            f"both versions must have met the same field; only one met: {missing or 'nobody'}"
        )
    lengths = {len(scores) for played in (new, old) for scores in played.values()}
    if len(lengths) > 1:
        raise SequentialError(f"the field was not met on the same boards: {sorted(lengths)} of them")
    return [
        sum((Fraction(new[name][board]) - Fraction(old[name][board]) for name in sorted(new)), Fraction())
        / (2 * len(new))
        for board in range(lengths.pop())
    ]
