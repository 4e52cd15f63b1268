"""Full random deals a second of the rules engine, beside games of like kind in other libraries.

    python benchmarks/bench_engine.py [--rounds 25] [--slice-ms 60] [--json]

Everything is driven from Python on one core in the same run: shuffle, deal, legal actions, a random one
applied, until the result stands. The peers live in an environment of their own (``make peers``) and in a
process of their own. The time is CPU time of the process that plays, so that others on the machine count
little. open-spiel deals through chance nodes, card by card; rlcard builds an observation at every decision:
that is what driving them costs. Status 0 if every bar is kept.
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
    """Random deal boards of a preset, a new board each time."""
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
    """What is measured of ours, and the least ratio to each peer."""
    found: dict[str, tuple[Slice, dict[tuple[str, str], float]]] = {
        "kakeya4": (own_slice("kakeya4", {}), {SPADES: 1.15, BRIDGE: 15.0})
    }
    for preset in ("kakeya6", "etori.simple", "etori.simple6", "etori.meiji"):
        found[preset] = own_slice(preset, {}), {}
    for seats in SEATS:
        for fuwaru in (True, False):
            name = f"kakkuri, {seats} seats, {'with' if fuwaru else 'without'} fuwaru"
            play = own_slice("kakkuri", {"seats": seats, "fuwaru": fuwaru})
            found[name] = play, {CRAZY_EIGHTS[seats]: 1.0}
    return found


def main() -> int:
    """Measure, print, and tell whether every bar is kept."""
    parser = arguments(__doc__, rounds=25)
    parser.add_argument("--slice-ms", type=int, default=60, help="CPU time of each subject in a round")
    wanted = parser.parse_args()
    own = own_subjects()
    with PeerProcess() as peers, one_core():
        subjects: dict[str, Slice] = {
            " ".join(peer): partial(peers.play, *peer) for peer in (SPADES, BRIDGE, *CRAZY_EIGHTS.values())
        }
        subjects |= {name: play for name, (play, _) in own.items()}
        found = rates(subjects, wanted.rounds, wanted.slice_ms / 1000)
    rows = [Row(name, rate.cells()) for name, rate in found.items()]
    for name, (_, bars) in own.items():
        for peer, bar in bars.items():
            times = ratio(found[name].deals, found[" ".join(peer)].deals)
            rows.append(Row(f"{name} / {' '.join(peer)}", {"ratio": times}, *at_least(times, bar)))
    return report("random deals of the engine on one core, medians", rows, as_json=wanted.json)


if __name__ == "__main__":
    sys.exit(main())
