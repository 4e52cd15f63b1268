"""Decisions per second of batches of boards (``bots.rl``), compared with open-spiel's spades.

    python benchmarks/bench_rl.py [--rounds 9] [--slice-ms 300] [--json]

A batch has 1,024 rows; numpy chooses random legal actions from the masks. Python drives open-spiel, with the
observation tensor, the mask and a random legal action of every decision. Its lists stay lists, since it
decides for one board at a time. Deals are included, on one core in one run; ``make peers`` installs
open-spiel. Times are CPU time of the playing process. Status 0 if every bar is kept.
"""

from __future__ import annotations

import sys
import time
from functools import partial

import numpy as np

from benchmarks.harness import (
    PeerProcess,
    Row,
    Slice,
    arguments,
    at_least,
    one_core,
    rates,
    ratio,
    report,
    require_kernel,
)
from bots import rl
from bots.rl.batch import random_actions

ROWS = 1024
SPADES = "open-spiel spades, tensor and mask"
CASES = (("kakeya4_v0", "deal"), ("kakeya6_v0", "deal"), ("kakeya4_v0", "game"), ("etori.meiji_v0", "deal"))
BARS = {("kakeya4_v0", "deal"): 40.0}


def batch_slice(name: str, kind: str) -> Slice:
    env = rl.vector(name, ROWS, kind=kind, seed=1)
    rng = np.random.default_rng(1)

    def play(boards: int) -> tuple[float, int]:
        began, ended, decisions = time.process_time(), 0, 0
        while ended < boards:
            env.step(random_actions(env.masks, rng))
            ended += int(np.count_nonzero(env.dones))
            decisions += ROWS
        seconds = time.process_time() - began
        # Many rows end in the same step; scale to the requested number of boards.
        share = boards / ended
        return seconds * share, round(decisions * share)

    return play


def policy_slice() -> Slice:
    """The random choice alone, to tell its share."""
    masks = rl.vector("kakeya4_v0", ROWS, seed=1).masks
    rng = np.random.default_rng(1)

    def play(steps: int) -> tuple[float, int]:
        began = time.process_time()
        for _ in range(steps):
            random_actions(masks, rng)
        return time.process_time() - began, steps * ROWS

    return play


def main() -> int:
    parser = arguments(__doc__, rounds=9)
    parser.add_argument("--slice-ms", type=int, default=300, help="CPU time of each subject in a round")
    options = parser.parse_args()
    require_kernel()
    with PeerProcess() as peers, one_core():
        subjects: dict[str, Slice] = {SPADES: partial(peers.play, "open-spiel observed", "spades")}
        subjects |= {f"{name}, {kind}": batch_slice(name, kind) for name, kind in CASES}
        subjects["random choice alone"] = policy_slice()
        results = rates(subjects, options.rounds, options.slice_ms / 1000)
    rows = [Row(name, rate.cells("boards/s")) for name, rate in results.items()]
    for name, kind in CASES:
        times = ratio(results[f"{name}, {kind}"].decisions, results[SPADES].decisions)
        bar = BARS.get((name, kind))
        verdict = at_least(times, bar) if bar else ("", None)
        rows.append(Row(f"{name}, {kind} / {SPADES}, decisions", {"ratio": times}, *verdict))
    return report(f"batches of {ROWS} boards on one core, medians", rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
