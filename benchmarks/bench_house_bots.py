"""All house bots of a game against each other on duplicate boards, and the cost of their decisions at 2x
load.

    python benchmarks/bench_house_bots.py [--boards 100] [--tables kakeya4,kakeya6] [--bots rules,pimc]
        [--seed "house bots"] [--write] [--json]

One side of the first bot plays against copies of the second on all other sides, once from every side of
the table: two tables with sides exchanged, three with three pairs, n for n seats of Kakkuri. So it holds
every hand once, and its board score is the mean of its results. All games run in this process through the
engine; each request and answer passes through JSON as in the protocol. A cell is the mean board score of
the row's bot against the column's, in stones per board, with its 95 % interval. The same arguments give
the same numbers.

Then each bot makes the decisions of some boards while two busy processes per core run: median and longest
CPU time of a decision in ms, for a clock of 20 ms per decision and 500 ms in the bank.

``--write`` puts the tables into docs/house-bots.md. Status 0 if no decision took more than the clock
allows. With 100 boards, the default takes about ten minutes of two cores per game. To show that a search
bot is better than the rules takes more: 400 boards of Kakeya; 1,500 to 3,000 of Kakkuri, where the lead
is a thirtieth of a stone (``--tables "kakkuri 2" --bots rules,search --boards 3000 --seed rensho``).
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import combinations
from typing import Any, NamedTuple

from benchmarks.harness import ROOT, Row, arguments, at_most, report, require_kernel
from bots.house import house_folders
from bots.sdk import Bot
from engine import Board, Game, Ruleset, preset_named
from engine.game import Action, Seat
from engine.wire import BYE, Answer, Tokens, hello_line, parse_answer, parse_ready, request_line
from league.fairness import local_board_seed
from league.intervals import Interval, mean_interval

PROCESSES = 2
BOARDS_A_TASK = 10
BANK_MS, INCREMENT_MS = 500, 20
PAGE = ROOT / "docs" / "house-bots.md"
ORDER = ("random", "greedy", "rules", "search", "pimc", "ismcts")
SEED = "house bots"
LOADED_BOARDS = 4
BEGIN, END = "<!-- made by benchmarks/bench_house_bots.py: -->", "<!-- up to here -->"


class Contest(NamedTuple):
    name: str
    preset: str
    options: tuple[tuple[str, Any], ...] = ()

    def rules(self) -> tuple[Game, Ruleset]:
        game, _ = preset_named(self.preset)
        return game, game.ruleset(self.preset, dict(self.options))


CONTESTS: Mapping[str, Contest] = {
    contest.name: contest
    for contest in (
        *(Contest(name, name) for name in ("kakeya4", "kakeya6")),
        *(Contest(name, name) for name in ("etori.simple", "etori.simple6", "etori.meiji")),
        *(Contest(f"kakkuri {seats}", "kakkuri.league", (("seats", seats),)) for seats in range(2, 9)),
    )
}
TABLES = ("kakeya4", "kakeya6", "etori.meiji", "kakkuri 3", "kakkuri 5")


def class_name(name: str) -> str:
    return name.title().replace("_", "")


def house_bot(name: str) -> Bot:
    bot: Bot = getattr(import_module(f"bots.house.{name}.main"), class_name(name))()
    return bot


class SeatedBot:
    def __init__(self, bot: Bot, seat: Seat, tokens: Tokens) -> None:
        self._bot = bot
        self._ids = tokens.request_ids(seat)

    def greet(self, hello: bytes) -> None:
        parse_ready(self._bot.reply_to(hello) or b"")

    def answer(self, phase: str, observation: dict[str, object], legal: Sequence[Action]) -> Action:
        request_id = next(self._ids)
        request = request_line(
            request_id, phase, legal, observation, bank_ms=BANK_MS, increment_ms=INCREMENT_MS
        )
        answer = parse_answer(self._bot.reply_to(request) or b"", request_id)
        assert isinstance(answer, Answer), "only the request just sent can be answered"
        return answer.action

    def dismiss(self) -> None:
        self._bot.reply_to(BYE)


def play_board(
    bots: Mapping[Seat, Bot],
    contest: Contest,
    board: Board,
    seated: Callable[[Bot, Seat, Tokens], SeatedBot] = SeatedBot,
) -> Mapping[Seat, int]:
    game, ruleset = contest.rules()
    tokens = Tokens(hashlib.sha256(f"bench|{board.seed}".encode()).hexdigest())
    players = {seat: seated(bot, seat, tokens) for seat, bot in bots.items()}
    for seat, player in players.items():
        player.greet(
            hello_line(
                game,
                ruleset,
                seat,
                clock={"bank_ms": BANK_MS, "increment_ms": INCREMENT_MS},
                rng=tokens.rng(seat),
            )
        )
    state = game.start(ruleset, board)
    while to_act := state.to_act:
        answers = [
            (seat, players[seat].answer(state.phase, state.observe(seat), state.legal(seat)))
            for seat in to_act
        ]
        for seat, action in answers:
            state = state.apply(seat, action)
    for player in players.values():
        player.dismiss()
    outcome = state.outcome()
    assert outcome is not None, "nobody is to act, so the board is over"
    return outcome.stones


def board_score(contest: Contest, first: str, second: str, seed: str, number: int) -> Fraction:
    """Return the mean result of the first bot on a deal board, in stones, over all sides."""
    game, ruleset = contest.rules()
    sides = game.sides(ruleset)
    board = Board("deal", number, local_board_seed(seed, number))
    total = 0
    for own in sides:
        names = {seat: f"{game.key}_{first if seat in own else second}" for side in sides for seat in side}
        bots = {seat: house_bot(name) for seat, name in sorted(names.items())}
        total += play_board(bots, contest, board)[own[0]]
    return Fraction(total, len(sides))


class DecisionTimes(NamedTuple):
    """CPU time of a bot's decisions under load, in ms."""

    median: float
    longest: float
    decisions: int


def kinds_of(game: str) -> list[str]:
    """Return the kinds of house bots of a game, the simplest first."""
    kinds = {name.removeprefix(f"{game}_") for name in house_folders() if name.startswith(f"{game}_")}
    return [kind for kind in ORDER if kind in kinds]


def interval_of(
    pool: ProcessPoolExecutor, contest: Contest, first: str, second: str, boards: int, seed: str
) -> Interval:
    score = partial(board_score, contest, first, second, seed)
    chunk = min(BOARDS_A_TASK, max(1, boards // PROCESSES))
    return mean_interval(list(pool.map(score, range(1, boards + 1), chunksize=chunk)))


def keep_core_busy() -> None:
    while True:
        sum(range(10_000))


class TimedBot(SeatedBot):
    took: list[float]

    def answer(self, phase: str, observation: dict[str, object], legal: Sequence[str]) -> str:
        began = time.process_time()
        action = super().answer(phase, observation, legal)
        self.took.append(1000 * (time.process_time() - began))
        return action


def decisions(contest: Contest, kind: str) -> DecisionTimes:
    """Measure decisions of a bot on every seat; the caller starts the load."""
    game, ruleset = contest.rules()
    times_ms: list[float] = []

    def timed(bot: Bot, seat: Seat, tokens: Tokens) -> SeatedBot:
        player = TimedBot(bot, seat, tokens)
        player.took = times_ms
        return player

    for number in range(1, LOADED_BOARDS + 1):
        bots = {seat: house_bot(f"{game.key}_{kind}") for side in game.sides(ruleset) for seat in side}
        board = Board("deal", number, local_board_seed(SEED, number))
        play_board(bots, contest, board, timed)
    return DecisionTimes(statistics.median(times_ms), max(times_ms), len(times_ms))


def cell(interval: Interval, sign: int) -> str:
    low, high = sorted((sign * interval.low, sign * interval.high))
    return f"{sign * interval.mean:+.2f} ({low:+.2f} to {high:+.2f})"


def cross_table(kinds: Sequence[str], intervals: dict[tuple[str, str], Interval]) -> list[str]:
    lines = [f"| | {' | '.join(kinds)} |", f"|---|{'---|' * len(kinds)}"]
    for row in kinds:
        cells = []
        for column in kinds:
            if (row, column) in intervals:
                cells.append(cell(intervals[row, column], 1))
            elif (column, row) in intervals:
                cells.append(cell(intervals[column, row], -1))
            else:
                cells.append("–")
        lines.append(f"| **{row}** | {' | '.join(cells)} |")
    return lines


def decisions_at_load(contests: Sequence[tuple[Contest, list[str]]]) -> dict[tuple[str, str], DecisionTimes]:
    load = [
        multiprocessing.Process(target=keep_core_busy, daemon=True) for _ in range(2 * (os.cpu_count() or 1))
    ]
    for process in load:
        process.start()
    try:
        return {
            (f"{contest.rules()[0].key}_{kind}", contest.name): decisions(contest, kind)
            for contest, kinds in contests
            for kind in kinds
        }
    finally:
        for process in load:
            process.terminate()


def main(argv: Sequence[str] | None = None) -> int:
    parser = arguments(__doc__)
    parser.add_argument("--boards", type=int, default=100, help="deal boards a pairing (100)")
    parser.add_argument("--tables", default=",".join(TABLES), help=f"of: {', '.join(CONTESTS)}")
    parser.add_argument("--bots", default=",".join(ORDER), help="kinds that are compared")
    parser.add_argument("--seed", default=SEED, help="any text; the seeds of the boards derive from it")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    options = parser.parse_args(argv)
    if unknown := set(options.tables.split(",")) - {*CONTESTS}:
        parser.error(f"unknown tables: {', '.join(sorted(unknown))}; there are {', '.join(CONTESTS)}")
    require_kernel()
    contests = []
    for name in options.tables.split(","):
        known = kinds_of(CONTESTS[name].rules()[0].key)
        contests.append((CONTESTS[name], [kind for kind in known if kind in options.bots.split(",")]))
    text: list[str] = []
    rows: list[Row] = []
    with ProcessPoolExecutor(PROCESSES) as pool:
        for contest, kinds in contests:
            intervals = {
                (first, second): interval_of(pool, contest, first, second, options.boards, options.seed)
                for second, first in combinations(kinds, 2)
            }
            rows += [
                Row(f"{contest.name}: {first} against {second}", {"stones a board": cell(interval, 1)})
                for (first, second), interval in intervals.items()
            ]
            text += [
                f"### {contest.name}, {options.boards} boards a pairing",
                "",
                *cross_table(kinds, intervals),
                "",
            ]
    text += ["### A decision at 2x load", "", "| bot | table | median, ms of CPU | longest | decisions |"]
    text += ["|---|---|---|---|---|"]
    for (bot, name), cost in decisions_at_load(contests).items():
        cells: dict[str, float | str] = {"median ms": cost.median, "longest": cost.longest}
        rows.append(Row(f"{bot}, {name}", cells, *at_most(cost.longest, BANK_MS + INCREMENT_MS)))
        text.append(f"| {bot} | {name} | {cost.median:.1f} | {cost.longest:.1f} | {cost.decisions} |")
    if options.write:
        before, _, after_tables = PAGE.read_text().partition(BEGIN)
        _, _, after = after_tables.partition(END)
        PAGE.write_text("\n".join([before + BEGIN, "", *text, "", END]) + after)
    return report(f"house bots, {options.boards} boards a pairing", rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
