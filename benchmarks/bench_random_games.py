"""Whole games of every preset played at random: nothing may go wrong in any of them.

    python benchmarks/bench_random_games.py [--games 2000] [--seed rensho] [--preset kakeya6]

Of every game: somebody can act until it ends, the actions taken are legal and spelt as they are read, no
seat decides more often than its bound, each deal and the whole sum to zero. Of one state in fifty: every
seat's observation is JSON and its text the same. Of one game in fifty: the record replays to the same
result. Status 0 if no game of any preset raised or broke one of these.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from engine import Board, Game, RecordWriter, Ruleset, State, all_games, preset_named, replay
from engine.game import json_text

PROCESSES = 2
GAMES_A_TASK = 100
LOOK_EVERY = 50
"""States from one look at the observations to the next."""
REPLAY_EVERY = 50
"""Games from one replayed record to the next."""


class Tally(NamedTuple):
    """What a number of games came to."""

    games: int
    deals: int
    decisions: int
    longest: int
    """Most deals of a game."""
    errors: tuple[str, ...]


def play_game(game: Game, ruleset: Ruleset, board: Board, *, is_replayed: bool) -> tuple[int, int]:
    """One game; gives its deals and decisions.

    Raises:
        AssertionError: something that must hold does not; the message says what.
    """
    seats = range(1, game.seats(ruleset) + 1)
    chance = random.Random(board.seed).random
    writer = RecordWriter(game, ruleset, {seat: f"{seat:064x}" for seat in seats})
    asked: Counter[int] = Counter()
    state = game.start(ruleset, board)
    if is_replayed:
        writer.start_board(board, state)
    while state.to_act:
        before = state
        for seat in before.to_act:
            legal = state.legal(seat)
            assert legal, f"seat {seat} has nothing to do ({state.situation})"
            action = legal[int(chance() * len(legal))]
            assert game.parse_action(action) == action, action
            state = state.apply(seat, action)
            asked[seat] += 1
            if asked.total() % LOOK_EVERY == 0:
                look(state, seats)
        if is_replayed:
            writer.add(before, state)
    outcome = state.outcome()
    assert outcome is not None, "nobody is to act, yet there is no outcome"
    for stones in (outcome.stones, *outcome.deals):
        assert sum(stones.values()) == 0, f"not zero-sum: {stones}"
    bound = game.decisions_bound(ruleset, board.kind)
    assert bound is None or max(asked.values(), default=0) <= bound, (
        f"{max(asked.values())} decisions, bound {bound}"
    )
    if is_replayed:
        writer.end_board(state)
        replayed = replay(writer.end((), dict.fromkeys(seats, "OK")))
        assert replayed.boards[0].outcome == outcome, "the record tells another result"
    return len(outcome.deals), asked.total()


def look(state: State, seats: range) -> None:
    """Every seat's observation is plain JSON, and its text says the same."""
    for seat in seats:
        seen = state.observe(seat)
        assert json.loads(json_text(seen)) == seen, f"seat {seat} sees what JSON changes"
        assert state.observe_text(seat) == json_text(seen), f"text and view of seat {seat} differ"
        assert seen["legal"] == list(state.legal(seat)), f"seat {seat} sees other actions than it has"


def play_games(preset: str, seed: str, numbers: range) -> Tally:
    """Games of a preset by number; an error ends its game and is told."""
    game, ruleset = preset_named(preset)
    deals, decisions, errors = [0], 0, []
    for number in numbers:
        board = Board("game", 1, f"{seed} {number}")
        try:
            played, made = play_game(game, ruleset, board, is_replayed=number % REPLAY_EVERY == 0)
        except Exception:  # whatever goes wrong is what this looks for
            reason = traceback.format_exc().strip().splitlines()
            errors.append(f"{preset}, seed {board.seed!r}: {reason[-1]} ({reason[-3].strip()})")
            continue
        deals.append(played)
        decisions += made
    return Tally(len(numbers), sum(deals), decisions, max(deals), tuple(errors))


def main() -> int:
    """Play, print, and tell whether all went well."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=2000, help="games of each preset")
    parser.add_argument("--seed", default="rensho", help="any text; the seeds of the games derive from it")
    parser.add_argument("--preset", help="this one alone")
    arguments = parser.parse_args()
    presets = [name for game in all_games().values() for name in game.presets]
    is_well = True
    print(f"{arguments.games} random games of each preset, seed {arguments.seed!r}")
    print(f"{'':<20}{'deals':>9}{'longest':>9}{'decisions':>12}{'seconds':>9}{'errors':>8}")
    with ProcessPoolExecutor(PROCESSES) as pool:
        for preset in [arguments.preset] if arguments.preset else presets:
            began = time.perf_counter()
            parts = [
                pool.submit(
                    play_games,
                    preset,
                    arguments.seed,
                    range(first, min(first + GAMES_A_TASK, arguments.games + 1)),
                )
                for first in range(1, arguments.games + 1, GAMES_A_TASK)
            ]
            tallies = [part.result() for part in parts]
            errors = [error for tally in tallies for error in tally.errors]
            print(
                f"{preset:<20}{sum(t.deals for t in tallies):9d}{max(t.longest for t in tallies):9d}"
                f"{sum(t.decisions for t in tallies):12d}{time.perf_counter() - began:9.1f}{len(errors):8d}",
                flush=True,
            )
            for error in errors[:5]:
                print(f"  {error}")
            is_well = is_well and not errors
    print("PASS" if is_well else "MISSED: errors above")
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
