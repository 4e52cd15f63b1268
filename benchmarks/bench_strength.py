"""Order of strength of the house bots: mean board score over duplicate deal boards, with 95 % intervals.

    python benchmarks/bench_strength.py [--boards 400] [--seed rensho]

Every board is played at two tables with sides exchanged, in this process through the engine; each
request and answer passes through JSON as in the protocol. Same arguments, same numbers. Status 0 if
the first of every pairing is ahead with its interval clear of zero.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import partial
from importlib import import_module
from typing import NamedTuple

from bots.sdk import Bot
from engine import Board, partner_of, preset_named
from engine.game import Action, Seat
from engine.wire import BYE, Answer, Tokens, hello_line, parse_answer, parse_ready, request_line
from league.fairness import local_board_seed
from league.intervals import Interval, mean_interval

PRESET = "kakeya4"
PROCESSES = 2
BOARDS_A_TASK = 10
BANK_MS, INCREMENT_MS = 500, 20
PAIRINGS = (("rules", "greedy"), ("greedy", "random"), ("rules", "random"))
CLASSES = {"random": "KakeyaRandom", "greedy": "KakeyaGreedy", "rules": "KakeyaRules"}


class Strength(NamedTuple):
    """What one pairing showed: the board score of the first side, in stones."""

    first: str
    second: str
    interval: Interval

    @property
    def is_clear(self) -> bool:
        """Whether the first side is ahead with the interval clear of zero."""
        return self.interval.mean > 0 and self.interval.is_clear_of_zero

    def __str__(self) -> str:
        mean, low, high, boards, _ = self.interval
        return (
            f"{self.first:>6} - {self.second:<6}  {boards:4d} boards  mean {mean:+.3f} stones a board"
            f"  95 % [{low:+.3f}, {high:+.3f}]  {'PASS' if self.is_clear else 'FAIL'}"
        )


class Player:
    """A house bot on a seat, spoken to in lines."""

    def __init__(self, name: str, seat: Seat, tokens: Tokens) -> None:
        self._bot: Bot = getattr(import_module(f"bots.house.kakeya_{name}.main"), CLASSES[name])()
        self._seat = seat
        self._tokens = tokens
        self._asked = 0

    def greet(self, hello: bytes) -> None:
        parse_ready(self._bot.reply_to(hello) or b"")

    def answer(self, phase: str, observation: dict[str, object], legal: Sequence[Action]) -> Action:
        self._asked += 1
        request_id = self._tokens.request_id(self._seat, self._asked)
        request = request_line(
            request_id, phase, legal, observation, bank_ms=BANK_MS, increment_ms=INCREMENT_MS
        )
        answer = parse_answer(self._bot.reply_to(request) or b"", request_id)
        assert isinstance(answer, Answer), "only the request just sent can be answered"
        return answer.action

    def dismiss(self) -> None:
        self._bot.reply_to(BYE)


def play_board(names: Sequence[str], board: Board) -> int:
    """Stones that seat 1 won on a board with these house bots on the seats, from seat 1."""
    game, ruleset = preset_named(PRESET)
    tokens = Tokens(hashlib.sha256(f"bench|{board.seed}".encode()).hexdigest())
    players = {seat: Player(name, seat, tokens) for seat, name in enumerate(names, start=1)}
    for seat, player in players.items():
        player.greet(
            hello_line(
                game=game.key,
                ruleset=ruleset,
                seat=seat,
                seats=len(players),
                partner=partner_of(game.sides(ruleset), seat),
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
    return outcome.stones[1]


def board_score(first: str, second: str, seed: str, number: int) -> Fraction:
    """Mean of the first side's results at the two tables of a deal board, in stones."""
    board = Board("deal", number, local_board_seed(seed, number))
    there = play_board((first, second, first, second), board)
    back = play_board((second, first, second, first), board)
    return Fraction(there - back, 2)


def strength(first: str, second: str, scores: Iterable[Fraction]) -> Strength:
    """The mean of these board scores and how sure it is."""
    return Strength(first, second, mean_interval(list(scores)))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--boards", type=int, default=400, help="duplicate deal boards a pairing")
    parser.add_argument("--seed", default="rensho", help="any text; the seeds of the boards derive from it")
    arguments = parser.parse_args(argv)
    numbers = range(1, arguments.boards + 1)
    is_clear = True
    with ProcessPoolExecutor(PROCESSES) as pool:
        for first, second in PAIRINGS:
            score = partial(board_score, first, second, arguments.seed)
            found = strength(first, second, pool.map(score, numbers, chunksize=BOARDS_A_TASK))
            print(found, flush=True)
            is_clear = is_clear and found.is_clear
    return 0 if is_clear else 1


if __name__ == "__main__":
    sys.exit(main())
