"""All house bots of a game against each other on duplicate boards, and what a decision costs at 2x load.

    python benchmarks/bench_house_bots.py [--boards 100] [--tables kakeya4,kakeya6] [--bots rules,pimc]
        [--seed "house bots"] [--write] [--json]

One side of the first bot plays against all others of the second, once from every side of the table: two
tables with sides exchanged, three with three pairs, n for n seats of Kakkuri. So it holds every hand once,
and its board score is the mean of its results. All is played in this process through the engine; each
request and answer passes through JSON as in the protocol. A cell is the mean board score of the row's bot
against the column's, in stones a board, with its 95 % interval. Same arguments, same numbers.

Then each bot decides a board's cards while two busy processes for every core run beside it: CPU time of a
decision in ms, the median and the longest, of a clock of 20 ms a decision and 500 in the bank.

``--write`` puts the tables into docs/house-bots.md. Status 0 if no decision took more than the clock has.
With 100 boards the default takes about ten minutes of two cores for each game. Whether a bot that searches is
ahead of the rules takes more: 400 boards of Kakeya; 1,500 to 3,000 of Kakkuri, where a lead is a thirtieth
of a stone (``--tables "kakkuri 2" --bots rules,search --boards 3000 --seed rensho``).
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
    """Under which rules house bots are compared."""

    name: str
    preset: str
    options: tuple[tuple[str, Any], ...] = ()

    def rules(self) -> tuple[Game, Ruleset]:
        """The game and its rules."""
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
"""Those on the page."""


def class_name(name: str) -> str:
    """What the class of a house bot is called."""
    return name.title().replace("_", "")


def house_bot(name: str) -> Bot:
    """The house bot of this name, new."""
    bot: Bot = getattr(import_module(f"bots.house.{name}.main"), class_name(name))()
    return bot


class SeatedBot:
    """A bot on a seat, spoken to in lines."""

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
    """Stones each seat won on a board with these bots, new ones, on the seats."""
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
    """Mean of the first bot's results on a deal board, in stones: one side of it at each side in turn."""
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
    """CPU time of the decisions of a bot beside a load, in ms."""

    median: float
    longest: float
    decisions: int


def kinds_of(game: str) -> list[str]:
    """The kinds of house bots of a game, the plainest first."""
    found = {name.removeprefix(f"{game}_") for name in house_folders() if name.startswith(f"{game}_")}
    return [kind for kind in ORDER if kind in found]


def interval_of(
    pool: ProcessPoolExecutor, contest: Contest, first: str, second: str, boards: int, seed: str
) -> Interval:
    """Of the board scores of the first bot."""
    score = partial(board_score, contest, first, second, seed)
    chunk = min(BOARDS_A_TASK, max(1, boards // PROCESSES))
    return mean_interval(list(pool.map(score, range(1, boards + 1), chunksize=chunk)))


def keep_core_busy() -> None:
    """Keep a core busy."""
    while True:
        sum(range(10_000))


class TimedBot(SeatedBot):
    """A player whose decisions are timed."""

    took: list[float]

    def answer(self, phase: str, observation: dict[str, object], legal: Sequence[str]) -> str:
        began = time.process_time()
        action = super().answer(phase, observation, legal)
        self.took.append(1000 * (time.process_time() - began))
        return action


def decisions(contest: Contest, kind: str) -> DecisionTimes:
    """What decisions of a bot on every seat cost; who starts this also starts the load."""
    game, ruleset = contest.rules()
    took: list[float] = []

    def timed(bot: Bot, seat: Seat, tokens: Tokens) -> SeatedBot:
        player = TimedBot(bot, seat, tokens)
        player.took = took
        return player

    for number in range(1, LOADED_BOARDS + 1):
        bots = {seat: house_bot(f"{game.key}_{kind}") for side in game.sides(ruleset) for seat in side}
        board = Board("deal", number, local_board_seed(SEED, number))
        play_board(bots, contest, board, timed)
    return DecisionTimes(statistics.median(took), max(took), len(took))


def cell(interval: Interval, sign: int) -> str:
    """A mean with its interval."""
    low, high = sorted((sign * interval.low, sign * interval.high))
    return f"{sign * interval.mean:+.2f} ({low:+.2f} to {high:+.2f})"


def cross_table(kinds: Sequence[str], found: dict[tuple[str, str], Interval]) -> list[str]:
    """The pairings as a Markdown table, the strongest row last."""
    lines = [f"| | {' | '.join(kinds)} |", f"|---|{'---|' * len(kinds)}"]
    for row in kinds:
        cells = []
        for column in kinds:
            if (row, column) in found:
                cells.append(cell(found[row, column], 1))
            elif (column, row) in found:
                cells.append(cell(found[column, row], -1))
            else:
                cells.append("–")
        lines.append(f"| **{row}** | {' | '.join(cells)} |")
    return lines


def decisions_at_load(contests: Sequence[tuple[Contest, list[str]]]) -> dict[tuple[str, str], DecisionTimes]:
    """What decisions of these bots cost beside two busy processes for every core."""
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
    """Play, print the tables, and tell whether every decision is within its clock."""
    parser = arguments(__doc__)
    parser.add_argument("--boards", type=int, default=100, help="deal boards a pairing (100)")
    parser.add_argument("--tables", default=",".join(TABLES), help=f"of: {', '.join(CONTESTS)}")
    parser.add_argument("--bots", default=",".join(ORDER), help="kinds that are compared")
    parser.add_argument("--seed", default=SEED, help="any text; the seeds of the boards derive from it")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    wanted = parser.parse_args(argv)
    if unknown := set(wanted.tables.split(",")) - {*CONTESTS}:
        parser.error(f"unknown tables: {', '.join(sorted(unknown))}; there are {', '.join(CONTESTS)}")
    require_kernel()
    contests = []
    for name in wanted.tables.split(","):
        known = kinds_of(CONTESTS[name].rules()[0].key)
        contests.append((CONTESTS[name], [kind for kind in known if kind in wanted.bots.split(",")]))
    text: list[str] = []
    rows: list[Row] = []
    with ProcessPoolExecutor(PROCESSES) as pool:
        for contest, kinds in contests:
            found = {
                (first, second): interval_of(pool, contest, first, second, wanted.boards, wanted.seed)
                for second, first in combinations(kinds, 2)
            }
            rows += [
                Row(f"{contest.name}: {first} against {second}", {"stones a board": cell(interval, 1)})
                for (first, second), interval in found.items()
            ]
            text += [
                f"### {contest.name}, {wanted.boards} boards a pairing",
                "",
                *cross_table(kinds, found),
                "",
            ]
    text += ["### A decision at 2x load", "", "| bot | table | median, ms of CPU | longest | decisions |"]
    text += ["|---|---|---|---|---|"]
    for (bot, name), cost in decisions_at_load(contests).items():
        cells: dict[str, float | str] = {"median ms": cost.median, "longest": cost.longest}
        rows.append(Row(f"{bot}, {name}", cells, *at_most(cost.longest, BANK_MS + INCREMENT_MS)))
        text.append(f"| {bot} | {name} | {cost.median:.1f} | {cost.longest:.1f} | {cost.decisions} |")
    if wanted.write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text("\n".join([before + BEGIN, "", *text, "", END]) + after)
    return report(f"house bots, {wanted.boards} boards a pairing", rows, as_json=wanted.json)


if __name__ == "__main__":
    sys.exit(main())
