"""CPU time of all decisions of played deals: ``solve_play`` compared with ``solve_moves`` for each decision.

    python benchmarks/bench_solver_play.py [--deals 60] [--tables kakeya4,etori.meiji] [--json]

One core, one run. Copies of the rules bot play deals, drawn by fixed seeds, and each deal is solved by both
in turn. The answers must be equal. The bar is the time over all deals of a table; hard deals decide it, so
few deals show little.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.bench_house_bots import CONTESTS, Contest, SeatedBot, house_bot, play_board
from benchmarks.harness import Row, arguments, at_most, one_core, positive, report, require_kernel
from bots.sdk import Bot
from engine import Board
from engine.cards import KAKEYA_PACK
from engine.game import Action, Seat
from engine.games.kakeya.notation import PLAY
from engine.kernel import Position, play, position_of, solve_moves, solve_play
from engine.wire import Tokens
from league.fairness import local_board_seed

TABLES = ("kakeya4", "etori.simple", "etori.meiji")
SEED = "play"
MAX_RATIO = 0.6


class PlayTimes(NamedTuple):
    """CPU seconds of a deal."""

    together: float
    separate: float


class RecordedBot(SeatedBot):
    actions: list[Action]

    def answer(self, phase: str, observation: dict[str, object], legal: Sequence[Action]) -> Action:
        self.actions.append(super().answer(phase, observation, legal))
        return self.actions[-1]


def played_deal(contest: Contest, number: int) -> tuple[Position, list[int]]:
    """Return the position in which the first card of a deal is led, and the cards played by rules bots."""
    game, ruleset = contest.rules()
    actions: dict[Seat, list[Action]] = {}

    def seated(bot: Bot, seat: Seat, tokens: Tokens) -> RecordedBot:
        player = RecordedBot(bot, seat, tokens)
        player.actions = actions.setdefault(seat, [])
        return player

    board = Board("deal", number, local_board_seed(SEED, number))
    seats = [seat for side in game.sides(ruleset) for seat in side]
    play_board({seat: house_bot(f"{game.key}_rules") for seat in seats}, contest, board, seated)
    state = game.start(ruleset, board)
    start, cards = None, []
    while state.to_act:
        for seat in state.to_act:
            action = actions[seat].pop(0)
            if state.phase == PLAY:
                start = start or position_of(state)
                cards.append(KAKEYA_PACK.cards.index(action))
            state = state.apply(seat, action)
    assert start is not None
    return start, cards


def solve_both(start: Position, cards: Sequence[int]) -> PlayTimes:
    began = time.process_time()
    together = solve_play(start, cards)
    middle = time.process_time()
    separate, position = [], start
    for card in cards:
        separate.append(solve_moves(position))
        position = play(position, card)
    times = PlayTimes(middle - began, time.process_time() - middle)
    assert [[(card, *answer[:3]) for card, answer in each.answers] for each in together] == [
        [(card, *answer[:3]) for card, answer in answers] for answers in separate
    ]
    return times


def row_of(table: str, times: Sequence[PlayTimes]) -> Row:
    together, separate = (statistics.mean(column) for column in zip(*times, strict=True))
    cells = {
        "deals": float(len(times)),
        "together": 1000 * together,
        "median": 1000 * statistics.median(each.together for each in times),
        "separate": 1000 * separate,
        "ratio": together / separate,
        "ratio, median deal": statistics.median(each.together / each.separate for each in times),
    }
    return Row(table, cells, *at_most(together / separate, MAX_RATIO))


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--deals", type=positive, default=60, help="deals of each table (60)")
    parser.add_argument("--tables", default=",".join(TABLES), help="contests of bench_house_bots.py")
    options = parser.parse_args()
    tables = options.tables.split(",")
    if unknown := {name for name in tables if name.startswith("kakkuri")} | ({*tables} - {*CONTESTS}):
        parser.error(f"no deals to solve at: {', '.join(sorted(unknown))}; give {', '.join(TABLES)}")
    require_kernel()
    rows = []
    with one_core():
        for name in tables:
            deals = [played_deal(CONTESTS[name], number) for number in range(1, options.deals + 1)]
            solve_both(*deals[0])
            rows.append(row_of(name, [solve_both(*deal) for deal in deals]))
    return report("CPU time of a played deal on one core, in ms", rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
