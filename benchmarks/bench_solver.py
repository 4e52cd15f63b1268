"""Time of the double-dummy solver compared with DDS, the solver of bridge, and colver's solver of Belote.

    python benchmarks/bench_solver.py [--deals 2000] [--rounds 5] [--json]

One core, one run; in every round, each subject takes its turns on its own deals, drawn by fixed seeds, so
every run solves the same deals. Times are CPU time per deal. DDS solves one best card of a random deal in
one strain (``solve_board`` of endplay, ``make peers``; a call costs about
0.13 ms whatever the deal). Ours are positions of Kakeya: random deals of ``kakeya4``, played at random down
to
the number of cards, with captured pictures and payments, solved by ``solve_many`` for stones. Neither
side reuses anything from deal to deal. colver's ``solve_scores`` returns the points after each lead of a
Belote hand of eight cards, like ``solve_moves`` returns the stones after each card.

Bars are ratios; each must hold over all deals and in the median of the rounds. Status 0 if all do. Times
vary greatly at 13 cards, so a few deals show little, least of all about the hardest. 2000 take some ten
minutes.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.harness import PeerProcess, Row, arguments, at_most, one_core, report, require_kernel
from engine import Board, preset_named
from engine.games.kakeya.notation import PLAY
from engine.kernel import Position, position_of, solve_many, solve_moves
from engine.kernel.solving import Ask

SHARES = {13: 1, 10: 2, 8: 4, 6: 8}
"""Multiple of ``--deals`` to solve, by cards per hand."""
PLACES, PACK = 4, 52
TURNS = 5
"""Turns of each subject per round."""
COLVER_SHARE = 5
"""Divisor of ``--deals`` for colver, whose solver takes long."""
UNCOUNTED = 10**6
"""Number of the deal that is solved before the rounds."""
MIN_CARDS = 2
"""Cards per hand at which DDS has almost nothing to search: the cost of its call."""


class SolverSubject(NamedTuple):
    name: str
    cards: int


class SolveTimes(NamedTuple):
    """CPU seconds per deal, and searched positions if known."""

    seconds: list[float]
    nodes: list[int]


class RatioBar(NamedTuple):
    name: str
    ours: SolverSubject
    peer: SolverSubject
    figure: str
    most: float


def dds(cards: int) -> SolverSubject:
    return SolverSubject("DDS", cards)


def stones(cards: int) -> SolverSubject:
    return SolverSubject("stones", cards)


WINNER, MOVES, COLVER = (
    SolverSubject("winner", 13),
    SolverSubject("stones, each card", 8),
    SolverSubject("colver", 8),
)
BARS = (
    RatioBar("S1", stones(13), dds(13), "mean", 10),
    RatioBar("S2", stones(13), dds(13), "median", 6),
    RatioBar("S3", stones(10), dds(10), "mean", 4),
    RatioBar("S4", stones(8), dds(8), "mean", 1.2),
    RatioBar("S4", stones(6), dds(6), "mean", 0.3),
    RatioBar("S5", WINNER, dds(13), "median", 2),
    RatioBar("S6", MOVES, COLVER, "mean", 1 / 20),
)
OTHERS = (
    RatioBar("", stones(10), dds(10), "median", 0),
    RatioBar("", stones(8), dds(8), "median", 0),
    RatioBar("", stones(6), dds(6), "median", 0),
    RatioBar("", MOVES, COLVER, "median", 0),
)
"""Ratios without a bar."""
MAX_P99 = 10.0
"""S7: maximum ratio of the 99th percentile to the mean, for stones at 13 cards."""


def position(cards: int, number: int) -> Position:
    seed = f"solver {cards} {number}"
    chance = random.Random(seed)
    game, ruleset = preset_named("kakeya4")
    state = game.start(ruleset, Board("deal", 1 + number, seed))
    left = PACK - PLACES * cards
    while state.phase != PLAY or left:
        left -= state.phase == PLAY
        seat = state.to_act[0]
        state = state.apply(seat, chance.choice(state.legal(seat)))
    return position_of(state)


def solve_with_kernel(subject: SolverSubject, first: int, deals: int) -> SolveTimes:
    positions = [position(subject.cards, number) for number in range(first, first + deals)]
    # The hands depend on the seed, not on the number of the board.
    assert len({each.hands for each in positions}) == deals
    if subject == MOVES:
        return _moves(positions)
    seconds: list[float] = []

    def timed() -> Iterator[Position]:
        for each in positions:
            began = time.process_time()
            yield each
            # The generator resumes after the solver has answered.
            seconds.append(time.process_time() - began)

    ask: Ask = "winner" if subject == WINNER else "stones"
    answers = solve_many(timed(), ask)
    assert all(answer.state == "exact" for answer in answers)
    return SolveTimes(seconds, [answer.nodes for answer in answers])


def _moves(positions: Sequence[Position]) -> SolveTimes:
    solved = SolveTimes([], [])
    for each in positions:
        began = time.process_time()
        answers = solve_moves(each)
        solved.seconds.append(time.process_time() - began)
        solved.nodes.append(sum(answer.nodes for _, answer in answers))
    return solved


def solve_deals(subject: SolverSubject, peers: PeerProcess, first: int, deals: int) -> SolveTimes:
    if subject.name in {"DDS", "colver"}:
        return SolveTimes(peers.ask([subject.name.lower(), subject.cards, first, deals]), [])
    return solve_with_kernel(subject, first, deals)


def measure(peers: PeerProcess, deals: int, rounds: int) -> dict[SolverSubject, list[SolveTimes]]:
    counts = {dds(MIN_CARDS): deals}
    for cards, share in SHARES.items():
        counts |= {dds(cards): deals * share, stones(cards): deals * share}
        counts |= {WINNER: deals} if cards == WINNER.cards else {}
    counts |= {COLVER: deals // COLVER_SHARE, MOVES: deals}
    turns = {subject: max(1, count // (rounds * TURNS)) for subject, count in counts.items()}
    for subject in turns:
        solve_deals(subject, peers, UNCOUNTED, 1)
    results: dict[SolverSubject, list[SolveTimes]] = {subject: [] for subject in turns}
    done = dict.fromkeys(turns, 0)
    for _ in range(rounds):
        for subject in turns:
            results[subject].append(SolveTimes([], []))
        for _ in range(TURNS):
            for subject, count in turns.items():
                part = solve_deals(subject, peers, done[subject], count)
                done[subject] += count
                results[subject][-1].seconds.extend(part.seconds)
                results[subject][-1].nodes.extend(part.nodes)
    return results


def merge_rounds(rounds: Sequence[SolveTimes]) -> SolveTimes:
    return SolveTimes(
        [each for part in rounds for each in part.seconds], [each for part in rounds for each in part.nodes]
    )


def figures(seconds: Sequence[float]) -> dict[str, float]:
    centiles = statistics.quantiles(seconds, n=100, method="inclusive")
    return {
        "mean": statistics.mean(seconds),
        "median": centiles[49],
        "p90": centiles[89],
        "p99": centiles[98],
        "most": max(seconds),
    }


def times_of(results: dict[SolverSubject, list[SolveTimes]]) -> Iterator[Row]:
    for subject, rounds in results.items():
        parts = merge_rounds(rounds)
        cells: dict[str, float | str] = {"cards": subject.cards, "deals": len(parts.seconds)}
        cells |= {name: 1000 * value for name, value in figures(parts.seconds).items()}
        cells["nodes"] = statistics.mean(parts.nodes) if parts.nodes else ""
        yield Row(subject.name, cells)


def ratios_of(results: dict[SolverSubject, list[SolveTimes]]) -> Iterator[Row]:
    for bar in (*BARS, *OTHERS):
        pairs = [(merge_rounds(results[bar.ours]), merge_rounds(results[bar.peer]))]
        pairs += zip(results[bar.ours], results[bar.peer], strict=True)
        over_all, *by_round = (
            figures(own_round.seconds)[bar.figure] / figures(peer_round.seconds)[bar.figure]
            for own_round, peer_round in pairs
        )
        middle = statistics.median(by_round)
        name = f"{bar.name} {bar.ours.name} / {bar.peer.name}, {bar.ours.cards} cards, {bar.figure}".strip()
        cells: dict[str, float | str] = {"all deals": over_all, "rounds": middle}
        cells |= {"lowest": min(by_round), "highest": max(by_round)}
        yield Row(name, cells, *at_most(max(over_all, middle), bar.most)) if bar.name else Row(name, cells)
    for name, subject in (("S7 ", stones(13)), ("", dds(13))):
        spread = figures(merge_rounds(results[subject]).seconds)
        most = spread["p99"] / spread["mean"]
        verdict = at_most(most, MAX_P99) if name else ("", None)
        yield Row(f"{name}{subject.name}, 13 cards, p99 / mean", {"ratio": most}, *verdict)


def main() -> int:
    parser = arguments(__doc__, rounds=5)
    parser.add_argument("--deals", type=int, default=2000, help="deals of 13 cards; more with fewer cards")
    options = parser.parse_args()
    if options.deals < options.rounds * TURNS:
        parser.error(f"--deals cannot be {options.deals}: give {options.rounds * TURNS} or more")
    require_kernel()
    with PeerProcess("solve.py") as peers, one_core():
        results = measure(peers, options.deals, options.rounds)
    rows = [*times_of(results), *ratios_of(results)]
    return report("CPU time of deals on one core, in ms", rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
