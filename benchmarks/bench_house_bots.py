"""All house bots of a game against each other on duplicate boards, and what a decision costs at 2x load.

    python benchmarks/bench_house_bots.py [--boards 100] [--only kakeya4] [--write] [--state FILE]

Each pairing is played as in bench_strength.py: in this process, on the same deal boards, once from every side
of the table. A cell is the mean board score of the row's bot against the column's, in stones a board, with
its 95 % interval. Pairings in the state file (var/house-bots.json) with as many boards are not played again,
so an interrupted run is continued; ``--fresh`` forgets them.

Then each bot decides a board's cards while two busy processes for every core run beside it: CPU time of a
decision in ms, the median and the longest, of a clock of 20 ms a decision and 500 in the bank.

``--write`` puts the tables into docs/house-bots.md. Status 0 if no decision took more than the clock has;
bench_searching.py tells over more boards whether the bots that search are ahead of the rules. With 100 boards
the default takes about ten minutes of two cores for each game.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bench_strength import (
    BANK_MS,
    BOARDS_A_TASK,
    CONTESTS,
    INCREMENT_MS,
    PROCESSES,
    Contest,
    Player,
    board_score,
    house_bot,
    play_board,
)
from bots.house import house_folders
from bots.sdk import Bot
from engine import Board, Seat
from engine.kernel import is_compiled
from engine.wire import Tokens
from league.fairness import local_board_seed
from league.intervals import Interval, mean_interval

ROOT = Path(__file__).resolve().parents[1]
STATE = ROOT / "var" / "house-bots.json"
PAGE = ROOT / "docs" / "house-bots.md"
TABLES = ("kakeya4", "kakeya6", "etori.meiji", "kakkuri 3", "kakkuri 5")
ORDER = ("random", "greedy", "rules", "search", "pimc", "ismcts")
SEED = "house bots"
LOADED_BOARDS = 4
BEGIN, END = "<!-- made by benchmarks/bench_house_bots.py: -->", "<!-- up to here -->"


class Decisions(NamedTuple):
    """CPU time of the decisions of a bot beside a load, in ms."""

    median: float
    longest: float
    decisions: int


def kinds_of(game: str) -> list[str]:
    """The kinds of house bots of a game, the plainest first."""
    found = {name.removeprefix(f"{game}_") for name in house_folders() if name.startswith(f"{game}_")}
    return [kind for kind in ORDER if kind in found]


def scores(
    pool: ProcessPoolExecutor, contest: Contest, first: str, second: str, boards: int
) -> list[Fraction]:
    """Board scores of the first bot."""
    score = partial(board_score, contest, first, second, SEED)
    numbers = range(1, boards + 1)
    return list(pool.map(score, numbers, chunksize=min(BOARDS_A_TASK, max(1, boards // PROCESSES))))


def busy() -> None:
    """Keep a core busy."""
    while True:
        sum(range(10_000))


class Timed(Player):
    """A player whose decisions are timed."""

    took: list[float]

    def answer(self, phase: str, observation: dict[str, object], legal: Sequence[str]) -> str:
        began = time.process_time()
        action = super().answer(phase, observation, legal)
        self.took.append(1000 * (time.process_time() - began))
        return action


def decisions(contest: Contest, kind: str) -> Decisions:
    """What decisions of a bot on every seat cost; who starts this also starts the load."""
    game, ruleset = contest.rules()
    took: list[float] = []

    def timed(bot: Bot, seat: Seat, tokens: Tokens) -> Player:
        player = Timed(bot, seat, tokens)
        player.took = took
        return player

    for number in range(1, LOADED_BOARDS + 1):
        bots = {seat: house_bot(f"{game.key}_{kind}") for side in game.sides(ruleset) for seat in side}
        board = Board("deal", number, local_board_seed(SEED, number))
        play_board(bots, contest, board, timed)
    return Decisions(statistics.median(took), max(took), len(took))


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


def main() -> int:
    """Play what is missing, print the tables, and tell whether every decision is within its clock."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--boards", type=int, default=100, help="deal boards a pairing (100)")
    parser.add_argument("--only", default="", help="what the names of the tables made begin with")
    parser.add_argument("--state", type=Path, default=STATE, help=f"where results are kept ({STATE})")
    parser.add_argument("--fresh", action="store_true", help="play all pairings again")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    arguments = parser.parse_args()
    if not is_compiled:
        print("the kernel is not compiled here: run make setup with a C compiler", file=sys.stderr)
        return 2
    known: dict[str, list[str]] = {}
    if arguments.state.exists() and not arguments.fresh:
        known = json.loads(arguments.state.read_text())
    text, is_kept = [], True
    with ProcessPoolExecutor(PROCESSES) as pool:
        for name in TABLES:
            if not name.startswith(arguments.only):
                continue
            contest = CONTESTS[name]
            kinds = kinds_of(contest.rules()[0].key)
            found: dict[tuple[str, str], Interval] = {}
            for second, first in combinations(kinds, 2):
                key = f"{name} {first} {second} {arguments.boards}"
                if key not in known:
                    known[key] = [
                        str(score) for score in scores(pool, contest, first, second, arguments.boards)
                    ]
                    arguments.state.parent.mkdir(parents=True, exist_ok=True)
                    arguments.state.write_text(json.dumps(known))
                found[first, second] = mean_interval([Fraction(score) for score in known[key]])
                print(f"{name}: {first} against {second}: {cell(found[first, second], 1)}", flush=True)
            text += [f"### {name}, {arguments.boards} boards a pairing", "", *cross_table(kinds, found), ""]
    load = [multiprocessing.Process(target=busy, daemon=True) for _ in range(2 * (os.cpu_count() or 1))]
    for process in load:
        process.start()
    try:
        text += ["### A decision at 2x load", "", "| bot | table | median, ms of CPU | longest | decisions |"]
        text += ["|---|---|---|---|---|"]
        for name in TABLES:
            if not name.startswith(arguments.only):
                continue
            contest = CONTESTS[name]
            game = contest.rules()[0].key
            for kind in kinds_of(game):
                cost = decisions(contest, kind)
                is_kept = is_kept and cost.longest < BANK_MS + INCREMENT_MS
                median = f"{cost.median:.1f} | {cost.longest:.1f} | {cost.decisions}"
                text.append(f"| {game}_{kind} | {name} | {median} |")
    finally:
        for process in load:
            process.terminate()
    print("\n".join(text))
    if arguments.write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text("\n".join([before + BEGIN, "", *text, "", END]) + after)
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
