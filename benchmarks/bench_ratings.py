"""Coverage of the intervals and ranks of ratings, and the cost of ratings.

    python benchmarks/bench_ratings.py [--seasons 60] [--seed 1] [--only WORD] [--json]

Simulates seasons from boards that were really played (``benchmarks.simulated``), without guards: how
often the 95 % interval contains an entry's expected score against the average of the field, and the range
of ranks its true rank. Also: whether the error falls with the square root of the boards; soft play
detected in honest and guilty seasons; and the CPU time of ratings of 1,000 bots and 100,000 fixtures with
intransitive results, with the weights of a ladder and all errors. The same arguments give the same
figures, except times.

Status 0 if every bar is met; with fewer seasons than 500, within three standard errors over seasons. For
all bars: ``--seasons 500``, which takes some minutes.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

# The processes share the cores, so threads of numpy would compete.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from benchmarks.harness import Row, arguments, at_least, at_most, report
from benchmarks.simulated import (
    SeasonCase,
    ShareEstimate,
    SimulatedField,
    estimate_share,
    pair_by_lot,
    pair_round_robin,
    season_sets,
    tolerance,
)
from league.rating.integrity import pair_findings
from league.rating.table import rate

PROCESSES = 2
COVERED = (93.0, 99.7)
COVERED_ON_AVERAGE = (94.5, 97.5)
RANKS_COVERED = 97.0
SPREAD = 0.15
"""Maximum spread of error times the square root of the boards."""
CPU_S = 1.0
REPEATS = 3
"""Repetitions; the minimum CPU time counts, because load on the machine only adds to it."""
POWER = 0.85
FALSE_FLAGS = 0.1

CASES = (
    SeasonCase("8 entries, 7 rounds of 2", 8, 7, 2),
    SeasonCase("8, 7 of 20", 8, 7, 20),
    SeasonCase("20, 5 of 4", 20, 5, 4),
    SeasonCase("20, 10 of 16", 20, 10, 16),
    SeasonCase("20, 10 of 16, near-equal", 20, 10, 16, strengths=0.05, is_near_equal=True),
    SeasonCase("20, 5 of 8, near-equal", 20, 5, 8, strengths=0.05, is_near_equal=True),
    SeasonCase("20, 10 of 64, intransitive", 20, 10, 64, intransitive=0.1),
    SeasonCase("20, 5 of 8, forfeits", 20, 5, 8, forfeits=0.03),
    SeasonCase("20, 10 of 16, forfeits", 20, 10, 16, forfeits=0.03),
    SeasonCase("kakkuri 12, 6 of 4", 12, 6, 4, sides=4),
    SeasonCase("kakkuri 12, 6 of 16", 12, 6, 16, sides=4),
    SeasonCase("kakkuri 40, 6 of 4", 40, 6, 4, sides=4),
    *(
        SeasonCase(f"9 real bots, 9 of {boards}", 9, 9, boards, is_real=True, pairing="turn")
        for boards in (8, 32, 100)
    ),
    SeasonCase("Swiss 20, 7 of 16", 20, 7, 16, pairing="swiss"),
    SeasonCase("Swiss 60, 9 of 16", 60, 9, 16, pairing="swiss"),
    SeasonCase("20, 3 of 8", 20, 3, 8),
    SeasonCase("20, 3 of 8, intransitive", 20, 3, 8, intransitive=0.1),
    SeasonCase("20, 2 of 8", 20, 2, 8),
    SeasonCase("ladder 60, 24 of 8, by lot", 60, 24, 8, is_mean=False),
    SeasonCase("ladder 60, 24 of 8", 60, 24, 8, pairing="ladder", is_mean=False),
)


class SeasonCounts(NamedTuple):
    rated: int
    covered: int
    ranks_covered: int
    width: float
    """Mean width of an interval, in stones."""
    ranks_width: float
    pairs: int
    in_order: int
    squared_error: float


def season(case: SeasonCase, seed: int) -> SeasonCounts:
    field = SimulatedField(case, np.random.default_rng([seed, *case.name.encode()]))
    ratings = rate(season_sets(field), is_ladder=case.pairing == "ladder", is_guarded=False)
    indices = np.array([field.names.index(name) for name in ratings.entries])
    truth = field.truth[indices] - field.truth[indices].mean()
    rows = {row.entry: row for row in ratings.rows}
    order = np.argsort(np.argsort(-truth)) + 1
    covered = ranks = 0
    for position, name in enumerate(ratings.entries):
        row = rows[name]
        covered += row.low <= truth[position] <= row.high
        ranks += row.rank_low <= order[position] <= row.rank_high
    apart = truth[:, None] - truth[None, :]
    close_pairs = (apart > 0.1) & (apart < 0.4)
    right = close_pairs & (ratings.estimates[:, None] > ratings.estimates[None, :])
    return SeasonCounts(
        len(indices),
        covered,
        ranks,
        sum(row.high - row.low for row in rows.values()) / len(rows),
        sum(row.rank_high - row.rank_low + 1 for row in rows.values()) / len(rows),
        int(close_pairs.sum()),
        int(right.sum()),
        float(((ratings.estimates - truth) ** 2).mean()),
    )


def coverage(case: SeasonCase, seasons: int, seed: int) -> tuple[list[Row], ShareEstimate]:
    seasons_counts = [season(case, seed + number) for number in range(seasons)]
    intervals = estimate_share((counts.covered, counts.rated) for counts in seasons_counts)
    ranks = estimate_share((counts.ranks_covered, counts.rated) for counts in seasons_counts)
    width = sum(counts.width for counts in seasons_counts) / seasons
    ranks_wide = sum(counts.ranks_width for counts in seasons_counts) / seasons
    low, high = COVERED
    if case.intransitive or case.forfeits or not case.is_mean:
        high = 100.0
    return [
        _share_row(f"{case.name}: intervals", intervals, width, low, high),
        _share_row(f"{case.name}: ranks", ranks, ranks_wide, RANKS_COVERED, 100.0),
    ], intervals


def _share_row(name: str, estimate: ShareEstimate, width: float, low: float, high: float) -> Row:
    cells: dict[str, float | str] = {"covered %": estimate.percent, "error": estimate.error, "width": width}
    return Row(name, cells, f"{low:g} to {high:g}", estimate.is_within(low, high))


def ranking_errors(seasons: int, seed: int) -> list[Row]:
    rows, scaled = [], []
    for boards in (4, 8, 16, 32):
        case = SeasonCase(f"order {boards}", 20, 10, boards)
        seasons_counts = [season(case, seed + number) for number in range(seasons)]
        right = estimate_share((counts.in_order, counts.pairs) for counts in seasons_counts)
        error = math.sqrt(sum(counts.squared_error for counts in seasons_counts) / seasons)
        scaled.append(error * math.sqrt(10 * boards))
        cells: dict[str, float | str] = {"order %": right.percent, "error, stones": error}
        rows.append(Row(f"20 entries, {10 * boards} boards", cells | {"x root of boards": scaled[-1]}))
    spread = max(scaled[1:]) / min(scaled[1:]) - 1
    room = tolerance(math.sqrt(1 / (20 * seasons)), seasons)
    is_kept = spread <= SPREAD + room
    rows.append(Row("change from 80 to 320 boards", {"": spread}, f"at most {SPREAD:g}", is_kept))
    return rows


def soft_play(seasons: int, seed: int) -> list[Row]:
    """Measure detection in round robins; in guilty seasons, one pair's boards are worth half a stone more.

    The bars are for fixtures that differ. If twenty entries play like eight bots, their boards are
    correlated, which hides a pair occasionally.
    """
    alike = _soft_play(SeasonCase("20 that play like 8 bots", 20, 19, 64), seasons, seed)
    return [
        *_soft_play(SeasonCase("soft play", 20, 19, 64, is_alike=False), seasons, seed),
        *(row._replace(bar="", is_kept=None) for row in alike),
    ]


def _soft_play(case: SeasonCase, seasons: int, seed: int) -> list[Row]:
    flags = hits = false = 0
    for number in range(seasons):
        for stones in (0.0, 0.5):
            field = SimulatedField(case, np.random.default_rng([seed + number, int(stones * 10)]))
            field.beyond[0, 1] += stones
            field.beyond[1, 0] -= stones
            sets = [
                field.round(round_number, pair_round_robin(20, round_number)) for round_number in range(19)
            ]
            findings = pair_findings(sets).findings
            guilty = [finding for finding in findings if {finding.entry, finding.other} == {"e0000", "e0001"}]
            if stones:
                hits += bool(guilty)
                false += len(findings) > len(guilty)
            else:
                flags += len(findings)
    power, rate_of_flags = hits / seasons, flags / seasons
    many = 5 * seasons // 2
    least = POWER - tolerance(math.sqrt(POWER * (1 - POWER) / seasons), many)
    most = FALSE_FLAGS + tolerance(math.sqrt(FALSE_FLAGS / seasons), many)
    return [
        Row(f"{case.name}: pairs of 0.5 stones found", {"": power}, *at_least(power, least)),
        Row(f"{case.name}: others found beside them", {"": false / seasons}),
        Row(f"{case.name}: found in an honest season", {"": rate_of_flags}, *at_most(rate_of_flags, most)),
    ]


def cost(entries: int, rounds: int) -> list[Row]:
    """Measure the CPU time of many ratings; the sets are closed, so they are arrays already."""
    case = SeasonCase("cost", entries, rounds, 8, intransitive=0.15)
    field = SimulatedField(case, np.random.default_rng(1))
    # Intransitive results, so that weights need several refits.
    field.beyond[0, 1:7] += 2
    field.beyond[1:7, 0] -= 2
    sets = [field.round(number, pair_by_lot(field)) for number in range(rounds)]
    text = f"{entries} bots, {entries // 2 * rounds} fixtures of 8 boards"
    rows = []
    for name, is_ladder in (("all errors", False), ("Huber weights, all errors and ranks", True)):
        used = math.inf
        for _ in range(REPEATS):
            started = time.process_time()
            ratings = rate(sets, is_ladder=is_ladder)
            assert len(ratings.rows) == entries
            used = min(used, time.process_time() - started)
        rows.append(Row(f"{text}, {name}, s of CPU", {"": used}, *at_most(used, CPU_S)))
    return rows


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--seasons", type=int, default=60, help="of every case; of soft play two fifths")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--only", default="", help="coverage, order, soft play, cost, or a part of a case's name"
    )
    parser.add_argument("--cost", default="1000x200", help="bots x rounds of the case that is timed")
    options = parser.parse_args()
    rows = []
    if options.only in "cost":
        # First, while no other process runs.
        entries, _, rounds = options.cost.partition("x")
        rows += cost(int(entries), int(rounds))
    rows += simulated_rows(options.only, options.seasons, options.seed)
    return report(f"ratings, {options.seasons} seasons", rows, as_json=options.json)


def simulated_rows(only: str, seasons: int, seed: int) -> Iterator[Row]:
    with ProcessPoolExecutor(PROCESSES) as pool:
        cases = [case for case in CASES if only in "coverage" or only in case.name]
        coverage_jobs = [(case, pool.submit(coverage, case, seasons, seed)) for case in cases]
        other_figures = (
            ("order", ranking_errors, seasons),
            ("soft play", soft_play, max(1, 2 * seasons // 5)),
        )
        more = [pool.submit(measure, many, seed) for name, measure, many in other_figures if only in name]
        averaged: list[ShareEstimate] = []
        for case, future in coverage_jobs:
            rows, intervals = future.result()
            yield from rows
            if case.is_mean:
                averaged.append(intervals)
        if averaged:
            mean = ShareEstimate(
                sum(estimate.percent for estimate in averaged) / len(averaged),
                math.sqrt(sum(estimate.error**2 for estimate in averaged)) / len(averaged),
                seasons,
            )
            low, high = COVERED_ON_AVERAGE
            yield Row(
                "all but ladders: intervals",
                {"covered %": mean.percent},
                f"{low:g} to {high:g}",
                mean.is_within(low, high),
            )
        for answer in more:
            yield from answer.result()


if __name__ == "__main__":
    sys.exit(main())
