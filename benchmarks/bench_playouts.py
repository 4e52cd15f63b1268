"""Playouts and tree searches per second of the kernel, compared with the engine, other libraries and C
written by hand.

    python benchmarks/bench_playouts.py [--rounds 5] [--slice-ms 300] [--only kakeya|kakkuri|search] [--json]

One core, one run; times are CPU time. The kernel gets a batch of playouts of a dealt hand, as a bot
requests them, including the making of the position. The engine plays the same hands from the same state
with ``legal`` and ``apply``. Peers are driven from Python (``make peers``):

- kakeya: spades of open-spiel, with 52 cards like Kakeya, which also deals and bids; so actions are compared
  too, without chance nodes. colver's ``rollout`` of Belote, in Rust, from a dealt hand with its
  contract: 32 cards, compared by actions. ``playouts_reference.c`` is compiled here with the flags of the
  kernel and must give the same results.
- kakkuri: crazy_eights of open-spiel, the most similar shedding game. It deals card by card, which neither
  of ours does here, and its hands are longer: compared by actions.
- search: 10,000 simulations of the first card of a deal of 52, with a random playout each. Ours includes
  100 worlds, drawn by ``determinize`` and converted to positions; open-spiel's ``MCTSBot`` in C++ sees all
  hands.

Status 0 if every bar is kept.
"""

from __future__ import annotations

import ctypes
import json
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.harness import (
    ROOT,
    PeerProcess,
    PlayRates,
    Row,
    Slice,
    arguments,
    at_least,
    rates,
    ratio,
    report,
    require_kernel,
)
from bots.sdk import KakeyaView, Request, determinize, state_from
from deploy.build_kernel import FLAGS, MACHINE_FLAGS
from engine import Board, State, preset_named
from engine.games.kakeya.notation import PLAY
from engine.games.kakeya.scoring import PICTURE_MASK
from engine.games.kakeya.state import KakeyaState
from engine.games.kakkuri.state import KakkuriState
from engine.kernel import Playouts, Position, playouts, position_of, search_cards
from engine.kernel.batches import Policy
from engine.kernel.shedding import shedding_line, shedding_playouts
from engine.kernel.shedding_position import shedding_position_of

SOURCE = ROOT / "benchmarks" / "playouts_reference.c"
CARDS = 52
HANDS = 20
BATCH = 1000
"""Playouts per call of the kernel."""
SEATS = (2, 5, 7)
SIMULATIONS = 10_000
WORLDS = 100
SPADES, COLVER, ENGINE, C = "open-spiel spades", "colver rollout", "engine", "C by hand"
BARS = (
    ("kernel", SPADES, "deals", 70.0),
    ("kernel", ENGINE, "deals", 50.0),
    ("kernel", C, "deals", 0.85),
    ("kernel", SPADES, "decisions", 50.0),
    ("kernel", COLVER, "decisions", 1.5),
    *(
        bar
        for seats in SEATS
        for bar in (
            (f"kernel, kakkuri {seats}", f"engine, kakkuri {seats}", "deals", 20.0),
            (f"kernel, kakkuri {seats}", f"open-spiel crazy_eights {seats}", "decisions", 20.0),
        )
    ),
    ("search, random", "open-spiel MCTSBot", "deals", 2.0),
)
"""Own subject, other subject, compared unit, and minimum ratio."""


def kakeya_hands() -> list[KakeyaState]:
    game, ruleset = preset_named("kakeya4")
    states = []
    for number in range(HANDS):
        state = game.start(ruleset, Board("deal", 1 + number, f"playouts {number}"))
        assert isinstance(state, KakeyaState)
        while state.phase != PLAY:
            state = state.apply(state.to_act[0], state.fallback(state.to_act[0]))
        states.append(state)
    return states


def kakeya_slice(states: list[KakeyaState]) -> Slice:
    def play(deals: int) -> tuple[float, int]:
        began = time.process_time()
        for number in range(0, deals, BATCH):
            position = position_of(states[number // BATCH % len(states)])
            playouts(position, min(BATCH, deals - number), number)
        return time.process_time() - began, deals * CARDS

    return play


def kakkuri_hands(seats: int) -> list[KakkuriState]:
    game, plain = preset_named("kakkuri.league")
    ruleset = plain.replace(seats=seats)
    dealt = [game.start(ruleset, Board("deal", 1 + number, f"playouts {number}")) for number in range(HANDS)]
    return [state for state in dealt if isinstance(state, KakkuriState) and state.to_act]


def kakkuri_slice(states: list[KakkuriState]) -> Slice:
    """Play in the kernel; decisions are estimated from 2,000 playouts, because the kernel does not count
    them.
    """
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


class Reference:
    def __init__(self, folder: str) -> None:
        compiler = shutil.which("cc") or shutil.which("gcc")
        assert compiler is not None, "a C compiler is needed"
        library = Path(folder) / "reference.so"
        flags = [*FLAGS, *MACHINE_FLAGS.get(platform.machine(), ())]
        subprocess.run([compiler, *flags, str(SOURCE), "-o", str(library)], check=True, timeout=60)
        self._call = ctypes.CDLL(str(library)).reference_playouts
        number = ctypes.c_longlong
        self._call.argtypes = [ctypes.POINTER(ctypes.c_uint64), *[ctypes.c_int] * 5, ctypes.c_uint64]
        self._call.argtypes += [number, number, ctypes.c_uint64, ctypes.POINTER(number)]
        self._call.restype = None

    def playouts(self, position: Position, n: int, seed: int) -> Playouts:
        """Run playouts like the kernel, of a position before a lead."""
        tally = (ctypes.c_longlong * 17)()
        dealt = (ctypes.c_uint64 * 4)(*position.hands)
        numbers = (position.trump, position.rensho, position.is_free, position.turn, position.captured[0])
        self._call(dealt, *numbers, PICTURE_MASK, 0, n, seed, tally)
        counted = list(zip(position.values, tally, strict=True))
        return Playouts(
            n,
            sum(value * count for value, count in counted),
            sum(value * value * count for value, count in counted),
            sum(pictures * count for pictures, count in enumerate(tally)),
        )


def reference_slice(states: list[KakeyaState], reference: Reference) -> Slice:
    def play(deals: int) -> tuple[float, int]:
        began = time.process_time()
        for number in range(0, deals, BATCH):
            position = position_of(states[number // BATCH % len(states)])
            reference.playouts(position, min(BATCH, deals - number), number)
        return time.process_time() - began, deals * CARDS

    return play


def colver_slice(peers: PeerProcess) -> Slice:
    def play(deals: int) -> tuple[float, int]:
        # A short slice also plays a whole batch; scale its time to the requested size.
        batches = -(-deals // BATCH)
        seconds, decisions = peers.play("colver", str(BATCH), batches)
        share = deals / (batches * BATCH)
        return seconds * share, round(decisions * share)

    return play


def view_of_leader(state: State) -> KakeyaView:
    (seat,) = state.to_act
    observation = json.loads(json.dumps(state.observe(seat)))
    return KakeyaView(Request({"id": "bench", "legal": state.legal(seat), "observation": observation}))


def search_slice(states: Sequence[State], policy: Policy) -> Slice:
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


def playout_slice(states: Sequence[State], policy: Policy) -> Slice:
    positions = [position_of(state) for state in states]

    def play(searches: int) -> tuple[float, int]:
        began = time.process_time()
        for number in range(searches):
            playouts(positions[number % len(positions)], SIMULATIONS, number, policy=policy)
        return time.process_time() - began, searches * SIMULATIONS

    return play


def kakeya_subjects(peers: PeerProcess, folder: str) -> dict[str, Slice]:
    states, reference = kakeya_hands(), Reference(folder)
    for number, state in enumerate(states):
        position = position_of(state)
        assert reference.playouts(position, 100, number) == playouts(position, 100, number)
    return {
        SPADES: partial(peers.play, "open-spiel", "spades"),
        COLVER: colver_slice(peers),
        ENGINE: engine_slice(states),
        C: reference_slice(states, reference),
        "kernel": kakeya_slice(states),
    }


def kakkuri_subjects(peers: PeerProcess, folder: str) -> dict[str, Slice]:
    subjects: dict[str, Slice] = {}
    for seats in SEATS:
        name, states = f"crazy_eights(players={seats})", kakkuri_hands(seats)
        subjects[f"open-spiel crazy_eights {seats}"] = partial(peers.play, "open-spiel", name)
        subjects[f"engine, kakkuri {seats}"] = engine_slice(states)
        subjects[f"kernel, kakkuri {seats}"] = kakkuri_slice(states)
    return subjects


def search_subjects(peers: PeerProcess, folder: str) -> dict[str, Slice]:
    states = kakeya_hands()
    return {
        "open-spiel MCTSBot": partial(peers.play, "open-spiel MCTS", f"spades {SIMULATIONS}"),
        "search, random": search_slice(states, "random"),
        "search, by rules": search_slice(states, "rules"),
        "playouts, random": playout_slice(states, "random"),
        "playouts, by rules": playout_slice(states, "rules"),
    }


SUBJECTS = {"kakeya": kakeya_subjects, "kakkuri": kakkuri_subjects, "search": search_subjects}


def main() -> int:
    parser = arguments(__doc__, rounds=5)
    parser.add_argument("--slice-ms", type=int, default=300, help="CPU time of each subject in a round")
    parser.add_argument("--only", choices=SUBJECTS)
    options = parser.parse_args()
    require_kernel()
    rows, results = [], dict[str, PlayRates]()
    with PeerProcess() as peers, tempfile.TemporaryDirectory() as folder:
        for part in (options.only,) if options.only else SUBJECTS:
            new = rates(SUBJECTS[part](peers, folder), options.rounds, options.slice_ms / 1000)
            of, times = ("simulations/s", SIMULATIONS) if part == "search" else ("deals/s", 1)
            rows += [Row(name, rate.cells(of, times)) for name, rate in new.items()]
            results |= new
    for ours, other, unit, bar in BARS:
        if ours in results:
            own_rate, other_rate = (getattr(results[name], unit) for name in (ours, other))
            quotient = ratio(own_rate, other_rate)
            rows.append(Row(f"{ours} / {other}, {unit}", {"ratio": quotient}, *at_least(quotient, bar)))
    return report("playouts on one core, medians", rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
