"""What drawing a Swiss round costs beside the bare matching it rests on, and how both grow.

    python benchmarks/bench_pairing.py [--sizes 64 256 1000] [--before 5] [--repeats 3] [--json]

Each stage is played so many rounds with results by chance (the same every time). Then two things take
turns: drawing the next round from the stage (scores, who met, roles, byes, owners, the graph, the matching
and its sides), and networkx' ``max_weight_matching`` alone on the very same graph, built beforehand.
Medians of CPU time; the sizes are gone through in turn, so that a busy moment hits all.

Status 0 if drawing takes at most 1.3 times the bare matching at every size.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import networkx as nx

from league.formats import format_named
from league.formats.swiss import field_of
from league.pairing import Candidates, pairing_order
from league.scoring import FixtureOutcome
from league.stage import StageSoFar

BAR = 1.3
SWISS = format_named("swiss")


class Line(NamedTuple):
    """What one size showed."""

    entries: int
    edges: int
    drawn_ms: float
    matched_ms: float

    @property
    def ratio(self) -> float:
        """Drawing against the bare matching."""
        return self.drawn_ms / self.matched_ms


def stage_after(entries: int, rounds: int, seed: int = 1) -> StageSoFar:
    """A stage of so many entries of 60 owners, so many rounds into it."""
    rng = random.Random(seed)
    names = tuple(f"e{number}" for number in range(entries))
    owners = {name: f"o{rng.randrange(60)}" for name in names}
    stage = StageSoFar(names, {"rounds": rounds + 1}, owners=owners)
    for _ in range(rounds):
        pairings = SWISS.next_round(stage)
        if pairings is None:
            raise SystemExit(f"{entries} entries cannot play {rounds} rounds")
        drawn = []
        for pairing in pairings:
            won = Fraction(rng.randint(-8, 8))
            totals = dict(zip(pairing, (won, -won), strict=False)) if len(pairing) == 2 else None
            drawn.append(FixtureOutcome(pairing, totals))
        stage = stage._replace(rounds=(*stage.rounds, tuple(drawn)))
    return stage


def graph_of(stage: StageSoFar) -> nx.Graph[int]:
    """The graph that the next round is matched on; the field must be even, so that nobody has a bye."""
    players, met = field_of(stage)
    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from(Candidates(pairing_order(players), met, owners_apart=True).near_edges())
    return graph


def cpu_ms(work: Callable[[], object]) -> float:
    """CPU time of one call."""
    start = time.process_time_ns()
    work()
    return (time.process_time_ns() - start) / 1e6


def lines(sizes: list[int], before: int, repeats: int) -> list[Line]:
    """Every size measured so many times, the two kinds of work in turns."""
    stages = {size: stage_after(size, before) for size in sizes}
    graphs = {size: graph_of(stage) for size, stage in stages.items()}
    drawn: dict[int, list[float]] = {size: [] for size in sizes}
    matched: dict[int, list[float]] = {size: [] for size in sizes}
    for _ in range(repeats):
        for size in sizes:
            # Small fields are drawn in milliseconds: several times each, so that the clock can tell.
            for _ in range(max(1, 1000 // size)):
                drawn[size].append(cpu_ms(lambda size=size: SWISS.next_round(stages[size])))  # type: ignore[misc]
                matched[size].append(
                    cpu_ms(lambda size=size: nx.max_weight_matching(graphs[size], maxcardinality=True))  # type: ignore[misc]
                )
    return [
        Line(
            size,
            graphs[size].number_of_edges(),
            statistics.median(drawn[size]),
            statistics.median(matched[size]),
        )
        for size in sizes
    ]


def main() -> int:
    """Print a line a size and how time grew from the one before; status 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[64, 256, 1000])
    parser.add_argument("--before", type=int, default=5, help="rounds played before the one drawn")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if any(size % 2 for size in args.sizes):
        parser.error("sizes must be even: the bare matching knows no byes")
    found = lines(args.sizes, args.before, args.repeats)
    if args.json:
        print(json.dumps([{**line._asdict(), "ratio": line.ratio} for line in found]))
    else:
        before: Line | None = None
        for line in found:
            grew = ""
            if before is not None:
                power = math.log(line.drawn_ms / before.drawn_ms, line.entries / before.entries)
                grew = f"  grew as n^{power:.2f}"
            print(
                f"{line.entries:5} entries {line.edges:6} edges  drawing {line.drawn_ms:9.1f} ms"
                f"  bare matching {line.matched_ms:9.1f} ms  ratio {line.ratio:5.2f} (bar {BAR})"
                f"  {'PASS' if line.ratio <= BAR else 'FAIL'}{grew}"
            )
            before = line
    return 0 if all(line.ratio <= BAR for line in found) else 1


if __name__ == "__main__":
    sys.exit(main())
