"""Full random deals a second of the rules engine, beside games of like kind in other libraries.

    python benchmarks/bench_engine.py [--rounds 25] [--slice-ms 60]

Everything is driven from Python on one core in the same run: shuffle, deal, legal actions, a random one
applied, until the result stands. The peers live in an environment of their own (``make peers``) and in a
process of their own; slices of time take turns, one of each subject a round, medians are compared. The
time is CPU time of the process that plays, so that others on the machine count little.
open-spiel deals through chance nodes, card by card; rlcard builds an observation at every decision: that
is what driving them costs. Status 0 if every bar is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from engine import Board, Game, Ruleset, preset_named

PEERS = Path(__file__).resolve().parents[1] / ".tools" / "peers" / "bin" / "python"
DRIVE = Path(__file__).resolve().parent / "peers" / "drive.py"
SPADES, BRIDGE = "open-spiel spades", "rlcard bridge"
CALIBRATION_DEALS = 20

Slice = Callable[[int], tuple[float, int]]
"""Plays so many deals; gives seconds and decisions."""


class Subject(NamedTuple):
    """One thing measured."""

    name: str
    play: Slice
    bars: dict[str, float]
    """The least ratio to each peer."""


class Measured(NamedTuple):
    """Deals a second in each round, and decisions a deal."""

    rates: list[float]
    decisions: float

    @property
    def median(self) -> float:
        return statistics.median(self.rates)


class PeerProcess:
    """The interpreter that has the other libraries, and a program of ``peers`` in it."""

    def __init__(self, python: Path, program: Path = DRIVE) -> None:
        self._process = subprocess.Popen(
            [str(python), str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def ask(self, request: list[str | int]) -> Any:
        """What the program answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        return json.loads(self._process.stdout.readline())

    def play(self, library: str, game: str, deals: int) -> tuple[float, int]:
        """Seconds and decisions of so many deals."""
        took, decisions = self.ask([library, game, deals])
        return took, decisions

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=30)


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


def subjects(peers: PeerProcess) -> list[Subject]:
    """All that is measured, peers first."""

    def peer(library: str, game: str) -> Subject:
        return Subject(f"{library} {game}", lambda deals: peers.play(library, game, deals), {})

    found = [peer("open-spiel", "spades"), peer("rlcard", "bridge")]
    for players in (2, 5, 7):
        found.append(peer("open-spiel", f"crazy_eights(players={players})"))
    found.append(Subject("kakeya4", own_slice("kakeya4", {}), {SPADES: 1.15, BRIDGE: 15.0}))
    for preset in ("kakeya6", "etori.simple", "etori.simple6", "etori.meiji"):
        found.append(Subject(preset, own_slice(preset, {}), {}))
    for players in (2, 5, 7):
        for fuwaru in (True, False):
            name = f"kakkuri, {players} seats, {'with' if fuwaru else 'without'} fuwaru"
            play = own_slice("kakkuri", {"seats": players, "fuwaru": fuwaru})
            found.append(Subject(name, play, {f"open-spiel crazy_eights(players={players})": 1.0}))
    return found


def measured(found: list[Subject], rounds: int, slice_s: float) -> dict[str, Measured]:
    """Every subject in every round, each for about ``slice_s`` seconds."""
    deals = {}
    for subject in found:
        subject.play(CALIBRATION_DEALS)
        took, _ = subject.play(CALIBRATION_DEALS)
        deals[subject.name] = max(1, round(CALIBRATION_DEALS * slice_s / took))
        subject.play(deals[subject.name])  # not counted: whatever any of them remembers, it remembers now
    rates: dict[str, list[float]] = {subject.name: [] for subject in found}
    decisions = dict.fromkeys(rates, 0)
    for _ in range(rounds):
        for subject in found:
            took, made = subject.play(deals[subject.name])
            rates[subject.name].append(deals[subject.name] / took)
            decisions[subject.name] += made
    return {name: Measured(rates[name], decisions[name] / (deals[name] * rounds)) for name in rates}


def main() -> int:
    """Measure, print, and tell whether every bar is kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=25, help="interleaved rounds")
    parser.add_argument("--slice-ms", type=int, default=60, help="time of each subject in a round")
    arguments = parser.parse_args()
    if not PEERS.exists():
        print("the libraries to compare with are not installed: run make peers", file=sys.stderr)
        return 2
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    peers = PeerProcess(PEERS)
    try:
        found = subjects(peers)
        results = measured(found, arguments.rounds, arguments.slice_ms / 1e3)
    finally:
        peers.close()
    print(
        f"{arguments.rounds} interleaved rounds on one core, {arguments.slice_ms} ms of CPU each, medians\n"
    )
    print(f"{'':<36}{'deals/s':>9}{'lowest':>9}{'highest':>9}{'decisions a deal':>18}")
    for name, result in results.items():
        print(
            f"{name:<36}{result.median:9.0f}{min(result.rates):9.0f}{max(result.rates):9.0f}"
            f"{result.decisions:18.1f}"
        )
    print()
    is_kept = True
    for subject in found:
        for peer, bar in subject.bars.items():
            ratio = results[subject.name].median / results[peer].median
            is_kept = is_kept and ratio >= bar
            verdict = "PASS" if ratio >= bar else "MISSED"
            print(f"{subject.name} / {peer}: {ratio:.2f}   bar {bar:g}   {verdict}")
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
