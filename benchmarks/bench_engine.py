"""Full random deals per second of the rules engine, compared with similar games of other libraries.

    python benchmarks/bench_engine.py [--rounds 25] [--slice-ms 60] [--json]

Python drives all of them on one core in one run: shuffle, deal, legal actions, apply a random one, until
the result. The peers run in their own environment (``make peers``) and process. Times are CPU time of the
playing process, so load on the machine matters little. open-spiel deals through chance nodes, card by
card; rlcard builds an observation at every decision: that is the cost of driving them. Status 0 if every
bar is kept.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.harness import PeerProcess, Row, Slice, arguments, at_least, one_core, rates, ratio, report
from engine import Board, Game, Ruleset, preset_named

SPADES, BRIDGE = ("open-spiel", "spades"), ("rlcard", "bridge")
SEATS = (2, 5, 7)
CRAZY_EIGHTS = {seats: ("open-spiel", f"crazy_eights(players={seats})") for seats in SEATS}


def own_slice(preset: str, options: dict[str, Any]) -> Slice:
    game, plain = preset_named(preset)
    ruleset = plain.replace(**options)
    chance = random.Random(1).random
    numbers = iter(range(1, sys.maxsize))

    def play(deals: int) -> tuple[float, int]:
        began = time.process_time()
        decisions = sum(_deal(game, ruleset, next(numbers), chance) for _ in range(deals))
        return time.process_time() - began, decisions

    return play


def _deal(game: Game, ruleset: Ruleset, number: int, chance: Callable[[], float]) -> int:
    state, decisions = game.start(ruleset, Board("deal", number, f"bench {number}")), 0
    while to_act := state.to_act:
        for seat in to_act:
            legal = state.legal(seat)
            state = state.apply(seat, legal[int(chance() * len(legal))])
            decisions += 1
    assert state.outcome() is not None, "nobody is to act, so the deal is over"
    return decisions


def own_subjects() -> dict[str, tuple[Slice, dict[tuple[str, str], float]]]:
    subjects_and_bars: dict[str, tuple[Slice, dict[tuple[str, str], float]]] = {
        "kakeya4": (own_slice("kakeya4", {}), {SPADES: 1.15, BRIDGE: 15.0})
    }
    for preset in ("kakeya6", "etori.simple", "etori.simple6", "etori.meiji"):
        subjects_and_bars[preset] = own_slice(preset, {}), {}
    for seats in SEATS:
        for fuwaru in (True, False):
            name = f"kakkuri, {seats} seats, {'with' if fuwaru else 'without'} fuwaru"
            play = own_slice("kakkuri", {"seats": seats, "fuwaru": fuwaru})
            subjects_and_bars[name] = play, {CRAZY_EIGHTS[seats]: 1.0}
    return subjects_and_bars


def main() -> int:
    parser = arguments(__doc__, rounds=25)
    parser.add_argument("--slice-ms", type=int, default=60, help="CPU time of each subject in a round")
    options = parser.parse_args()
    own = own_subjects()
    with PeerProcess() as peers, one_core():
        subjects: dict[str, Slice] = {
            " ".join(peer): partial(peers.play, *peer) for peer in (SPADES, BRIDGE, *CRAZY_EIGHTS.values())
        }
        subjects |= {name: play for name, (play, _) in own.items()}
        results = rates(subjects, options.rounds, options.slice_ms / 1000)
    rows = [Row(name, rate.cells()) for name, rate in results.items()]
    for name, (_, bars) in own.items():
        for peer, bar in bars.items():
            times = ratio(results[name].deals, results[" ".join(peer)].deals)
            rows.append(Row(f"{name} / {' '.join(peer)}", {"ratio": times}, *at_least(times, bar)))
    return report("random deals of the engine on one core, medians", rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
