"""Is the new version better? A sequential test on the board score that stops as soon as it can decide.

"Not better" is a mean of 0 stones per board or less, "better" is a mean of ``difference`` or more; each
answer has an error rate. Against each, the test keeps the fortune of a bettor whose bets are fair, or losing,
if the answer is true. With a small part, fixed before each board, staked on every board, the fortune grows to
1/alpha with a probability of at most alpha, for any number of boards and any distribution. So a fortune of
1/alpha against "not better" accepts, and one of 1/beta against "better" rejects. The stake is the one that
grows fastest, difference / variance: about as many boards as Wald's test for nearly normal scores.

Guarantees: docs/decisions/0005-sequential-comparison.md; measured error rates: docs/scores.md.

Source: docs/contracts.md#scores-standings-ratings; I. Waudby-Smith and A. Ramdas, Estimating means of bounded
random variables by betting (2024).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from league.errors import SequentialError
from league.intervals import t_quantile

State = Literal["running", "accepted", "rejected", "inconclusive"]
"""Continuing; the new version is better; it is not better by the difference; the cap was reached first."""

MIN_BOARDS = 20
"""Minimum boards for a decision."""
PRIOR_DIFFERENCES = 10
"""Deviation, in differences, of an imagined board in the variance, which keeps the first stakes small."""
EXPECTED_MAX_STONES = 4
EXPECTED_MAX_DIFFERENCES = 8
"""Largest expected distance of a board score from 0: the larger of these two, or the largest observed."""
MAX_STAKED_SHARE = 0.9
"""Maximum share of a fortune that the worst expected score may lose."""
MIN_KEPT_SHARE = 0.1
"""Share of a fortune kept after a score worse than expected; impossible on deal boards of four seats."""
CONFIDENCE = 0.95
TIGHTEST_BOARDS = 500
"""Number of boards at which the anytime-valid interval is tightest."""


class SequentialResult(NamedTuple):
    state: State
    boards: int
    """Boards that counted: all, or those up to the deciding one."""
    mean: float
    """Mean score in stones per board, 0 without boards; overestimates the winner after an early stop."""
    interval: tuple[float, float]
    """95 % interval of the mean (Student's t) for a fixed number of boards; too narrow if stopped early."""
    anytime_interval: tuple[float, float]
    """95 % interval that is valid at any time and for any stopping rule; wider."""
    llr: float
    """Evidence: the logarithm of the fortune against "not better", or minus that against "better", whichever
    is nearer its bound; 0 while both are losing. It reads like a log-likelihood ratio.
    """
    lower: float
    """Evidence at which the test rejects: log(beta)."""
    upper: float
    """Evidence at which the test accepts: log(1/alpha)."""
    expected_remaining: int | None
    """Expected remaining boards by observed mean and spread, up to the cap; None without boards."""


@dataclasses.dataclass(frozen=True)
class SequentialTest:
    """Error rates for one question: is the mean board score 0 or less, or ``difference`` or more?

    A version that is not better is accepted with a probability of at most ``alpha``. One that is better by
    ``difference`` or more is rejected with a probability of at most ``beta`` (the cap counts as neither).
    Raise ``SequentialError`` for a value out of its range.
    """

    difference: float
    """Minimum improvement to detect, in stones per board; above 0."""
    alpha: float
    """Above 0, below 1/2."""
    beta: float
    """Above 0, below 1/2."""
    cap: int
    """Boards after which the test ends as inconclusive."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.difference) and self.difference > 0):
            raise SequentialError(
                f"the difference to look for must be above 0 stones a board, not {self.difference}"
            )
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise SequentialError(f"the error rate {name} must lie between 0 and 0.5, not {rate}")
        if isinstance(self.cap, bool) or not isinstance(self.cap, int) or self.cap < MIN_BOARDS:
            raise SequentialError(
                f"the cap must be {MIN_BOARDS} boards or more, a whole number, not {self.cap}"
            )

    @property
    def lower(self) -> float:
        return math.log(self.beta)

    @property
    def upper(self) -> float:
        return -math.log(self.alpha)

    def expected_boards(self, mean: float, deviation: float) -> int:
        """Return the expected boards until an answer, up to the cap, for this mean and standard deviation."""
        variance = deviation**2
        stake = self.difference / (variance + self.difference**2)
        drift, noise = stake * (mean - self.difference / 2), stake**2 * variance
        boards = _exit_time(self.upper, -self.lower, drift, noise) if noise else 0.0
        return min(max(MIN_BOARDS, math.ceil(boards)), self.cap)

    def start(self) -> SequentialRun:
        """Return the test before its first board, to add scores board by board."""
        return SequentialRun(self)

    def evaluate(self, scores: Sequence[Fraction | float]) -> SequentialResult:
        """Return the result for these scores, one per board, in the order of boards.

        The first board that decides counts; later boards change nothing. Costs one pass. Raise
        ``SequentialError`` if a score is not a finite number.
        """
        run = self.start()
        for score in scores:
            if run.add(score) != "running":
                break
        return run.result()


class SequentialRun:
    """One running comparison, with constant work and memory per board."""

    __slots__ = (
        "_against_better",
        "_against_level",
        "_boards",
        "_feared",
        "_mean",
        "_squares",
        "_state",
        "_test",
    )

    def __init__(self, test: SequentialTest) -> None:
        self._test = test
        self._boards = 0
        self._mean = 0.0
        self._squares = 0.0
        self._feared = max(float(EXPECTED_MAX_STONES), EXPECTED_MAX_DIFFERENCES * test.difference)
        # Logarithms of the two fortunes, which start at 1.
        self._against_level = 0.0
        self._against_better = 0.0
        self._state: State = "running"

    @property
    def state(self) -> State:
        return self._state

    @property
    def boards(self) -> int:
        return self._boards

    def add(self, score: Fraction | float) -> State:
        """Count the score of the next board, in stones; must be finite. Ignored once decided."""
        value = float(score)
        if not math.isfinite(value):
            raise SequentialError(f"the score of board {self._boards + 1} is {value}: no finite number")
        if self._state != "running":
            return self._state
        # The stake must not depend on the score it is placed on.
        stake = self._stake
        self._against_level += math.log(max(MIN_KEPT_SHARE, 1 + stake * value))
        self._against_better += math.log(max(MIN_KEPT_SHARE, 1 + stake * (self._test.difference - value)))
        self._feared = max(self._feared, abs(value))
        self._boards += 1
        off = value - self._mean
        self._mean += off / self._boards
        self._squares += off * (value - self._mean)
        if self._boards >= MIN_BOARDS:
            llr = self.llr
            if llr >= self._test.upper:
                self._state = "accepted"
            elif llr <= self._test.lower:
                self._state = "rejected"
            elif self._boards >= self._test.cap:
                self._state = "inconclusive"
        return self._state

    @property
    def llr(self) -> float:
        """Evidence so far; 0 without boards, and while both fortunes are losing."""
        accepts = self._against_level / self._test.upper
        rejects = self._against_better / -self._test.lower
        if accepts >= rejects:
            return max(0.0, self._against_level)
        return -max(0.0, self._against_better)

    def result(self) -> SequentialResult:
        """Return the full result after the last board; costs more than ``add``, but constant time."""
        return SequentialResult(
            state=self._state,
            boards=self._boards,
            mean=self._mean,
            interval=self._interval(),
            anytime_interval=self._anytime_interval(),
            llr=self.llr,
            lower=self._test.lower,
            upper=self._test.upper,
            expected_remaining=self._expected_remaining(),
        )

    @property
    def _variance(self) -> float:
        """Variance of the scores so far and the imagined board of ``PRIOR_DIFFERENCES``; never 0."""
        return (self._squares + (PRIOR_DIFFERENCES * self._test.difference) ** 2) / (self._boards + 1)

    @property
    def _stake(self) -> float:
        """Share of a fortune staked on the next board, per stone."""
        difference = self._test.difference
        return min(
            difference / (self._variance + difference**2), MAX_STAKED_SHARE / (self._feared + difference)
        )

    def _interval(self) -> tuple[float, float]:
        if self._boards < 2:
            return (-math.inf, math.inf)
        error = math.sqrt(self._squares / (self._boards - 1) / self._boards)
        half = t_quantile((1 + CONFIDENCE) / 2, self._boards - 1) * error
        return (self._mean - half, self._mean + half)

    def _anytime_interval(self) -> tuple[float, float]:
        """Return the normal-mixture confidence sequence, tightest at ``TIGHTEST_BOARDS`` boards.

        Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and
        asymptotic confidence sequences (2024), theorem 2.2.
        """
        if self._boards < 2:
            return (-math.inf, math.inf)
        miss = 1 - CONFIDENCE
        rho2 = (-2 * math.log(miss) + math.log(1 - 2 * math.log(miss))) / TIGHTEST_BOARDS
        grown = self._boards * rho2 + 1
        half = math.sqrt(
            self._variance * 2 * grown / (self._boards**2 * rho2) * math.log(math.sqrt(grown) / miss)
        )
        return (self._mean - half, self._mean + half)

    def _expected_remaining(self) -> int | None:
        """Return the mean time of the evidence to a bound, as a Brownian motion with its drift and noise."""
        if self._state != "running":
            return 0
        if not self._boards:
            return None
        test, stake, variance = self._test, self._stake, self._variance
        drift = stake * (self._mean - test.difference / 2)
        noise = stake**2 * variance
        # A stake below the optimal one lets both fortunes grow slightly on every board, as if the bounds
        # moved closer. The time of reaching them is then a fixed point.
        nearer = max(0.0, stake * test.difference / 2 - noise / 2)
        above, below = test.upper - self._against_level, -test.lower - self._against_better
        low, high = 0.0, float(test.cap - self._boards)
        while high - low > 0.5:
            boards = (low + high) / 2
            if _exit_time(above - nearer * boards, below - nearer * boards, drift, noise) > boards:
                low = boards
            else:
                high = boards
        least = max(1, MIN_BOARDS - self._boards)
        return min(max(least, math.ceil(high)), test.cap - self._boards)


def _exit_time(above: float, below: float, drift: float, noise: float) -> float:
    """Return the mean time of a Brownian motion (drift and variance per step) to rise or fall this far."""
    if above <= 0 or below <= 0:
        return 0.0
    width = above + below
    if abs(drift) * width < 1e-6 * noise:
        return above * below / noise
    if drift < 0:
        above, below, drift = below, above, -drift
    rate = 2 * drift / noise
    leaves_above = math.expm1(-rate * below) / math.expm1(-rate * width)
    return (width * leaves_above - below) / drift
