"""Random playouts of Kakkuri a second in the kernel, beside the rules engine and another library.

    python benchmarks/bench_shedding_playouts.py [--rounds 5] [--slice-ms 300]

One core, one run; slices of time take turns, one of each subject a round, medians are compared. The time
is CPU time. The kernel gets a batch of playouts of a dealt hand, as a bot asks for them, in which the making
of the position counts; the engine plays the same hands from the same state with ``legal`` and ``apply``.
The peer is crazy_eights of open-spiel, the shedding game nearest to Kakkuri, driven from Python
(``make peers``). It deals card by card, which neither of ours does here, and its hands are longer: with it
actions are compared, chance nodes left out of the count.
Status 0 if every bar is kept.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bench_engine import PEERS, PeerProcess
from engine import Board, State, preset_named
from engine.games.kakkuri.state import KakkuriState
from engine.kernel import is_compiled
from engine.kernel.shedding import shedding_line, shedding_playouts
from engine.kernel.shedding_position import shedding_position_of

SEATS = (2, 5, 7)
HANDS = 20
BATCH = 1000
"""Playouts of a hand that the kernel is asked for at once."""
KERNEL_BARS = {"engine": 20.0, "open-spiel": 20.0}
"""The least ratio of deals a second to the engine and of actions a second to open-spiel."""

Slice = Callable[[int], tuple[float, int]]
"""Plays so many deals; gives CPU seconds and decisions."""


class Rates(NamedTuple):
    """Medians over the rounds."""

    deals: float
    actions: float
    lowest: float
    highest: float


def hands(seats: int) -> list[KakkuriState]:
    """Dealt hands with the start card turned up."""
    game, plain = preset_named("kakkuri.league")
    ruleset = plain.replace(seats=seats)
    dealt = [game.start(ruleset, Board("deal", 1 + number, f"playouts {number}")) for number in range(HANDS)]
    return [state for state in dealt if isinstance(state, KakkuriState) and state.to_act]


def kernel_slice(states: list[KakkuriState]) -> Slice:
    """Playouts in the kernel; decisions are estimated from 2,000 of them, since it does not count."""
    positions = [shedding_position_of(state) for state in states]
    lines = [len(shedding_line(p, 1, number)[0]) for p in positions for number in range(2000 // HANDS)]
    mean = statistics.mean(lines)

    def play(deals: int) -> tuple[float, int]:
        began, left, number = time.process_time(), deals, 0
        while left > 0:
            position = shedding_position_of(states[number % len(states)])
            shedding_playouts(position, min(BATCH, left), number)
            left -= BATCH
            number += 1
        return time.process_time() - began, round(deals * mean)

    return play


def engine_slice(states: Sequence[State]) -> Slice:
    """The same hands in the rules engine."""
    chance = random.Random(1).random

    def play(deals: int) -> tuple[float, int]:
        began, decisions = time.process_time(), 0
        for number in range(deals):
            state = states[number % len(states)]
            while to_act := state.to_act:
                legal = state.legal(to_act[0])
                state = state.apply(to_act[0], legal[int(chance() * len(legal))])
                decisions += 1
        return time.process_time() - began, decisions

    return play


def measured(subjects: dict[str, Slice], rounds: int, slice_s: float, least: int = 32) -> dict[str, Rates]:
    """Every subject in every round, each for about ``slice_s`` seconds; tried with ``least`` deals first."""
    deals = {}
    for name, play in subjects.items():
        count = least
        took, _ = play(count)
        while took < slice_s / 8:
            count *= 2
            took, _ = play(count)
        deals[name] = max(1, round(count * slice_s / took))
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in subjects}
    for _ in range(rounds):
        for name, play in subjects.items():
            took, decisions = play(deals[name])
            found[name].append((deals[name] / took, decisions / took))
    return {
        name: Rates(
            statistics.median(rate for rate, _ in rates),
            statistics.median(actions for _, actions in rates),
            min(rate for rate, _ in rates),
            max(rate for rate, _ in rates),
        )
        for name, rates in found.items()
    }


def main() -> int:
    """Measure, print, and tell whether every bar is kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds")
    parser.add_argument("--slice-ms", type=int, default=300, help="time of each subject in a round")
    arguments = parser.parse_args()
    if not PEERS.exists():
        print("the libraries to compare with are not installed: run make peers", file=sys.stderr)
        return 2
    if not is_compiled:
        print("the kernel is not compiled here: this measures its slow twin", file=sys.stderr)
    peers = PeerProcess(PEERS)
    subjects: dict[str, Slice] = {}
    for seats in SEATS:
        subjects[f"open-spiel {seats}"] = partial(peers.play, "open-spiel", f"crazy_eights(players={seats})")
        subjects[f"engine {seats}"] = engine_slice(hands(seats))
        subjects[f"kernel {seats}"] = kernel_slice(hands(seats))
    try:
        rates = measured(subjects, arguments.rounds, arguments.slice_ms / 1000)
    finally:
        peers.close()
    print(f"{'subject, seats':<16}{'deals/s':>12}{'lowest':>12}{'highest':>12}{'actions/s':>14}")
    for name, rate in rates.items():
        print(f"{name:<16}{rate.deals:12,.0f}{rate.lowest:12,.0f}{rate.highest:12,.0f}{rate.actions:14,.0f}")
    kept = True
    for seats in SEATS:
        kernel = rates[f"kernel {seats}"]
        ratios = {
            "engine": kernel.deals / rates[f"engine {seats}"].deals,
            "open-spiel": kernel.actions / rates[f"open-spiel {seats}"].actions,
        }
        for peer, ratio in ratios.items():
            is_kept = ratio >= KERNEL_BARS[peer]
            kept = kept and is_kept
            what = "deals" if peer == "engine" else "actions"
            print(
                f"kernel / {peer}, {seats} seats, {what}: {ratio:.0f} "
                f"(at least {KERNEL_BARS[peer]:.0f}: {'PASS' if is_kept else 'MISSED'})"
            )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
