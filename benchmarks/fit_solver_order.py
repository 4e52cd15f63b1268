"""Fits the weights by which the solver orders cards: writes ``engine/kernel/solving_weights.py``.

    python benchmarks/fit_solver_order.py [--seed 1] [--share 1.0] [--dry]

Begins with the weights that are there. Random deals are played at random down to so many cards and solved;
then walks go down the trees of the tests between which the answer lies. Where a player can reach what it
wants, each card is searched with an empty table: whether it reaches it, and after how many nodes. A walk goes
on to a card as often as nodes are below it, so that it comes to where the search spends its time. Weights are
then moved, by the gradient, to where a card drawn by its score (softmax) costs least: the logarithm of the
nodes it takes to prove that node, by the nodes of the best card. At last, for a lead and for each place that
follows, it is tried how far to go that way, by solving other deals.

Nodes do not depend on the machine, so a seed gives the same samples everywhere, and the numbers fitted to
them are the same but for rounding. ``--share`` takes that part of the deals; ``--dry`` writes nothing.
Afterwards build the kernel again (``make kernel``).
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
"""Deals from here on: others than those of bench_solver."""
DEALS = {8: 1600, 9: 700, 10: 260, 11: 60}
"""Cards a hand, and how many deals."""
DEALS_PER_TASK = 10
WALKS = 4
"""Down the tree of each test."""
MAX_NODES = 200_000
"""A card that takes more counts as one that takes as many in vain."""
MIN_TRICKS = 4
"""With fewer left nothing is scored."""
LEADS, LEAD_FEATURES, FEATURES = 16, 32, 16
"""How many rows of weights leads have, how long they are, and those of cards that follow."""
SCALE = 40.0
"""So much difference of scores makes the better card e times as likely to be tried first."""
STEPS, BATCH, RATE, PULL = 400, 4000, 0.03, 1e-5
TRIED_DEALS = {8: 300, 10: 60}
STEP_SIZES = (0.05, 0.1, 0.15, 0.2, 0.3)
"""Walks come to where the search errs now; all the way, more would be spoilt elsewhere than is mended."""


class Sample(NamedTuple):
    """The cards of a node where at least one reaches what its player wants."""

    seat: int
    weight: float
    rows: list[int]
    features: np.ndarray
    is_good: list[bool]
    nodes: list[int]


def plain(name: str) -> ModuleType:
    """A module of the kernel, uncompiled."""
    spec = importlib.util.spec_from_file_location(f"plain_{name}", KERNEL / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FeatureReader:
    """What the cards of nodes of one trick have in the eyes of ``solving_order``."""

    def __init__(self) -> None:
        self.suits: Any = plain("solving_suits").Suits()
        self.order: Any = plain("solving_order").MoveOrder(self.suits, 1)
        # A score is a sum of weights by features, which are small and not negative: with a byte for each
        # weight it spells the features, and the row.
        first = LEADS * LEAD_FEATURES
        self.order.weights = [1 << 8 * (index % LEAD_FEATURES) for index in range(first)] + [
            1 << 8 * (index % FEATURES) for index in range(len(WEIGHTS) - first)
        ]
        for row in range(LEADS):
            self.order.weights[row * LEAD_FEATURES] |= row << 8 * LEAD_FEATURES
        for row in range((len(WEIGHTS) - first) // FEATURES):
            self.order.weights[first + row * FEATURES] |= row << 8 * LEAD_FEATURES

    def load(self, start: Position) -> None:
        """Take the position in which the trick begins."""
        self.suits.load(start)

    def cards(self, here: Position, need: int) -> dict[int, tuple[int, list[int]]]:
        """By card: its row among those of its kind, and its features."""
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
            # The lowest five bits of a key keep equal scores apart.
            spelt = (order.keys[entry] >> 5).to_bytes(LEAD_FEATURES + 1, "little")
            length = FEATURES if trick else LEAD_FEATURES
            features[card_of[order.cards[entry]]] = spelt[LEAD_FEATURES], list(spelt[:length])
        return features


def weights_of(seat: int, weights: np.ndarray) -> np.ndarray:
    """The rows of weights a seat uses."""
    first = LEADS * LEAD_FEATURES
    return weights[:first].reshape(-1, LEAD_FEATURES) if seat == 0 else weights[first:].reshape(-1, FEATURES)


class Walker:
    """Walks down the trees of tests."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.weights = np.array(WEIGHTS)
        self.search = Search()
        self.described = FeatureReader()
        self.known: dict[object, tuple[Sample | None, list[int], list[float]]] = {}

    def samples(self, position: Position) -> Iterator[Sample]:
        """Samples of both tests between which the answer lies."""
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
        """A sample, where there is something to choose; and the cards a walk goes on to, how often."""
        self.search.load(start)
        tops: dict[int, int] = {}
        for card in reversed(legal_cards(here)):
            tops.setdefault(self.search.same_run(here.turn, card), card)
        cards = list(tops)
        if len(cards) == 1:
            return None, cards, [1.0]
        is_good, nodes = [], []
        for card in cards:
            # Nothing may be known from the cards before.
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
    """The samples of a few deals: of a seed, with so many cards a hand, from this number on."""
    seed, cards, first = part
    walker = Walker(f"{seed} {cards} {first}")
    numbers = range(FIRST_NUMBER * seed + first, FIRST_NUMBER * seed + first + DEALS_PER_TASK)
    return [sample for number in numbers for sample in walker.samples(random_position(cards, number))]


def fit_weights(samples: list[Sample], weights: np.ndarray, seed: int) -> np.ndarray:
    """The rows of weights of a seat, moved to what costs least in these samples."""
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
    # Each tenth sample is kept back to see how well others are ordered.
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
    """By card: the logarithm of the nodes it takes if it is tried first, by those of the best card."""
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
    """What the card tried first costs on average in the samples that are kept back."""
    score = (weights[rows] * features).sum(axis=1)
    ends = np.r_[starts[1:], len(rows)]
    first = [
        costs[a:b][score[a:b].argmax()]
        for a, b in zip(starts[is_validation], ends[is_validation], strict=True)
    ]
    return float(np.average(first, weights=weight[is_validation]))


def cost_of(weights: np.ndarray, deals: list[Position]) -> float:
    """How dear deals are with these weights: the mean of the roots of their nodes."""
    vars(solving_order)["WEIGHTS"] = tuple(map(int, weights))
    # Searches made before have the weights of their time.
    solving._idle_searches.clear()
    return statistics.fmean(answer.nodes**0.5 for answer in solve_many(deals))


def weights_source(weights: np.ndarray) -> str:
    """The text of ``solving_weights.py`` with these weights."""
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
    """Entry point."""
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
