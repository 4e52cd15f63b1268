"""Random playouts of Kakeya a second in the kernel, beside the engine, other libraries and C written by hand.

    python benchmarks/bench_playouts.py [--rounds 5] [--slice-ms 300]

One core, one run; slices of time take turns, one of each subject a round, medians are compared. The time
is CPU time. The kernel gets a batch of playouts of a dealt hand, as a bot asks for them, in which the making
of the position counts; the engine plays the same hands from the same state with ``legal`` and ``apply``.

Peers (``make peers``): spades of open-spiel driven from Python, 52 cards as Kakeya has, which also deals and
bids; so actions are compared too, chance nodes left out of the count. colver's ``rollout`` of Belote, in
Rust, from a dealt hand with its contract: 32 cards, compared by actions. ``playouts_reference.c`` is compiled
here with the flags of the kernel and has to give the same results.
Status 0 if every bar is kept.
"""

from __future__ import annotations

import argparse
import ctypes
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bench_engine import PEERS, PeerProcess
from benchmarks.bench_shedding_playouts import BATCH, HANDS, Slice, engine_slice, measured
from deploy.build_kernel import FLAGS, MACHINE_FLAGS
from engine import Board, preset_named
from engine.games.kakeya.notation import PLAY
from engine.games.kakeya.scoring import PICTURE_MASK
from engine.games.kakeya.state import KakeyaState
from engine.kernel import Playouts, Position, is_compiled, playouts, position_of

SOURCE = Path(__file__).resolve().parent / "playouts_reference.c"
CARDS = 52
SPADES, COLVER, ENGINE, C = "open-spiel spades", "colver rollout", "engine", "C by hand"
DEAL_BARS = {SPADES: 70.0, ENGINE: 50.0, C: 0.85}
"""The least ratio of deals a second."""
ACTION_BARS = {SPADES: 50.0, COLVER: 1.5}
"""The least ratio of actions a second."""


def hands() -> list[KakeyaState]:
    """Dealt hands of four, before the first card."""
    game, ruleset = preset_named("kakeya4")
    found = []
    for number in range(HANDS):
        state = game.start(ruleset, Board("deal", 1 + number, f"playouts {number}"))
        assert isinstance(state, KakeyaState)
        while state.phase != PLAY:
            state = state.apply(state.to_act[0], state.fallback(state.to_act[0]))
        found.append(state)
    return found


def kernel_slice(states: list[KakeyaState]) -> Slice:
    """Playouts in the kernel."""

    def play(deals: int) -> tuple[float, int]:
        began = time.process_time()
        for number in range(0, deals, BATCH):
            position = position_of(states[number // BATCH % len(states)])
            playouts(position, min(BATCH, deals - number), number)
        return time.process_time() - began, deals * CARDS

    return play


class Reference:
    """The playouts of ``playouts_reference.c``."""

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
        """As the kernel's, of a position in which a card is led."""
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
    """The same playouts in C, positions made as for the kernel."""

    def play(deals: int) -> tuple[float, int]:
        began = time.process_time()
        for number in range(0, deals, BATCH):
            position = position_of(states[number // BATCH % len(states)])
            reference.playouts(position, min(BATCH, deals - number), number)
        return time.process_time() - began, deals * CARDS

    return play


def colver_slice(peers: PeerProcess) -> Slice:
    """Rollouts of colver in batches, as the kernel has them."""

    def play(deals: int) -> tuple[float, int]:
        # A short slice is a whole batch too, and its time is scaled to what was asked for.
        batches = -(-deals // BATCH)
        took, decisions = peers.play("colver", str(BATCH), batches)
        share = deals / (batches * BATCH)
        return took * share, round(decisions * share)

    return play


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
    states, peers = hands(), PeerProcess(PEERS)
    with tempfile.TemporaryDirectory() as folder:
        reference = Reference(folder)
        for number, state in enumerate(states):
            position = position_of(state)
            assert reference.playouts(position, 100, number) == playouts(position, 100, number)
        subjects: dict[str, Slice] = {
            SPADES: partial(peers.play, "open-spiel", "spades"),
            COLVER: colver_slice(peers),
            ENGINE: engine_slice(states),
            C: reference_slice(states, reference),
            "kernel": kernel_slice(states),
        }
        try:
            rates = measured(subjects, arguments.rounds, arguments.slice_ms / 1000)
        finally:
            peers.close()
    print(f"{'subject':<20}{'deals/s':>12}{'lowest':>12}{'highest':>12}{'actions/s':>14}")
    for name, rate in rates.items():
        print(f"{name:<20}{rate.deals:12,.0f}{rate.lowest:12,.0f}{rate.highest:12,.0f}{rate.actions:14,.0f}")
    kernel, is_kept = rates["kernel"], True
    ratios = [(peer, "deals", kernel.deals / rates[peer].deals, bar) for peer, bar in DEAL_BARS.items()]
    ratios += [
        (peer, "actions", kernel.actions / rates[peer].actions, bar) for peer, bar in ACTION_BARS.items()
    ]
    for peer, what, ratio, bar in ratios:
        is_kept = is_kept and ratio >= bar
        verdict = "PASS" if ratio >= bar else "MISSED"
        print(f"kernel / {peer}, {what}: {ratio:.2f} (at least {bar:g}: {verdict})")
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
