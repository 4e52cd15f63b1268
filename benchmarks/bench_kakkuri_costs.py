"""Named costs of Kakkuri that disappear in a repeat with other draws, and the cost of the analysis.

    python benchmarks/bench_kakkuri_costs.py [--records 200] [--boards 1] [--processes 2] [--seed costs]
        [--json]

Each record is a table of deal boards of ``kakkuri.league`` that ``house:rules`` plays against itself, with
two to eight seats in turn. The analysis (``analysis.games.kakkuri``) judges all decisions; those with a named
cost are judged again with other draws. Status 0 if at most 5 % of the named costs disappear. The same
arguments give the same numbers except CPU times. The default takes about five minutes of CPU.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

from analysis.games.kakkuri import NOTES
from analysis.games.kakkuri.comparing import compared
from analysis.games.kakkuri.decisions import deals_decided
from analysis.work import Work
from benchmarks.bench_house_bots import CONTESTS, SeatedBot, house_bot, play_board
from benchmarks.harness import Row, arguments, at_most, positive, report, require_kernel
from bots.sdk import Bot
from engine import Board, RecordWriter, Seat, replay
from engine.game import Action
from engine.wire import Tokens
from league.fairness import local_board_seed

BAR = 0.05
SEATS = range(2, 9)
GAME_DEALS = 50


class RecordedBot(SeatedBot):
    actions: list[Action]

    def answer(self, phase: str, observation: dict[str, object], legal: Sequence[Action]) -> Action:
        action = super().answer(phase, observation, legal)
        self.actions.append(action)
        return action


def record_of(seats: int, boards: Sequence[Board]) -> bytes:
    contest = CONTESTS[f"kakkuri {seats}"]
    game, ruleset = contest.rules()
    writer = RecordWriter(game, ruleset, {seat: f"{seat}" * 64 for seat in range(1, seats + 1)})
    for board in boards:
        actions: list[Action] = []

        def seated(bot: Bot, seat: Seat, tokens: Tokens, actions: list[Action] = actions) -> SeatedBot:
            player = RecordedBot(bot, seat, tokens)
            player.actions = actions
            return player

        play_board({seat: house_bot("kakkuri_rules") for seat in range(1, seats + 1)}, contest, board, seated)
        state = game.start(ruleset, board)
        writer.start_board(board, state)
        for action in actions:
            before, state = state, state.apply(state.to_act[0], action)
            writer.add(before, state)
        writer.end_board(state)
    return writer.end((), dict.fromkeys(range(1, seats + 1), "OK"))


class Judged(NamedTuple):
    """Counts of one record."""

    seats: int
    deals: int
    decisions: int
    named: int
    disappeared: int
    """Named costs that a repeat does not name."""
    stones: float
    """Sum of the named costs."""
    cpu_s: float
    """CPU time of the first analysis."""


def judged(seed: str, boards: int, number: int) -> Judged:
    seats = SEATS[number % len(SEATS)]
    first = number * boards + 1
    record = record_of(
        seats,
        [Board("deal", board, local_board_seed(seed, board)) for board in range(first, first + boards)],
    )
    replayed = replay(record, keep_states=True)
    sha256 = hashlib.sha256(record).hexdigest()
    work, again = Work(sha256, NOTES.limits), Work(f"{sha256}/again", NOTES.limits)
    deals = decisions = named = disappeared = 0
    stones = cpu_s = 0.0
    for board in replayed.boards:
        for decided in deals_decided(replayed, board):
            deals += 1
            for decision in decided.decisions:
                purpose = board.board.number, decided.deal, decision.step
                began = time.process_time()
                comparison = compared(decision, replayed.ruleset, work.rng(*purpose), work)
                cpu_s += time.process_time() - began
                decisions += 1
                if comparison is None or not comparison.is_named:
                    continue
                named += 1
                stones += comparison.loss
                repeated = compared(decision, replayed.ruleset, again.rng(*purpose), again)
                disappeared += repeated is None or not repeated.is_named
    return Judged(seats, deals, decisions, named, disappeared, stones, cpu_s)


def row(name: str, records: Sequence[Judged], *, is_judged: bool = False) -> Row:
    total = Judged(0, *(sum(column) for column in list(zip(*records, strict=True))[1:]))
    share = total.disappeared / total.named if total.named else 0.0
    return Row(
        name,
        {
            "records": len(records),
            "decisions": total.decisions,
            "named": total.named,
            "disappeared": total.disappeared,
            "share": share,
            "stones": total.stones,
            "ms a decision": 1000 * total.cpu_s / total.decisions,
            f"s a game of {GAME_DEALS}": GAME_DEALS * total.cpu_s / total.deals,
        },
        *(at_most(share, BAR) if is_judged else ()),
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = arguments(__doc__)
    parser.add_argument("--records", type=positive, default=200, help="tables that are analysed (200)")
    parser.add_argument("--boards", type=positive, default=1, help="deal boards a record (1)")
    parser.add_argument("--processes", type=positive, default=2, help="processes (2)")
    parser.add_argument("--seed", default="costs", help="any text; the seeds of the boards derive from it")
    options = parser.parse_args(argv)
    require_kernel()
    with ProcessPoolExecutor(options.processes) as pool:
        records = list(pool.map(partial(judged, options.seed, options.boards), range(options.records)))
    by_seats = {seats: [record for record in records if record.seats == seats] for seats in SEATS}
    rows = [row(f"{seats} seats", some) for seats, some in by_seats.items() if some]
    return report(
        f"named costs of Kakkuri, {options.records} records of {options.boards} boards",
        [*rows, row("all", records, is_judged=True)],
        as_json=options.json,
    )


if __name__ == "__main__":
    sys.exit(main())
