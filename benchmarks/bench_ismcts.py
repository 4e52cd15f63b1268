"""Simulations of tree search a second in the kernel, beside the MCTS of open-spiel on spades.

    python benchmarks/bench_ismcts.py [--rounds 5] [--slice-ms 500]

One core, one run; slices of time take turns, one of each subject a round, medians are compared. The time
is CPU time. Every search has 10,000 simulations and begins with the first card of a deal of 52; in a
simulation one playout is played at random. Ours includes the 100 worlds of the search, drawn by
``determinize`` and made positions; open-spiel's ``MCTSBot`` in C++ sees all hands and draws none (``make
peers``). Players by rules are measured as well, and the playouts alone. Status 0 if the bar is kept.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bench_engine import PEERS, PeerProcess
from benchmarks.bench_playouts import hands
from benchmarks.bench_shedding_playouts import Slice, measured
from bots.sdk import KakeyaView, Request, determinize, state_from
from engine.game import State
from engine.kernel import is_compiled, playouts, position_of, search_cards
from engine.kernel.batches import Policy

SIMULATIONS = 10_000
WORLDS = 100
SPADES = "open-spiel MCTSBot, spades"
BAR = 2.0
"""The least ratio of simulations a second, players at random in both."""


def view_of_leader(state: State) -> KakeyaView:
    """What the seat to act sees."""
    (seat,) = state.to_act
    observation = json.loads(json.dumps(state.observe(seat)))
    return KakeyaView(Request({"id": "bench", "legal": state.legal(seat), "observation": observation}))


def search_slice(states: list[State], policy: Policy) -> Slice:
    """Searches of the first card, worlds included."""
    views = [view_of_leader(state) for state in states]
    rng = random.Random(1)

    def play(searches: int) -> tuple[float, int]:
        began = time.process_time()
        for number in range(searches):
            view = views[number % len(views)]
            worlds = [position_of(state_from(view, determinize(view, rng))) for _ in range(WORLDS)]
            search_cards(worlds, number, SIMULATIONS, policy=policy)
        return time.process_time() - began, searches * SIMULATIONS

    return play


def playout_slice(states: list[State], policy: Policy) -> Slice:
    """The playouts without a tree."""
    positions = [position_of(state) for state in states]

    def play(searches: int) -> tuple[float, int]:
        began = time.process_time()
        for number in range(searches):
            playouts(positions[number % len(positions)], SIMULATIONS, number, policy=policy)
        return time.process_time() - began, searches * SIMULATIONS

    return play


def main() -> int:
    """Measure, print, and tell whether the bar is kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds")
    parser.add_argument("--slice-ms", type=int, default=500, help="time of each subject in a round")
    arguments = parser.parse_args()
    if not PEERS.exists():
        print("the libraries to compare with are not installed: run make peers", file=sys.stderr)
        return 2
    if not is_compiled:
        print("the kernel is not compiled here: this measures its slow twin", file=sys.stderr)
    states: list[State] = list(hands())
    peers = PeerProcess(PEERS)
    subjects: dict[str, Slice] = {
        SPADES: partial(peers.play, "open-spiel MCTS", f"spades {SIMULATIONS}"),
        "search, at random": search_slice(states, "random"),
        "search, by rules": search_slice(states, "rules"),
        "playouts, at random": playout_slice(states, "random"),
        "playouts, by rules": playout_slice(states, "rules"),
    }
    try:
        rates = measured(subjects, arguments.rounds, arguments.slice_ms / 1000, least=1)
    finally:
        peers.close()
    print(f"{'subject':<28}{'simulations/s':>15}{'lowest':>12}{'highest':>12}")
    for name, rate in rates.items():
        lowest, highest = (searches * SIMULATIONS for searches in (rate.lowest, rate.highest))
        print(f"{name:<28}{rate.deals * SIMULATIONS:15,.0f}{lowest:12,.0f}{highest:12,.0f}")
    ratio = rates["search, at random"].deals / rates[SPADES].deals
    is_kept = ratio >= BAR
    print(f"search / {SPADES}: {ratio:.2f} (at least {BAR:g}: {'PASS' if is_kept else 'MISSED'})")
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
