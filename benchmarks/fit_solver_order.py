"""Fits the weights of the solver's move ordering: writes ``engine/kernel/solving_weights.py``.

    python benchmarks/fit_solver_order.py [--seed 1] [--share 1.0] [--dry]

Starts from the current weights. Random deals are played at random down to a number of cards and solved.
Then walks descend the trees of the tests between which the answer lies. Where a player can reach its
goal, each card is searched with an empty table: whether it reaches the goal, and after how many nodes. A
walk continues to a card with a probability proportional to the nodes below it, so it visits the positions
on which the search spends its time. The weights then follow the gradient of the cost of a card drawn by
its score (softmax): the logarithm of the nodes that it takes to prove the node, relative to the best
card. Finally, for leads and for each following position, other deals are solved to choose the step size.

Node counts do not depend on the machine, so a seed gives the same samples everywhere, and the same
weights except for rounding. ``--share`` uses a part of the deals; ``--dry`` writes nothing. Build the
kernel again afterwards (``make kernel``).
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import random
import statistics
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bench_solver import position as random_position
from engine.games.kakeya.scoring import PICTURE_MASK
from engine.kernel import Limits, Position, legal_cards, play, solve, solve_many, solving, solving_order
from engine.kernel.limits import LimitChecker
from engine.kernel.solving_search import Search
from engine.kernel.solving_weights import WEIGHTS

KERNEL = Path(__file__).resolve().parents[1] / "engine" / "kernel"
FIRST_NUMBER = 5_000_000
"""First number of the deals; bench_solver uses others."""
DEALS = {8: 1600, 9: 700, 10: 260, 11: 60}
"""Number of deals by cards per hand."""
DEALS_PER_TASK = 10
WALKS = 4
"""Walks down the tree of each test."""
MAX_NODES = 200_000
"""Maximum nodes per card; a card that takes more counts as failed after this many."""
MIN_TRICKS = 4
"""Minimum tricks left; positions with fewer are not scored by the solver."""
LEADS, LEAD_FEATURES, FEATURES = 16, 32, 16
"""Rows of weights of leads, weights per row of leads, and weights per row of following cards."""
SCALE = 40.0
"""Difference of scores that makes a card e times as likely to be tried first."""
STEPS, BATCH, RATE, PULL = 400, 4000, 0.03, 1e-5
TRIED_DEALS = {8: 300, 10: 60}
STEP_SIZES = (0.05, 0.1, 0.15, 0.2, 0.3)
"""Parts of the way to the fitted weights. Samples come from positions where the search errs now, so the
whole way would spoil others.
"""


class Sample(NamedTuple):
    """The cards of a node at which at least one reaches the goal of its player."""

    seat: int
    weight: float
    rows: list[int]
    features: np.ndarray
    is_good: list[bool]
    nodes: list[int]


def plain(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"plain_{name}", KERNEL / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FeatureReader:
    """Reads the features that ``solving_order`` computes for the cards of a trick."""

    def __init__(self) -> None:
        self.suits: Any = plain("solving_suits").Suits()
        self.order: Any = plain("solving_order").MoveOrder(self.suits, 1)
        # A score is a sum of weights times features, which are small and not negative. With one byte per
        # weight, the score encodes the features and the row.
        first = LEADS * LEAD_FEATURES
        self.order.weights = [1 << 8 * (index % LEAD_FEATURES) for index in range(first)] + [
            1 << 8 * (index % FEATURES) for index in range(len(WEIGHTS) - first)
        ]
        for row in range(LEADS):
            self.order.weights[row * LEAD_FEATURES] |= row << 8 * LEAD_FEATURES
        for row in range((len(WEIGHTS) - first) // FEATURES):
            self.order.weights[first + row * FEATURES] |= row << 8 * LEAD_FEATURES

    def load(self, start: Position) -> None:
        self.suits.load(start)

    def cards(self, here: Position, need: int) -> dict[int, tuple[int, list[int]]]:
        """Return the row of weights and the features of each legal card."""
        suits, order, trick = self.suits, self.order, here.trick
        left, lead = suits.all_cards, (here.turn - len(trick)) % 4
        tricks = (left & suits.own[lead]).bit_count()
        best, winner, lane, played = 0, lead, 0, 0
        for index, card in enumerate(trick):
            bit = 1 << suits.numbers[card]
            if index == 0:
                lane = suits.numbers[card] >> 4
                order.set_strongest(left, lead, 0, lane, tricks)
            if index == 0 or order._power(bit, lane) > order._power(best, lane):
                best, winner = bit, (lead + index) % 4
            played |= bit
        card_of = {1 << suits.numbers[card]: card for card in legal_cards(here)}
        legal = sum(card_of)
        count = order.score_cards(
            legal, left, here.turn, len(trick), played, best, winner, lane, need, tricks, 0
        )
        features = {}
        for entry in range(count):
            # The lowest five bits of a key separate equal scores.
            spelt = (order.keys[entry] >> 5).to_bytes(LEAD_FEATURES + 1, "little")
            length = FEATURES if trick else LEAD_FEATURES
            features[card_of[order.cards[entry]]] = spelt[LEAD_FEATURES], list(spelt[:length])
        return features


def weights_of(seat: int, weights: np.ndarray) -> np.ndarray:
    first = LEADS * LEAD_FEATURES
    return weights[:first].reshape(-1, LEAD_FEATURES) if seat == 0 else weights[first:].reshape(-1, FEATURES)


class Walker:
    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.weights = np.array(WEIGHTS)
        self.search = Search()
        self.described = FeatureReader()
        self.known: dict[object, tuple[Sample | None, list[int], list[float]]] = {}

    def samples(self, position: Position) -> Iterator[Sample]:
        """Yield samples of both tests between which the answer lies."""
        answer = solve(position)
        least, most = position.captured[0], 17 - position.captured[1]
        pays = position.values[least:most]
        levels = sorted(set(pays))
        reached = levels.index(answer.low)
        for level in levels[max(1, reached) : reached + 2]:
            need = next(taken for taken, pay in enumerate(pays) if pay >= level)
            self.known.clear()
            for _ in range(WALKS):
                yield from self._walk(position, need, (answer.nodes + 1) ** 0.5)

    def _walk(self, position: Position, need: int, weight: float) -> Iterator[Sample]:
        while position.hands[position.turn].bit_count() >= MIN_TRICKS:
            left = sum((hand & PICTURE_MASK).bit_count() for hand in position.hands)
            if not 0 < need <= left:
                return
            start = position
            for _ in range(4):
                key = position.hands, position.trick, position.turn, need
                if key not in self.known:
                    self.known[key] = self._measured(start, position, need)
                sample, cards, chances = self.known[key]
                if sample is not None:
                    yield sample._replace(weight=weight)
                position = play(position, self.rng.choices(cards, chances)[0])
            need -= position.captured[0] - start.captured[0]

    def _measured(
        self, start: Position, here: Position, need: int
    ) -> tuple[Sample | None, list[int], list[float]]:
        """Return a sample if there is a choice, and the cards of the walk with their probabilities."""
        self.search.load(start)
        tops: dict[int, int] = {}
        for card in reversed(legal_cards(here)):
            tops.setdefault(self.search.same_run(here.turn, card), card)
        cards = list(tops)
        if len(cards) == 1:
            return None, cards, [1.0]
        is_good, nodes = [], []
        for card in cards:
            # Discard what the search stored about the previous cards.
            self.search.load(start)
            self.search.start(LimitChecker(Limits(nodes=MAX_NODES)))
            reached = self.search.reaches((*here.trick, card), (here.turn + 1) % 4, need, None)
            is_good.append(not self.search.stopped and reached == (here.turn % 2 == 0))
            nodes.append(self.search.nodes + 1)
        if not any(is_good):
            return None, cards, [float(each) for each in nodes]
        self.described.load(start)
        described = self.described.cards(here, need)
        rows = [described[card][0] for card in cards]
        features = np.array([described[card][1] for card in cards], dtype=np.uint8)
        seat = len(here.trick)
        scores = (weights_of(seat, self.weights)[rows] * features).sum(axis=1)
        chances = [0.0] * len(cards)
        for index in np.argsort(-scores, kind="stable"):
            chances[index] = float(nodes[index])
            if is_good[index]:
                break
        return Sample(seat, 1.0, rows, features, is_good, nodes), cards, chances


def samples_of(part: tuple[int, int, int]) -> list[Sample]:
    seed, cards, first = part
    walker = Walker(f"{seed} {cards} {first}")
    numbers = range(FIRST_NUMBER * seed + first, FIRST_NUMBER * seed + first + DEALS_PER_TASK)
    return [sample for number in numbers for sample in walker.samples(random_position(cards, number))]


def fit_weights(samples: list[Sample], weights: np.ndarray, seed: int) -> np.ndarray:
    """Return the rows of weights of a seat that minimise the cost of these samples."""
    rng = np.random.default_rng(seed)
    sizes = np.array([len(sample.rows) for sample in samples])
    starts = np.r_[0, np.cumsum(sizes)[:-1]]
    rows = np.concatenate([sample.rows for sample in samples])
    features = np.concatenate([sample.features for sample in samples]).astype(np.float64)
    costs = np.concatenate([_costs(sample) for sample in samples])
    weight = np.array([sample.weight for sample in samples])
    spread = np.maximum(features.std(axis=0), 0.2)
    spread[0] = 1.0
    features /= spread
    begin = weights * spread / SCALE
    now, mean, square = begin.copy(), np.zeros_like(begin), np.zeros_like(begin)
    # Every tenth sample is for validation.
    is_validation = np.arange(len(samples)) // 200 % 10 == 0
    learnt = np.flatnonzero(~is_validation)
    cost = _cost(now, features, rows, costs, weight, starts, is_validation)
    print(f"  {len(samples)} samples; the card tried first costs, by the best, {cost:.4f}")
    for step in range(1, STEPS + 1):
        drawn = rng.choice(learnt, min(BATCH, len(learnt)), replace=False)
        indices = np.concatenate([np.arange(starts[each], starts[each] + sizes[each]) for each in drawn])
        size = sizes[drawn]
        first, group = np.r_[0, np.cumsum(size)[:-1]], np.repeat(np.arange(len(drawn)), size)
        part, row = features[indices], rows[indices]
        score = (now[row] * part).sum(axis=1)
        chance = np.exp(score - np.maximum.reduceat(score, first)[group])
        chance /= np.add.reduceat(chance, first)[group]
        expected = np.add.reduceat(chance * costs[indices], first)[group]
        share = (weight[drawn] / weight[drawn].sum())[group]
        gradient = PULL * (now - begin)
        np.add.at(gradient, row, (share * chance * (costs[indices] - expected))[:, None] * part)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        # Adam (Kingma and Ba, 2014), slower towards the end.
        move = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-7)
        now -= RATE * min(1.0, step / 20) * (1 - 0.95 * step / STEPS) * move
    print(f"  then {_cost(now, features, rows, costs, weight, starts, is_validation):.4f}", flush=True)
    moved: np.ndarray = now / spread * SCALE
    return moved


def _costs(sample: Sample) -> np.ndarray:
    """Return the logarithm of the nodes of each card if it is tried first, relative to the best card."""
    nodes, is_good = np.array(sample.nodes, dtype=float), np.array(sample.is_good)
    best = nodes[is_good].min()
    costs: np.ndarray = np.log((nodes + np.where(is_good, 0.0, best)) / best)
    return costs


def _cost(
    weights: np.ndarray,
    features: np.ndarray,
    rows: np.ndarray,
    costs: np.ndarray,
    weight: np.ndarray,
    starts: np.ndarray,
    is_validation: np.ndarray,
) -> float:
    """Return the mean cost of the card tried first in the validation samples."""
    score = (weights[rows] * features).sum(axis=1)
    ends = np.r_[starts[1:], len(rows)]
    first = [
        costs[a:b][score[a:b].argmax()]
        for a, b in zip(starts[is_validation], ends[is_validation], strict=True)
    ]
    return float(np.average(first, weights=weight[is_validation]))


def cost_of(weights: np.ndarray, deals: list[Position]) -> float:
    """Return the mean square root of the nodes of deals with these weights."""
    vars(solving_order)["WEIGHTS"] = tuple(map(int, weights))
    # Existing searches have the old weights.
    solving._idle_searches.clear()
    return statistics.fmean(answer.nodes**0.5 for answer in solve_many(deals))


def weights_source(weights: np.ndarray) -> str:
    text = (KERNEL / "solving_weights.py").read_text()
    first = LEADS * LEAD_FEATURES
    for name, part, length in (
        ("_LEADS", weights[:first], LEAD_FEATURES),
        ("_FOLLOWING", weights[first:], FEATURES),
    ):
        lines = [" ".join(map(str, row)) for row in part.reshape(-1, length)]
        before, after = text.split(f'{name} = """\n')
        text = f'{before}{name} = """\n' + "\n".join(lines) + '\n"""' + after.split('"""', 1)[1]
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description="Fit the weights by which the solver orders cards.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="part of the deals (default: all)")
    parser.add_argument("--dry", action="store_true", help="write nothing")
    options = parser.parse_args()
    weights = np.array(WEIGHTS)
    samples: list[list[Sample]] = [[], [], [], []]
    parts = [
        (options.seed, cards, number)
        for cards, deals in DEALS.items()
        for number in range(0, max(1, int(deals * options.share)), DEALS_PER_TASK)
    ]
    with ProcessPoolExecutor() as pool:
        for number, part in enumerate(pool.map(samples_of, parts), 1):
            for sample in part:
                samples[sample.seat].append(sample)
            if number % 20 == 0 or number == len(parts):
                print(f"{number} of {len(parts)}: {[len(each) for each in samples]} samples", flush=True)
    first = LEADS * LEAD_FEATURES
    rows = (len(WEIGHTS) - first) // FEATURES // 3
    fitted = [fit_weights(samples[0], weights_of(0, weights), options.seed).ravel()]
    following = weights_of(1, weights)
    for seat in (1, 2, 3):
        fitted.append(
            fit_weights(samples[seat], following, options.seed)[(seat - 1) * rows : seat * rows].ravel()
        )
    aims = np.concatenate(fitted)
    bounds = [0, first, *(first + seat * rows * FEATURES for seat in (1, 2, 3))]
    numbers = range(FIRST_NUMBER // 2 * (2 * options.seed + 1), sys.maxsize)
    deals = [
        random_position(cards, number) for cards, count in TRIED_DEALS.items() for number in numbers[:count]
    ]
    least = cost_of(weights, deals)
    for low, high in itertools.pairwise(bounds):
        begin = weights
        for way in STEP_SIZES:
            tried = begin.copy()
            tried[low:high] = np.rint(begin[low:high] + way * (aims[low:high] - begin[low:high]))
            cost = cost_of(tried, deals)
            print(f"weights {low} to {high}, {way} of the way: {cost / least:.4f}", flush=True)
            if cost < least:
                least, weights = cost, tried
    if not options.dry:
        text = weights_source(weights)
        (KERNEL / "solving_weights.py").write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
