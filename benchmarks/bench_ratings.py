"""How often the intervals and ranks of ratings are right, and what ratings cost.

    python benchmarks/bench_ratings.py [--seasons 500] [--seed 1] [--only WORD] [--json]

Seasons of simulated fields, guards off: how often the 95 % interval holds an entry's expected score against
the average of the field, and the range of ranks its true rank. Board scores are drawn, not played: mostly 0
where versions are near-equal, skew, and correlated between the fixtures of a board. Also the share of pairs
0.1 to 0.4 stones apart in the right order, and whether the error falls with the root of the boards; soft play
found in honest and guilty seasons; and the CPU time of ratings of 1,000 bots and 100,000 fixtures, with the
weights of a ladder and all errors. Same arguments, same figures, but for times.

Status 0 if every bar is met; with fewer seasons than 500 within three standard errors over seasons.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

# The processes share the cores: threads of their own would only be in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from league.rating.fixtures import SetScores  # noqa: E402
from league.rating.integrity import pair_findings  # noqa: E402
from league.rating.ladder import Contender, next_round, outlook_of  # noqa: E402
from league.rating.table import rate  # noqa: E402

PROCESSES = 2
FULL = 500
"""Seasons from which on bars are held as they are."""
PARTS = 12
"""Scores are rounded to whole parts of a stone, which halves, thirds and quarters are."""
FORFEIT = 2.0
COMMON = 0.25
"""Variance that a board has for all who play it, by that of each fixture alone."""
BETA_MEAN, BETA_VARIANCE = 1 / 3.5, 2.5 / (3.5**2 * 4.5)
COVERED = (93.0, 99.7)
COVERED_ON_AVERAGE = (94.5, 97.5)
RANKS_COVERED = 97.0
CPU_S = 1.0
REPEATS = 3
"""The least CPU time counts: what others do on the machine only adds to it."""
POWER = 0.85
FALSE_FLAGS = 0.1

Real = NDArray[np.float64]
Whole = NDArray[np.int64]


class Case(NamedTuple):
    """A kind of season."""

    name: str
    entries: int
    rounds: int
    boards: int
    sides: int = 2
    strengths: float = 0.3
    """Standard deviation, in stones a board."""
    spread: float = 0.71
    """Of a board score, in stones."""
    level: float = 0.4
    """Share of boards without a difference."""
    intransitive: float = 0.0
    forfeits: float = 0.0
    pairing: str = "lot"
    is_mean: bool = True
    """Counts towards the average over cases."""


CASES = (
    Case("8 entries, 7 rounds of 2", 8, 7, 2),
    Case("8, 7 of 20", 8, 7, 20),
    Case("20, 5 of 4", 20, 5, 4),
    Case("20, 10 of 16", 20, 10, 16),
    Case("20, 10 of 16, near-equal", 20, 10, 16, strengths=0.05, spread=0.5, level=0.82),
    Case("20, 5 of 8, near-equal", 20, 5, 8, strengths=0.05, spread=0.5, level=0.82),
    Case("20, 10 of 64, intransitive", 20, 10, 64, intransitive=0.1),
    Case("20, 5 of 8, forfeits", 20, 5, 8, forfeits=0.03),
    Case("20, 10 of 16, forfeits", 20, 10, 16, forfeits=0.03),
    Case("kakkuri 12, 6 of 4", 12, 6, 4, sides=4, spread=0.8),
    Case("kakkuri 12, 6 of 16", 12, 6, 16, sides=4, spread=0.8),
    Case("kakkuri 40, 6 of 4", 40, 6, 4, sides=4, spread=0.8),
    Case("Swiss 20, 7 of 16", 20, 7, 16, pairing="swiss"),
    Case("Swiss 60, 9 of 16", 60, 9, 16, pairing="swiss"),
    Case("20, 3 of 8", 20, 3, 8),
    Case("20, 3 of 8, intransitive", 20, 3, 8, intransitive=0.1),
    Case("20, 2 of 8", 20, 2, 8),
    Case("ladder 60, 24 of 8, by lot", 60, 24, 8, pairing="lot", is_mean=False),
    Case("ladder 60, 24 of 8", 60, 24, 8, pairing="ladder", is_mean=False),
)


class Share(NamedTuple):
    """A percentage over seasons, and its standard error, which knows that a season's entries go together."""

    percent: float
    error: float
    seasons: int

    def is_within(self, low: float, high: float) -> bool:
        """Or, of few seasons, so near that they cannot tell."""
        room = tolerance(self.error, self.seasons)
        return low - room <= self.percent <= high + room


def tolerance(error: float, seasons: int) -> float:
    """What a figure of this standard error may miss its bar by."""
    return 3 * error if seasons < FULL else 0.0


class Line(NamedTuple):
    """One figure and its bar."""

    text: str
    is_met: bool | None
    """None: without a bar."""

    def __str__(self) -> str:
        verdict = {None: "", True: "  PASS", False: "  FAIL"}[self.is_met]
        return self.text + verdict


class Season(NamedTuple):
    """What one season showed, in counts of entries or pairs."""

    rated: int
    covered: int
    ranks_covered: int
    width: float
    pairs: int
    in_order: int
    squared_error: float


class Field:
    """Drawn strengths, and the board scores of whoever meets."""

    def __init__(self, case: Case, rng: np.random.Generator) -> None:
        n = case.entries
        self.case, self.rng = case, rng
        self.names = tuple(f"e{number:04}" for number in range(n))
        self.strengths = rng.normal(0, case.strengths, n)
        upper = np.triu(rng.normal(0, case.intransitive, (n, n)), 1)
        self.beyond = upper - upper.T
        # Forfeits come from either side alike, and leave so much of what is played.
        played = 1 - 2 * case.forfeits
        expected = played * (self.strengths[:, None] - self.strengths[None, :] + self.beyond)
        self.truth = expected.mean(axis=1)

    def round(self, number: int, met: Whole) -> SetScores:
        """``met`` is fixtures x sides; all on the same boards."""
        case, rng = self.case, self.rng
        count, m, k = len(met), case.sides, case.boards
        noise = self.noise(count, k, m)
        own = self.strengths[met]
        mean = m / (m - 1) * (own - own.mean(axis=1, keepdims=True))
        for side in range(m):
            for other in range(m):
                if side != other:
                    mean[:, side] += self.beyond[met[:, side], met[:, other]] / (m - 1)
        scores = np.rint((mean[:, None, :] + noise)[:, :, :-1] * PARTS).astype(np.int64)
        is_ruled: NDArray[np.bool_] = np.zeros(count, np.bool_)
        if case.forfeits:
            lost = rng.random((count, 2)) < case.forfeits
            is_ruled = lost[:, 0] | lost[:, 1]
            value = (lost[:, 1].astype(np.int64) - lost[:, 0]) * int(FORFEIT * PARTS)
            scores[is_ruled] = value[is_ruled, None, None]
        whole = np.concatenate([scores, -scores.sum(axis=2, keepdims=True)], axis=2)
        return SetScores(
            f"s{number:03}",
            self.names,
            tuple(f"f{number:03}-{at:04}" for at in range(count)),
            met[:, :, None].astype(np.int64),
            whole,
            PARTS,
            is_ruled,
        )

    def noise(self, count: int, boards: int, sides: int) -> Real:
        """Fixtures x boards x sides, each mean 0: often nothing, seldom much, more of it upwards."""
        case, rng = self.case, self.rng
        is_live = rng.random((count, boards)) < 1 - case.level
        # What a board offers is partly the same for all who play it.
        size = rng.uniform(0.6, 1.4, boards)
        # One side of each fixture, whichever, is the one that now and then wins much.
        skew = np.where(np.arange(sides) == rng.integers(sides, size=(count, 1)), 1.0, 0.4)
        own = (
            skew[:, None, :]
            * (rng.beta(1.0, 2.5, (count, boards, sides)) - BETA_MEAN)
            / math.sqrt(BETA_VARIANCE)
        )
        variance = float((skew**2).mean())
        common = rng.normal(0, math.sqrt(COMMON * variance), (boards, sides))
        raw = (own + common[None, :, :]) * (size[None, :] * is_live)[:, :, None]
        raw -= raw.mean(axis=2, keepdims=True)
        usual = (1 - case.level) * (1 + 0.16 / 3) * (1 + COMMON) * variance * (sides - 1) / sides
        return np.asarray(raw * case.spread / math.sqrt(usual), np.float64)


def met_by_lot(field: Field) -> Whole:
    """Everybody once, as far as tables are full."""
    order = field.rng.permutation(field.case.entries)
    tables = field.case.entries // field.case.sides
    return np.asarray(order[: tables * field.case.sides].reshape(tables, field.case.sides), np.int64)


def met_by_score(field: Field, totals: Real, before: set[tuple[int, int]]) -> Whole:
    """Neighbours of the table so far who have not met."""
    left = np.argsort(-totals - field.rng.random(len(totals)) * 1e-6).tolist()
    pairs = []
    while len(left) > 1:
        first = left.pop(0)
        at = next((at for at, other in enumerate(left) if (first, other) not in before), 0)
        other = left.pop(at)
        pairs.append((first, other))
        before |= {(first, other), (other, first)}
    return np.array(pairs, np.int64)


def season_sets(field: Field) -> list[SetScores]:
    """All rounds of one season."""
    case = field.case
    sets: list[SetScores] = []
    totals = np.zeros(case.entries)
    before: set[tuple[int, int]] = set()
    lot = random.Random(int(field.rng.integers(2**31)))
    meetings: dict[tuple[str, str], int] = {}
    for number in range(case.rounds):
        if case.pairing == "swiss":
            met = met_by_score(field, totals, before)
        elif case.pairing == "ladder":
            contenders = [Contender(name, None, number) for name in field.names]
            drawn = next_round(
                contenders, outlook_of(sets, field.names), meetings, rounds=number, lot=lot
            ).fixtures
            place = {name: at for at, name in enumerate(field.names)}
            met = np.array([[place[name] for name in fixture.entries] for fixture in drawn], np.int64)
            for fixture in drawn:
                first, second = sorted(fixture.entries)
                meetings[first, second] = meetings.get((first, second), 0) + 1
        else:
            met = met_by_lot(field)
        sets.append(field.round(number, met))
        np.add.at(totals, met, sets[-1].scores.sum(axis=1) / PARTS)
    return sets


def season(case: Case, seed: int) -> Season:
    """One season of a case."""
    field = Field(case, np.random.default_rng([seed, *case.name.encode()]))
    ratings = rate(season_sets(field), is_ladder=case.pairing == "ladder", is_guarded=False)
    at = np.array([field.names.index(name) for name in ratings.entries])
    truth = field.truth[at] - field.truth[at].mean()
    rows = {row.entry: row for row in ratings.rows}
    order = np.argsort(np.argsort(-truth)) + 1
    covered = ranks = 0
    for place, name in enumerate(ratings.entries):
        row = rows[name]
        covered += row.low <= truth[place] <= row.high
        ranks += row.rank_low <= order[place] <= row.rank_high
    apart = truth[:, None] - truth[None, :]
    asked = (apart > 0.1) & (apart < 0.4)
    right = asked & (ratings.estimates[:, None] > ratings.estimates[None, :])
    return Season(
        len(at),
        covered,
        ranks,
        sum(row.high - row.low for row in rows.values()) / len(rows),
        int(asked.sum()),
        int(right.sum()),
        float(((ratings.estimates - truth) ** 2).mean()),
    )


def share(parts: Iterable[tuple[int, int]]) -> Share:
    """Of (hits, cases) by season."""
    given = np.array(list(parts), np.float64)
    total = float(given[:, 0].sum() / given[:, 1].sum())
    off = given[:, 0] - total * given[:, 1]
    # With all or nothing hit there is still one season's chance that it is otherwise.
    error = max(float(np.sqrt((off**2).sum())), 1.0) / float(given[:, 1].sum())
    return Share(100 * total, 100 * error, len(given))


def coverage(case: Case, seasons: int, seed: int) -> tuple[list[Line], Share]:
    """Intervals and ranks of one case."""
    found = [season(case, seed + number) for number in range(seasons)]
    intervals = share((one.covered, one.rated) for one in found)
    ranks = share((one.ranks_covered, one.rated) for one in found)
    width = sum(one.width for one in found) / seasons
    low, high = COVERED
    is_hard = bool(case.intransitive or case.forfeits) or case.pairing == "ladder"
    return [
        Line(
            f"{case.name:<28} covered {intervals.percent:5.1f} % (width {width:4.2f})",
            intervals.is_within(low, 100.0 if is_hard else high),
        ),
        Line(
            f"{case.name:<28} own rank {ranks.percent:5.1f} %",
            ranks.is_within(RANKS_COVERED, 100.0) if not case.forfeits and not case.intransitive else None,
        ),
    ], intervals


def orders(seasons: int, seed: int) -> list[Line]:
    """Pairs in the right order, and the error by boards."""
    lines, scaled = [], []
    for boards in (4, 8, 16, 32):
        case = Case(f"order {boards}", 20, 10, boards)
        found = [season(case, seed + number) for number in range(seasons)]
        right = share((one.in_order, one.pairs) for one in found)
        error = math.sqrt(sum(one.squared_error for one in found) / seasons)
        scaled.append(error * math.sqrt(10 * boards))
        lines.append(
            Line(
                f"20 entries, {10 * boards:>3} boards each: order {right.percent:5.1f} %, "
                f"error {error:.3f} stones, x root of boards {scaled[-1]:.2f}",
                None,
            )
        )
    spread = max(scaled[1:]) / min(scaled[1:]) - 1
    room = 0.15 + tolerance(math.sqrt(1 / (20 * seasons)), seasons)
    return [*lines, Line(f"from 80 to 320 boards it changes by {100 * spread:.0f} %", spread <= room)]


def soft_play(seasons: int, seed: int) -> list[Line]:
    """Everybody meets everybody; in guilty seasons one pair's boards are worth half a stone more."""
    case = Case("soft play", 20, 19, 64)
    flags = hits = false = 0
    for number in range(seasons):
        for stones in (0.0, 0.5):
            field = Field(case, np.random.default_rng([seed + number, int(stones * 10)]))
            field.beyond[0, 1] += stones
            field.beyond[1, 0] -= stones
            order = list(range(20))
            sets = []
            for at in range(19):
                pairs = [(order[k], order[19 - k]) for k in range(10)]
                sets.append(field.round(at, np.array(pairs, np.int64)))
                order = [order[0], order[-1], *order[1:-1]]
            found = pair_findings(sets).findings
            guilty = [one for one in found if {one.entry, one.other} == {"e0000", "e0001"}]
            if stones:
                hits += bool(guilty)
                false += len(found) > len(guilty)
            else:
                flags += len(found)
    power, rate_of_flags = hits / seasons, flags / seasons
    return [
        Line(
            f"soft play of 0.5 stones, 64 boards: found in {100 * power:.0f} % of seasons, "
            f"somebody else beside them in {100 * false / seasons:.0f} %",
            power >= POWER - tolerance(math.sqrt(POWER * (1 - POWER) / seasons), 5 * seasons // 2),
        ),
        Line(
            f"honest seasons: {rate_of_flags:.3f} flags each",
            rate_of_flags <= FALSE_FLAGS + tolerance(math.sqrt(FALSE_FLAGS / seasons), 5 * seasons // 2),
        ),
    ]


def cost(entries: int, rounds: int) -> list[Line]:
    """Processor time of ratings of many; the sets are closed, that is arrays already."""
    case = Case("cost", entries, rounds, 8)
    field = Field(case, np.random.default_rng(1))
    sets = [field.round(number, met_by_lot(field)) for number in range(rounds)]
    text = f"{entries} bots, {entries // 2 * rounds} fixtures of 8 boards"
    lines = []
    for name, is_ladder in (("all errors", False), ("Huber weights and all errors", True)):
        used = math.inf
        for _ in range(REPEATS):
            started = time.process_time()
            rate(sets, is_ladder=is_ladder)
            used = min(used, time.process_time() - started)
        lines.append(Line(f"{text}, {name}: {used:.2f} s of CPU", used <= CPU_S))
    return lines


def main() -> int:
    """Print every line; status 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seasons", type=int, default=500, help="of every case; of soft play two fifths")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--only", default="", help="coverage, order, soft play, cost, or a part of a case's name"
    )
    parser.add_argument("--cost", default="1000x200", help="bots x rounds of the case that is timed")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found: list[Line] = []
    for line in lines(arguments):
        found.append(line)
        if not arguments.json:
            print(line, flush=True)
    if arguments.json:
        print(json.dumps([line._asdict() for line in found], indent=1))
    return 0 if all(line.is_met is not False for line in found) else 1


def lines(arguments: argparse.Namespace) -> Iterator[Line]:
    """Every figure asked for: times first, while nothing else runs."""
    only, seasons, seed = arguments.only, arguments.seasons, arguments.seed
    if only in "cost":
        entries, _, rounds = arguments.cost.partition("x")
        yield from cost(int(entries), int(rounds))
    with ProcessPoolExecutor(PROCESSES) as pool:
        cases = [case for case in CASES if only in "coverage" or only in case.name]
        asked = [(case, pool.submit(coverage, case, seasons, seed)) for case in cases]
        others: list[tuple[str, Callable[[int, int], list[Line]], int]] = [
            ("order", orders, seasons),
            ("soft play", soft_play, max(1, 2 * seasons // 5)),
        ]
        more = [pool.submit(what, many, seed) for name, what, many in others if only in name]
        averaged: list[Share] = []
        for case, future in asked:
            case_lines, intervals = future.result()
            yield from case_lines
            if case.is_mean:
                averaged.append(intervals)
        if averaged:
            mean = Share(
                sum(one.percent for one in averaged) / len(averaged),
                math.sqrt(sum(one.error**2 for one in averaged)) / len(averaged),
                seasons,
            )
            yield Line(f"all but ladders: covered {mean.percent:.1f} %", mean.is_within(*COVERED_ON_AVERAGE))
        for answer in more:
            yield from answer.result()


if __name__ == "__main__":
    sys.exit(main())
