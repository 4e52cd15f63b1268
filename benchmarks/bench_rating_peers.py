"""Ratings beside other libraries: order from few boards, and the cost of a large fit.

    python benchmarks/bench_rating_peers.py [--seasons 40] [--seed 1] [--cost 1000x200]

Order: 20 entries, 10 rounds of 8 boards; of the pairs 0.1 to 0.4 stones apart, how many are put in the wrong
order by strengths and by openskill's Plackett-Luce, which is given every board as a game won, lost or drawn,
or every fixture as one: the better of both counts. Cost: CPU seconds of the fit alone of 1,000 bots and
100,000 fixtures, from closed sets to strengths, and of choix's ``ilsr_pairwise`` on who won each of them.

The libraries live in an environment of their own (``make peers``). Status 0 if every bar is met.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# Both sides on one core.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from benchmarks.simulated import Case, Field, Line, Real, met_by_lot, season_sets
from league.rating.equations import Sums
from league.rating.fixtures import SetScores, sample_of
from league.rating.solve import ridge_solution
from league.rating.table import rate

PEERS = Path(__file__).resolve().parents[1] / ".tools" / "peers" / "bin" / "python"
RATE = Path(__file__).resolve().parent / "peers" / "rate.py"
WRONG_ORDERS = 0.5
"""Of openskill's, at most."""
FASTER = 5.0
"""Times than choix, at least."""
REPEATS = 3
ALPHA = 0.01
"""Of choix: without any, an entry that won or lost all its fixtures has no finite strength."""


class Peers:
    """The interpreter that has the other libraries."""

    def __init__(self, python: Path) -> None:
        self._process = subprocess.Popen(
            [str(python), str(RATE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def ask(self, request: dict[str, Any]) -> Any:
        """The answer, as JSON has it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=30)


def games(sets: Sequence[SetScores], *, by_board: bool) -> list[tuple[int, int, bool]]:
    """Winner, loser and whether it was a draw, of every board or fixture in turn."""
    found = []
    for one in sets:
        for members, scores in zip(one.members[:, :, 0].tolist(), one.scores[:, :, 0], strict=True):
            for value in scores.tolist() if by_board else [int(scores.sum())]:
                first, second = members if value >= 0 else members[::-1]
                found.append((first, second, value == 0))
    return found


def wrong(truth: Real, estimates: Real) -> tuple[int, int]:
    """Pairs 0.1 to 0.4 stones apart in the wrong order (level ones half), and how many there are."""
    apart = truth[:, None] - truth[None, :]
    asked = (apart > 0.1) & (apart < 0.4)
    found = estimates[:, None] - estimates[None, :]
    return 2 * int((asked & (found < 0)).sum()) + int((asked & (found == 0)).sum()), 2 * int(asked.sum())


def order(peers: Peers, seasons: int, seed: int) -> list[Line]:
    """Wrong orders of strengths and of openskill."""
    case = Case("order beside openskill", 20, 10, 8)
    fields, played = [], []
    for number in range(seasons):
        field = Field(case, np.random.default_rng([seed + number, *case.name.encode()]))
        fields.append(field)
        played.append(season_sets(field))
    truths = [field.truth for field in fields]
    own = []
    for field, sets in zip(fields, played, strict=True):
        ratings = rate(sets, is_guarded=False)
        assert ratings.entries == field.names
        own.append(ratings.estimates)
    shares = {"strengths": _share(truths, own)}
    for name, by_board in (("openskill by boards", True), ("openskill by fixtures", False)):
        asked = {"openskill": 20, "games": [games(sets, by_board=by_board) for sets in played]}
        shares[name] = _share(truths, [np.array(found) for found in peers.ask(asked)])
    best = min(share for name, share in shares.items() if name != "strengths")
    ratio = shares["strengths"] / best
    text = ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
    return [
        Line(f"20 entries, 80 boards each, {seasons} seasons: wrong orders: {text}", None),
        Line(f"wrong orders by openskill's: {ratio:.2f} (bar {WRONG_ORDERS})", ratio <= WRONG_ORDERS),
    ]


def _share(truths: Sequence[Real], estimates: Sequence[Real]) -> float:
    found = np.array([wrong(*pair) for pair in zip(truths, estimates, strict=True)]).sum(axis=0)
    return float(found[0] / found[1])


def cost(peers: Peers, entries: int, rounds: int) -> list[Line]:
    """CPU time of the fit alone, and of choix's."""
    case = Case("cost", entries, rounds, 8)
    field = Field(case, np.random.default_rng(1))
    sets = [field.round(number, met_by_lot(field)) for number in range(rounds)]
    used = math.inf
    for _ in range(REPEATS):
        began = time.process_time()
        theta = ridge_solution(*Sums(sample_of(sets)).real())
        used = min(used, time.process_time() - began)
    pairs = [game[:2] for game in games(sets, by_board=False) if not game[2]]
    theirs = math.inf
    for _ in range(REPEATS):
        found, took = peers.ask({"choix": entries, "pairs": pairs, "alpha": ALPHA})
        theirs = min(theirs, took)
    alike = [float(np.corrcoef(field.truth, values)[0, 1]) for values in (theta, np.array(found))]
    faster = theirs / used
    return [
        Line(
            f"{entries} bots, {entries // 2 * rounds} fixtures: the fit alone {used:.3f} s of CPU, choix "
            f"{theirs:.2f} s; correlation with the truth {alike[0]:.4f}, choix {alike[1]:.4f}",
            None,
        ),
        Line(f"faster than choix {faster:.1f} times (bar {FASTER:.0f})", faster >= FASTER),
    ]


def main() -> int:
    """Print every line; status 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seasons", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cost", default="1000x200", help="bots x rounds of the case that is timed")
    arguments = parser.parse_args()
    if not PEERS.exists():
        print("the libraries to compare with are not installed: run make peers", file=sys.stderr)
        return 2
    entries, _, rounds = arguments.cost.partition("x")
    peers = Peers(PEERS)
    try:
        found = cost(peers, int(entries), int(rounds))
        found += order(peers, arguments.seasons, arguments.seed)
    finally:
        peers.close()
    for line in found:
        print(line)
    return 0 if all(line.is_met is not False for line in found) else 1


if __name__ == "__main__":
    sys.exit(main())
