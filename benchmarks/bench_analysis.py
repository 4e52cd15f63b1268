"""CPU time and size of notes on played deals.

    python benchmarks/bench_analysis.py [--deals 48] [--rounds 3] [--json]

One core, one run, deals of ``kakeya4`` whose cards are played by the rules of the playouts, one in twenty at
random. Double-dummy notes of a deal, from its last play to its first, are compared with a separate call of
``solve_moves`` for each of its plays; both take their turns in every round. Averages of a deal are measured
from trick 4 on, and of all tricks. The last figures are the size of the notes of 16 boards and the time from
a cancellation to its exception.
"""

from __future__ import annotations

import gzip
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

from analysis.games.kakeya import NOTES, double_dummy
from analysis.games.kakeya.averages import ALWAYS_FROM, average_of
from analysis.games.kakeya.plays import DealPlays, deals_played
from analysis.notes import notes_bytes, notes_of_record
from analysis.work import Cancelled, Work
from benchmarks.harness import (
    Row,
    arguments,
    at_most,
    interleave,
    one_core,
    positive,
    ratio,
    report,
    require_kernel,
)
from engine import Board, RecordWriter, Replay, preset_named, replay
from engine.cards import KAKEYA_PACK
from engine.games.kakeya.notation import PLAY
from engine.games.kakeya.state import KakeyaState
from engine.kernel import playout_line, position_of, solve_moves

PRESET = "kakeya4"
BOARDS = 16
"""Boards of the record whose size is measured."""
AVERAGED = 12
"""Maximum number of deals whose averages are measured."""
CANCELS = 20
RANDOM_SHARE = 0.05

DOUBLE_DUMMY_BAR, AVERAGES_BAR_S, SIZE_BAR, CANCEL_BAR_MS = 0.6, 4.0, 6000, 100.0


def record_of(boards: range) -> bytes:
    game, ruleset = preset_named(PRESET)
    seats = range(1, game.seats(ruleset) + 1)
    writer = RecordWriter(game, ruleset, dict.fromkeys(seats, "0" * 64))
    for number in boards:
        rng = random.Random(f"analysis {number}")
        board = Board("deal", number, f"analysis {number}")
        state = game.start(ruleset, board)
        writer.start_board(board, state)
        while state.to_act:
            before = state
            for seat in before.to_act:
                assert isinstance(state, KakeyaState)
                state = state.apply(seat, _choice(state, seat, rng))
            writer.add(before, state)
        writer.end_board(state)
    return writer.end((), dict.fromkeys(seats, "OK"))


def _choice(state: KakeyaState, seat: int, rng: random.Random) -> str:
    legal = state.legal(seat)
    if state.phase != PLAY or len(legal) == 1 or rng.random() < RANDOM_SHARE:
        return rng.choice(legal)
    return KAKEYA_PACK.cards[playout_line(position_of(state), rng.randrange(1 << 30), 0, "rules")[0][0]]


def double_dummy_rows(deals: list[DealPlays], rounds: int) -> Iterator[Row]:
    work = Work("", NOTES.limits)

    def notes() -> list[float]:
        return [_timed(partial(double_dummy.step_values, deal, work)) for deal in deals]

    def separate() -> list[float]:
        return [_timed(partial(_solve_separately, deal)) for deal in deals]

    times = interleave({"notes": notes, "separate": separate}, rounds)
    seconds = {name: [sum(round_) / len(deals) for round_ in rounds_] for name, rounds_ in times.items()}
    share = ratio(seconds["notes"], seconds["separate"])
    leads = [
        _timed(partial(double_dummy.lead_values, deal, {0: {deal.plays[0].card: 0}}, work)) for deal in deals
    ]
    yield Row("separate calls", {"s per deal": statistics.median(seconds["separate"])})
    yield Row(
        "double-dummy notes",
        {"s per deal": statistics.median(seconds["notes"]), "ratio": share},
        *at_most(share, DOUBLE_DUMMY_BAR),
    )
    yield Row("the other lead", {"s per deal": statistics.mean(leads)})


def _solve_separately(deal: DealPlays) -> None:
    for play in deal.plays:
        solve_moves(position_of(play.state))


def average_rows(replayed: Replay, deals: list[DealPlays]) -> Iterator[Row]:
    work = Work("", NOTES.limits)
    late, early = [], []
    for deal in deals:
        values = double_dummy.step_values(deal, work)
        seconds = {True: 0.0, False: 0.0}
        for index, play in enumerate(deal.plays):
            is_late = play.trick >= ALWAYS_FROM
            if len(values[index]) > 1 and (is_late or play.cost(values[index])):
                purpose = (1, deal.deal, index)
                seconds[is_late] += _timed(partial(average_of, replayed.game, play, work, purpose))
        late.append(seconds[True])
        early.append(seconds[False])
    mean = statistics.mean(late)
    yield Row(
        f"averages from trick {ALWAYS_FROM}",
        {"s per deal": mean, "maximum": max(late)},
        *at_most(mean, AVERAGES_BAR_S),
    )
    yield Row("averages before it", {"s per deal": statistics.mean(early), "maximum": max(early)})


def size_row() -> Row:
    text = notes_bytes(notes_of_record(record_of(range(1, BOARDS + 1))))
    compressed = len(gzip.compress(text, 9))
    return Row(
        f"notes of {BOARDS} boards",
        {"bytes": len(text), "gzip": compressed},
        *at_most(compressed, SIZE_BAR),
    )


def cancel_row(record: bytes) -> Row:
    """Cancel after delays from 0 on; the analysis of the deals takes longer than the last delay."""
    worst = 0.0
    for number in range(CANCELS):
        cancel, set_at = threading.Event(), 0.0

        def set_now(cancel: threading.Event = cancel) -> None:
            nonlocal set_at
            set_at = time.monotonic()
            cancel.set()

        timer = threading.Timer(number * 0.1, set_now)
        timer.start()
        try:
            notes_of_record(record, cancel=cancel)
        except Cancelled:
            worst = max(worst, 1000 * (time.monotonic() - set_at))
        timer.join()
    return Row("cancelled", {"ms, maximum": worst}, *at_most(worst, CANCEL_BAR_MS))


def _timed(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def main() -> int:
    parser = arguments(__doc__, rounds=3)
    parser.add_argument("--deals", type=positive, default=48, help="played deals")
    options = parser.parse_args()
    require_kernel()
    record = record_of(range(1, options.deals + 1))
    replayed = replay(record, keep_states=True)
    deals = [deal for board in replayed.boards for deal in deals_played(replayed, board)]
    with one_core():
        rows = [
            *double_dummy_rows(deals, options.rounds),
            *average_rows(replayed, deals[:AVERAGED]),
            size_row(),
            cancel_row(record),
        ]
    return report(f"notes of {options.deals} deals of {PRESET}", rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
