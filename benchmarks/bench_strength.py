"""Order of strength of the house bots: mean board score over duplicate deal boards, with 95 % intervals.

    python benchmarks/bench_strength.py [--boards 400] [--seed rensho] [--only kakkuri]

One side of the first bot plays against all others of the second, once from every side of the table: two
tables with sides exchanged, three with three pairs, n for n seats of Kakkuri. So it holds every hand
once, and its board score is the mean of its results. All is played in this process through the engine;
each request and answer passes through JSON as in the protocol. Same arguments, same numbers. Status 0 if
the first of every pairing is ahead with its interval clear of zero.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from bots.sdk import Bot
from engine import Board, Game, Ruleset, preset_named
from engine.game import Action, Seat
from engine.wire import BYE, Answer, Tokens, hello_line, parse_answer, parse_ready, request_line
from league.fairness import local_board_seed
from league.intervals import Interval, mean_interval

PROCESSES = 2
BOARDS_A_TASK = 10
BANK_MS, INCREMENT_MS = 500, 20
PAIRINGS = (("rules", "greedy"), ("greedy", "random"), ("rules", "random"))


class Contest(NamedTuple):
    """Under which rules house bots are compared."""

    name: str
    preset: str
    options: tuple[tuple[str, Any], ...] = ()
    part: int = 1
    """One board is played for so many asked for: one of many sides plays many tables."""

    def rules(self) -> tuple[Game, Ruleset]:
        """The game and its rules."""
        game, _ = preset_named(self.preset)
        return game, game.ruleset(self.preset, dict(self.options))


CONTESTS: Mapping[str, Contest] = {
    contest.name: contest
    for contest in (
        Contest("kakeya4", "kakeya4"),
        Contest("kakeya6", "kakeya6", part=2),
        Contest("etori.simple", "etori.simple", part=2),
        Contest("etori.simple6", "etori.simple6", part=2),
        Contest("etori.meiji", "etori.meiji", part=2),
        *(Contest(f"kakkuri {seats}", "kakkuri.league", (("seats", seats),), part=2) for seats in (3, 5, 7)),
    )
}
"""By name, in the order played."""


class Strength(NamedTuple):
    """What one pairing showed: the board score of the first bot, in stones."""

    contest: str
    first: str
    second: str
    interval: Interval

    @property
    def is_clear(self) -> bool:
        """Whether the first bot is ahead with the interval clear of zero."""
        return self.interval.mean > 0 and self.interval.is_clear_of_zero

    def __str__(self) -> str:
        mean, low, high, boards, _ = self.interval
        return (
            f"{self.contest:<12} {self.first:>6} - {self.second:<6}  {boards:4d} boards"
            f"  mean {mean:+.3f} stones a board  95 % [{low:+.3f}, {high:+.3f}]"
            f"  {'PASS' if self.is_clear else 'FAIL'}"
        )


def class_name(name: str) -> str:
    """What the class of a house bot is called."""
    return name.title().replace("_", "")


def house_bot(name: str) -> Bot:
    """The house bot of this name, new."""
    bot: Bot = getattr(import_module(f"bots.house.{name}.main"), class_name(name))()
    return bot


class Player:
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
    seated: Callable[[Bot, Seat, Tokens], Player] = Player,
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


def strength(contest: Contest, first: str, second: str, scores: Iterable[Fraction]) -> Strength:
    """The mean of these board scores and how sure it is."""
    return Strength(contest.name, first, second, mean_interval(list(scores)))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--boards", type=int, default=400, help="deal boards a pairing; half, where it says so"
    )
    parser.add_argument("--seed", default="rensho", help="any text; the seeds of the boards derive from it")
    parser.add_argument("--only", default="", help="what the names of the contests played begin with")
    arguments = parser.parse_args(argv)
    contests = [contest for name, contest in CONTESTS.items() if name.startswith(arguments.only)]
    if not contests:
        parser.error(f"no contest begins with {arguments.only!r}: {', '.join(CONTESTS)}")
    is_clear = True
    with ProcessPoolExecutor(PROCESSES) as pool:
        for contest in contests:
            numbers = range(1, arguments.boards // contest.part + 1)
            for first, second in PAIRINGS:
                score = partial(board_score, contest, first, second, arguments.seed)
                found = strength(contest, first, second, pool.map(score, numbers, chunksize=BOARDS_A_TASK))
                print(found, flush=True)
                is_clear = is_clear and found.is_clear
    return 0 if is_clear else 1


if __name__ == "__main__":
    sys.exit(main())
