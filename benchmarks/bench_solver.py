"""Time of the double-dummy solver beside DDS, the solver of bridge, and colver's solver of Belote.

    python benchmarks/bench_solver.py [--deals 2000] [--rounds 5] [--json]

One core, one run; in every round each subject takes its turns on deals of its own, drawn by fixed seeds, so
every run solves the same deals. The time is CPU time of each deal. DDS is asked for one best card of a random
deal of so many cards a hand in one strain (``solve_board`` of endplay, ``make peers``; a call costs about
0.13 ms whatever the deal). Ours are positions of Kakeya: random deals of ``kakeya4`` played at random down to
as many cards, with the pictures that were captured and the payments, solved by ``solve_many`` for stones.
Nothing is remembered from deal to deal on either side. colver's ``solve_scores`` says the points after each
lead of a hand of Belote of eight cards, as ``solve_moves`` does the stones after each card.

Bars are ratios; each has to hold over all deals and in the median of the rounds. Status 0 if all do. Times
are very uneven at 13 cards: few deals show little there, least of all about the hardest. 2000 take some ten
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
"""Cards a hand, and how many times ``--deals`` are solved."""
PLACES, PACK = 4, 52
TURNS = 5
"""How often each subject has its turn in a round."""
COLVER_SHARE = 5
"""One in so many of ``--deals``: its solver takes long."""
UNCOUNTED = 10**6
"""The number of a deal that is solved before the rounds begin."""
LEAST_CARDS = 2
"""Cards a hand with which DDS has next to nothing to search: what its call costs."""


class Subject(NamedTuple):
    """Who solves what."""

    name: str
    cards: int


class Solved(NamedTuple):
    """Seconds of CPU time of each deal, and positions searched where that is known."""

    seconds: list[float]
    nodes: list[int]


class Bar(NamedTuple):
    """What a ratio of two subjects has to be."""

    name: str
    ours: Subject
    peer: Subject
    figure: str
    most: float


def dds(cards: int) -> Subject:
    """DDS, one best card."""
    return Subject("DDS", cards)


def stones(cards: int) -> Subject:
    """Ours, the value in stones."""
    return Subject("stones", cards)


WINNER, MOVES, COLVER = Subject("winner", 13), Subject("stones, each card", 8), Subject("colver", 8)
BARS = (
    Bar("S1", stones(13), dds(13), "mean", 10),
    Bar("S2", stones(13), dds(13), "median", 6),
    Bar("S3", stones(10), dds(10), "mean", 4),
    Bar("S4", stones(8), dds(8), "mean", 1.2),
    Bar("S4", stones(6), dds(6), "mean", 0.3),
    Bar("S5", WINNER, dds(13), "median", 2),
    Bar("S6", MOVES, COLVER, "mean", 1 / 20),
)
OTHERS = (
    Bar("", stones(10), dds(10), "median", 0),
    Bar("", stones(8), dds(8), "median", 0),
    Bar("", stones(6), dds(6), "median", 0),
    Bar("", MOVES, COLVER, "median", 0),
)
"""Ratios without a bar."""
MOST_P99 = 10.0
"""S7: the 99th percentile of stones at 13 cards by their mean."""


def position(cards: int, number: int) -> Position:
    """A random deal played at random down to so many cards a hand."""
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


def ours(subject: Subject, first: int, deals: int) -> Solved:
    """Our answers to so many deals."""
    positions = [position(subject.cards, number) for number in range(first, first + deals)]
    # The seed makes the hands, the number of the board does not.
    assert len({each.hands for each in positions}) == deals
    if subject == MOVES:
        return _moves(positions)
    seconds: list[float] = []

    def timed() -> Iterator[Position]:
        for each in positions:
            began = time.process_time()
            yield each
            # The next position is asked for when this has been answered.
            seconds.append(time.process_time() - began)

    ask: Ask = "winner" if subject == WINNER else "stones"
    answers = solve_many(timed(), ask)
    assert all(answer.state == "exact" for answer in answers)
    return Solved(seconds, [answer.nodes for answer in answers])


def _moves(positions: Sequence[Position]) -> Solved:
    solved = Solved([], [])
    for each in positions:
        began = time.process_time()
        found = solve_moves(each)
        solved.seconds.append(time.process_time() - began)
        solved.nodes.append(sum(answer.nodes for _, answer in found))
    return solved


def solved(subject: Subject, peers: PeerProcess, first: int, deals: int) -> Solved:
    """The answers of any subject."""
    if subject.name in {"DDS", "colver"}:
        return Solved(peers.ask([subject.name.lower(), subject.cards, first, deals]), [])
    return ours(subject, first, deals)


def measured(peers: PeerProcess, deals: int, rounds: int) -> dict[Subject, list[Solved]]:
    """What each subject took, by rounds."""
    counts = {dds(LEAST_CARDS): deals}
    for cards, share in SHARES.items():
        counts |= {dds(cards): deals * share, stones(cards): deals * share}
        counts |= {WINNER: deals} if cards == WINNER.cards else {}
    counts |= {COLVER: deals // COLVER_SHARE, MOVES: deals}
    turns = {subject: max(1, count // (rounds * TURNS)) for subject, count in counts.items()}
    for subject in turns:
        solved(subject, peers, UNCOUNTED, 1)
    found: dict[Subject, list[Solved]] = {subject: [] for subject in turns}
    done = dict.fromkeys(turns, 0)
    for _ in range(rounds):
        for subject in turns:
            found[subject].append(Solved([], []))
        for _ in range(TURNS):
            for subject, count in turns.items():
                part = solved(subject, peers, done[subject], count)
                done[subject] += count
                found[subject][-1].seconds.extend(part.seconds)
                found[subject][-1].nodes.extend(part.nodes)
    return found


def joined(rounds: Sequence[Solved]) -> Solved:
    """All rounds as a single one."""
    return Solved(
        [each for part in rounds for each in part.seconds], [each for part in rounds for each in part.nodes]
    )


def figures(seconds: Sequence[float]) -> dict[str, float]:
    """Mean, median, 90th and 99th percentile."""
    centiles = statistics.quantiles(seconds, n=100, method="inclusive")
    return {
        "mean": statistics.mean(seconds),
        "median": centiles[49],
        "p90": centiles[89],
        "p99": centiles[98],
        "most": max(seconds),
    }


def times_of(found: dict[Subject, list[Solved]]) -> Iterator[Row]:
    """A row for each subject; times in ms."""
    for subject, rounds in found.items():
        parts = joined(rounds)
        cells: dict[str, float | str] = {"cards": subject.cards, "deals": len(parts.seconds)}
        cells |= {name: 1000 * value for name, value in figures(parts.seconds).items()}
        cells["nodes"] = statistics.mean(parts.nodes) if parts.nodes else ""
        yield Row(subject.name, cells)


def ratios_of(found: dict[Subject, list[Solved]]) -> Iterator[Row]:
    """A row for each ratio, with its bar."""
    for bar in (*BARS, *OTHERS):
        pairs = [(joined(found[bar.ours]), joined(found[bar.peer]))]
        pairs += zip(found[bar.ours], found[bar.peer], strict=True)
        over_all, *by_round = (
            figures(mine.seconds)[bar.figure] / figures(theirs.seconds)[bar.figure] for mine, theirs in pairs
        )
        middle = statistics.median(by_round)
        name = f"{bar.name} {bar.ours.name} / {bar.peer.name}, {bar.ours.cards} cards, {bar.figure}".strip()
        cells: dict[str, float | str] = {"all deals": over_all, "rounds": middle}
        cells |= {"lowest": min(by_round), "highest": max(by_round)}
        yield Row(name, cells, *at_most(max(over_all, middle), bar.most)) if bar.name else Row(name, cells)
    for name, subject in (("S7 ", stones(13)), ("", dds(13))):
        spread = figures(joined(found[subject]).seconds)
        most = spread["p99"] / spread["mean"]
        verdict = at_most(most, MOST_P99) if name else ("", None)
        yield Row(f"{name}{subject.name}, 13 cards, p99 / mean", {"ratio": most}, *verdict)


def main() -> int:
    """Measure, print, and tell whether every bar is kept."""
    parser = arguments(__doc__, rounds=5)
    parser.add_argument("--deals", type=int, default=2000, help="deals of 13 cards; more with fewer cards")
    wanted = parser.parse_args()
    if wanted.deals < wanted.rounds * TURNS:
        parser.error(f"--deals cannot be {wanted.deals}: give {wanted.rounds * TURNS} or more")
    require_kernel()
    with PeerProcess("solve.py") as peers, one_core():
        found = measured(peers, wanted.deals, wanted.rounds)
    rows = [*times_of(found), *ratios_of(found)]
    return report("CPU time of deals on one core, in ms", rows, as_json=wanted.json)


if __name__ == "__main__":
    sys.exit(main())
