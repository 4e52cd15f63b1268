"""Plays the pool: house bots and variants of them against each other on the same deal boards.

    python -m benchmarks.pool.play [--boards 400] [--processes 1]

Writes ``scores.json``, which ``benchmarks.pool`` reads. The same arguments give the same file. Takes some
ten minutes of CPU; needed again only when rules or house bots change.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from importlib.util import find_spec, module_from_spec
from itertools import combinations

from benchmarks.bench_house_bots import Contest, class_name, house_bot, play_board
from benchmarks.pool import PARTS, SCORES
from bots.sdk import Bot, Request
from engine import Board
from league.fairness import local_board_seed

SEED = "pool"
KAKEYA = Contest("kakeya4", "kakeya4")
KAKKURI = Contest("kakkuri4", "kakkuri.league", (("seats", 4),))
ERROR_RATES = {
    "r_e03": ("rules", 0.03),
    "r_e10": ("rules", 0.1),
    "r_e25": ("rules", 0.25),
    "g_e30": ("greedy", 0.3),
}
"""Bots that sometimes play a random card: base bot and probability."""
CONSTANTS: dict[str, dict[str, float]] = {
    "kakeya r_keep": {"KEEP_RENSHO": 3.0, "KEEP_TRUMP_ACE": 2.4},
    "kakeya r_void": {"VOID_WORTH": 0.3, "DRAW_WORTH": 0.05},
    "kakkuri r_var": {"RUNS_ON": 0.1, "AFTER_PASS": 0.7, "GURI_LATER": 1.0},
}
"""Variants of the rules bot: the constants that differ."""
OF_KAKEYA = ("rules", "greedy", "random", "r_e03", "r_e10", "r_e25", "r_keep", "r_void", "g_e30")
TABLES_OF_KAKKURI = (
    ("rules", "greedy", "r_e10", "r_var"),
    ("rules", "greedy", "random", "r_e10"),
    ("greedy", "r_e10", "r_var", "r_e25"),
)


@cache
def bot_factory(game: str, name: str) -> Callable[[], Bot]:
    if name in ERROR_RATES:
        of, rate = ERROR_RATES[name]
        return lambda: _erring(house_bot(f"{game}_{of}"), rate)
    if constants := CONSTANTS.get(f"{game} {name}"):
        spec = find_spec(f"bots.house.{game}_rules.main")
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        for constant, value in constants.items():
            assert hasattr(module, constant), constant
            setattr(module, constant, value)
        factory: Callable[[], Bot] = getattr(module, class_name(f"{game}_rules"))
        return factory
    return partial(house_bot, f"{game}_{name}")


def _erring(bot: Bot, rate: float) -> Bot:
    plain = bot.act

    def act(request: Request) -> str:
        if bot.rng.random() < rate:
            return bot.rng.choice(list(request.legal))
        answer = plain(request)
        assert isinstance(answer, str)
        return answer

    bot.act = act  # type: ignore[method-assign]
    return bot


def board_scores(contest: Contest, number: int, sides: Sequence[str]) -> list[int]:
    """Return the score of each bot on a board, in units of 1 / ``PARTS`` stone, each bot playing every
    side.
    """
    game, ruleset = contest.rules()
    seats = game.sides(ruleset)
    board = Board("deal", number, local_board_seed(SEED, number))
    totals = [0] * len(sides)
    for turn in range(len(seats)):
        bots_by_seat = {
            seat: bot_factory(game.key, sides[(side + turn) % len(sides)])()
            for side, own in enumerate(seats)
            for seat in own
        }
        stones = play_board(dict(sorted(bots_by_seat.items())), contest, board)
        for side, own in enumerate(seats):
            totals[(side + turn) % len(sides)] += stones[own[0]]
    return [total * (PARTS // len(seats)) for total in totals]


def one_board(number: int) -> list[list[int]]:
    return [
        *(board_scores(KAKEYA, number, pair) for pair in combinations(OF_KAKEYA, 2)),
        *(board_scores(KAKKURI, number, table) for table in TABLES_OF_KAKKURI),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--boards", type=int, default=400)
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    with ProcessPoolExecutor(arguments.processes) as pool:
        rows = list(pool.map(one_board, range(1, arguments.boards + 1), chunksize=4))
    fixtures = [*combinations(OF_KAKEYA, 2), *TABLES_OF_KAKKURI]
    written = [
        json.dumps({"bots": bots, "scores": [row[index] for row in rows]}, separators=(",", ":"))
        for index, bots in enumerate(fixtures)
    ]
    SCORES.write_text("[\n" + ",\n".join(written) + "\n]\n")


if __name__ == "__main__":
    main()
