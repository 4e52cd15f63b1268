"""Order of strength of the house bots: mean board score over duplicate deal boards, with 95 % intervals.

    python benchmarks/bench_strength.py [--boards 400] [--seed rensho]

Every board is played at two tables with sides exchanged, in this process through the engine; each
request and answer passes through JSON as in the protocol. Same arguments, same numbers. Status 0 if
every interval that should be clear of zero is.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from typing import NamedTuple

from bots.sdk import Bot
from engine.game import Board
from engine.games import preset_named

PRESET = "kakeya4"
PROCESSES = 2
BOARDS_A_TASK = 10
Z_95 = 1.959964
MATCHES = (("rules", "greedy"), ("greedy", "random"), ("rules", "random"))
CLASSES = {"random": "KakeyaRandom", "greedy": "KakeyaGreedy", "rules": "KakeyaRules"}


class Strength(NamedTuple):
    """What one pairing showed."""

    first: str
    second: str
    boards: int
    mean: float
    """Board score of the first side, in stones."""
    half_width: float
    """Of the 95 % interval, over boards."""

    @property
    def is_clear(self) -> bool:
        """Whether the first side is ahead with the interval clear of zero."""
        return self.mean - self.half_width > 0

    def __str__(self) -> str:
        low, high = self.mean - self.half_width, self.mean + self.half_width
        return (
            f"{self.first:>7} - {self.second:<7} {self.boards:4d} boards  mean {self.mean:+.3f} stones a board"
            f"  95 % [{low:+.3f}, {high:+.3f}]  {'PASS' if self.is_clear else 'FAIL'}"
        )


def board_seed(seed: str, number: int) -> str:
    """Seed of a board played locally. Source: DESIGN.md 8."""
    return hashlib.sha256(f"rensho-local/1|{seed}|{number}".encode()).hexdigest()


def house_bot(name: str) -> Bot:
    """A fresh house bot of Kakeya."""
    bot: Bot = getattr(import_module(f"bots.house.kakeya_{name}.main"), CLASSES[name])()
    return bot


def play_board(names: Sequence[str], board: Board) -> int:
    """Stones seat 1 won on a board with these bots on the seats."""
    game, ruleset = preset_named(PRESET)
    state = game.start(ruleset, board)
    bots = {seat: house_bot(name) for seat, name in enumerate(names, start=1)}
    count = 0
    while state.to_act:
        asked = state.to_act
        answers = []
        for seat in asked:
            count += 1
            request_id = hashlib.sha256(f"{board.seed}|{count}|{seat}".encode()).hexdigest()[:16]
            observation = state.observe(seat)
            line = json.dumps(
                {
                    "type": "request",
                    "id": request_id,
                    "phase": state.phase,
                    "legal": observation["legal"],
                    "observation": observation,
                    "clock": {"bank_ms": 500, "increment_ms": 20},
                }
            )
            answers.append((seat, json.loads(bots[seat].reply_to(line) or b"{}")["action"]))
        for seat, action in answers:
            state = state.apply(seat, action)
    outcome = state.outcome()
    assert outcome is not None, "nobody is to act, so the board is over"
    return outcome.stones[1]


def board_score(first: str, second: str, seed: str, number: int) -> float:
    """Mean of the first side's results at the two tables of a deal board, in stones."""
    board = Board("deal", number, board_seed(seed, number))
    there = play_board((first, second, first, second), board)
    back = play_board((second, first, second, first), board)
    return (there - back) / 2


def strength(first: str, second: str, scores: Sequence[float]) -> Strength:
    """Mean and interval of board scores."""
    half_width = Z_95 * statistics.stdev(scores) / len(scores) ** 0.5
    return Strength(first, second, len(scores), statistics.fmean(scores), half_width)


def compare(first: str, second: str, boards: int, seed: str, pool: ProcessPoolExecutor) -> Strength:
    """Play the boards 1..``boards`` on the processes of ``pool``."""
    score = partial(board_score, first, second, seed)
    scores = list(pool.map(score, range(1, boards + 1), chunksize=BOARDS_A_TASK))
    return strength(first, second, scores)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=400, help="duplicate deal boards a pairing")
    parser.add_argument("--seed", default="rensho", help="any text; board seeds derive from it")
    arguments = parser.parse_args(argv)
    with ProcessPoolExecutor(PROCESSES) as pool:
        found = []
        for first, second in MATCHES:
            found.append(compare(first, second, arguments.boards, arguments.seed, pool))
            print(found[-1], flush=True)
    return 0 if all(result.is_clear for result in found) else 1


if __name__ == "__main__":
    sys.exit(main())
