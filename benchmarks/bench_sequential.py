"""Error rates of the sequential comparison, and how many boards it takes, on several kinds of scores.

    python benchmarks/bench_sequential.py [--runs 1000] [--seed 1] [--json]

Every line simulates comparisons of one true mean, from 0 ("not better") to twice the difference, until the
test ends: of scores made up, some far from normal, and of scores really played (``benchmarks.pool``). Where
either claim is true, boards are compared with a test of fixed size that knows the standard deviation. Same
arguments, same numbers.

Status 0 if every error rate is at most the stated one, within three standard errors, and if scores really
played, of a standard deviation of three differences and 0.4 stones or more, take at most 1.05 times the
boards of the fixed size. All of it: ``--runs 2000``.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import accumulate
from statistics import NormalDist
from typing import NamedTuple

from benchmarks.pool import played
from league.sequential import SequentialTest

ALPHA = BETA = 0.05
CAP = 50_000
PROCESSES = 2
MOST_BOARDS = 1.05
"""Of a test of fixed size, where the standard deviation is ``NOISY`` differences or more."""
NOISY = 3.0
LEAST_SPREAD = 0.4
"""Stones: with less, the stake that 4 stones feared allow is far below the best, and no bet on them can keep
the bar (at a difference of 0.1 and a standard deviation of 0.33 it takes 1.17 of the fixed size at least)."""
MEANS = (0.0, 0.5, 1.0, 2.0)
"""True means, in differences."""


class Kind(NamedTuple):
    """A kind of board scores and a difference worth finding in it, in stones a board."""

    name: str
    difference: float


PLAYED: Mapping[str, tuple[str, str]] = {
    f"{game} rules-{other}": ("rules", other)
    for game, others in (("kakeya4", ("greedy", "r_e10", "r_keep", "r_void")), ("kakkuri4", ("r_var",)))
    for other in others
}
"""Fixtures of the pool: of tables of four, half the difference of the two."""

KINDS = (
    *(Kind("deal boards", difference) for difference in (0.1, 0.25, 0.5)),
    *(Kind("four of five level", difference) for difference in (0.1, 0.25)),
    *(Kind("19 of 20 level", difference) for difference in (0.05, 0.1)),
    *(Kind("rare large wins", difference) for difference in (0.1, 0.2)),
    *(Kind("kakkuri sessions", difference) for difference in (0.5, 1.0)),
    *(Kind(name, difference) for name in PLAYED for difference in (0.1, 0.2)),
)


class Line(NamedTuple):
    """What one true mean showed."""

    kind: str
    difference: float
    mean: float
    spread: float
    accepted: float
    rejected: float
    boards: float
    runs: int

    @property
    def error(self) -> tuple[float, float] | None:
        """The rate of the wrong verdict and the stated one; None for a mean between the two claims."""
        if self.mean <= 0:
            return self.accepted, ALPHA
        return (self.rejected, BETA) if self.mean >= self.difference else None

    @property
    def fixed(self) -> float | None:
        """Boards by those of a fixed size with the same error rates; None where neither claim is true."""
        if self.mean not in (0.0, self.difference):
            return None
        quantiles = NormalDist().inv_cdf(1 - ALPHA) + NormalDist().inv_cdf(1 - BETA)
        return self.boards / (quantiles * self.spread / self.difference) ** 2

    @property
    def is_short(self) -> bool | None:
        """Whether it took few enough boards; None without a bar."""
        if self.fixed is None or self.kind not in PLAYED:
            return None
        if self.spread < max(NOISY * self.difference, LEAST_SPREAD):
            return None
        return self.fixed <= MOST_BOARDS

    @property
    def passes(self) -> bool:
        """Whether boards are few, and wrong verdicts as stated, within three standard errors."""
        if self.is_short is False:
            return False
        if self.error is None:
            return True
        rate, stated = self.error
        return rate <= stated + 3 * math.sqrt(stated * (1 - stated) / self.runs)

    def __str__(self) -> str:
        verdict = "" if self.error is None else "  PASS" if self.passes else "  FAIL"
        bar = "" if self.error is None else f" (bar {self.error[1]})"
        fixed = "" if self.fixed is None else f", {self.fixed:.2f} of fixed"
        most = "" if self.is_short is None else f" (bar {MOST_BOARDS})"
        return (
            f"{self.kind:<21} difference {self.difference:<5} mean {self.mean:<6.3g} sd {self.spread:5.2f}"
            f"  accepted {self.accepted:6.3f}  rejected {self.rejected:6.3f}{bar}"
            f"  boards {self.boards:7.0f}{fixed}{most}{verdict}"
        )


def weights(name: str) -> dict[float, float]:
    """How often each score comes, before it is tilted to a mean."""
    if name in PLAYED:
        return of_the_pool(*PLAYED[name])
    if name == "rare large wins":
        return {4.0: 0.03, 0.0: 0.73, -0.5: 0.24}
    level = {"deal boards": 0.45, "four of five level": 0.8, "19 of 20 level": 0.95}[name]
    others = {k / 2: math.exp(-abs(k) / 2) for k in range(-8, 9) if k}
    return {0.0: level, **{s: w * (1 - level) / sum(others.values()) for s, w in others.items()}}


def of_the_pool(bot: str, other: str) -> dict[float, float]:
    """How often each score of the first came in a fixture of the pool of both."""
    fixture = next(one for one in played() if {bot, other} <= set(one.bots))
    won = fixture.scores[:, fixture.bots.index(bot)]
    if len(fixture.bots) > 2:
        won = (won - fixture.scores[:, fixture.bots.index(other)]) / 2
    return {score: count / len(won) for score, count in Counter(won.tolist()).items()}


def tilted(given: Mapping[float, float], mean: float) -> dict[float, float]:
    """The same scores with exponentially changed weights, so that their mean is this."""
    low, high = -60.0, 60.0
    for _ in range(200):
        tilt = (low + high) / 2
        changed = {score: weight * math.exp(tilt * score / 4) for score, weight in given.items()}
        if sum(score * weight for score, weight in changed.items()) < mean * sum(changed.values()):
            low = tilt
        else:
            high = tilt
    total = sum(changed.values())
    return {score: weight / total for score, weight in changed.items()}


def scores(name: str, mean: float, rng: random.Random) -> Iterator[float]:
    """Board scores without end."""
    if name == "kakkuri sessions":
        # Half the difference of two players' stones, over the seven tables of a rotation: many small
        # losses and few large wins at each, as where one player takes the pot.
        while True:
            won = [round(rng.expovariate(1 / 12)) - round(rng.expovariate(1 / 12)) for _ in range(7)]
            yield sum(won) / 14 + mean
    made = tilted(weights(name), mean)
    values, cumulative = list(made), list(accumulate(made.values()))
    while True:
        yield from rng.choices(values, cum_weights=cumulative, k=256)


def line(kind: Kind, of_difference: float, runs: int, seed: int) -> Line:
    """Simulated comparisons of one kind and true mean."""
    mean = of_difference * kind.difference
    test = SequentialTest(kind.difference, ALPHA, BETA, CAP)
    rng = random.Random(f"{seed} {kind.name} {kind.difference} {of_difference}")
    ended: Counter[str] = Counter()
    boards = 0
    stream = scores(kind.name, mean, rng)
    # As many as it takes to know the standard deviation to a hundredth.
    sample = [next(stream) for _ in range(20_000)]
    for _ in range(runs):
        run = test.start()
        for score in stream:
            if run.add(score) != "running":
                break
        ended[run.state] += 1
        boards += run.boards
    centre = sum(sample) / len(sample)
    spread = math.sqrt(sum((score - centre) ** 2 for score in sample) / len(sample))
    return Line(
        kind.name,
        kind.difference,
        mean,
        spread,
        ended["accepted"] / runs,
        ended["rejected"] / runs,
        boards / runs,
        runs,
    )


def main() -> int:
    """Print every line; status 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000, help="comparisons a line")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with ProcessPoolExecutor(PROCESSES) as pool:
        asked = [
            pool.submit(line, kind, of_difference, arguments.runs, arguments.seed)
            for kind in KINDS
            for of_difference in MEANS
        ]
        found = []
        for future in asked:
            found.append(future.result())
            if not arguments.json:
                print(found[-1], flush=True)
    if arguments.json:
        print(
            json.dumps(
                [{**result._asdict(), "fixed": result.fixed, "passes": result.passes} for result in found],
                indent=1,
            )
        )
    return 0 if all(result.passes for result in found) else 1


if __name__ == "__main__":
    sys.exit(main())
