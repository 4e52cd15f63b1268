"""Records and replays for tests: random play straight through the engine."""

from __future__ import annotations

import random

from engine import Act, Board, RecordWriter, Replay, ReplayedBoard, preset_named


def random_record(preset, *, kind="deal", boards=1, seed=1, options=None, silent=()):
    """The bytes of a record of random players; seats of ``silent`` never answer."""
    game, ruleset = preset_named(preset)
    ruleset = game.ruleset(preset, options)
    seats = range(1, game.seats(ruleset) + 1)
    rng = random.Random(seed)
    writer = RecordWriter(game, ruleset, {seat: f"{seat}" * 64 for seat in seats})
    for number in range(1, boards + 1):
        board = Board(kind, number, f"seed {seed}-{number}")
        state = game.start(ruleset, board)
        writer.start_board(board, state)
        while state.to_act:
            before, substituted = state, {}
            for seat in before.to_act:
                if seat in silent:
                    substituted[seat] = "OUT_OF_TIME"
                state = state.apply(
                    seat, before.fallback(seat) if seat in silent else rng.choice(before.legal(seat))
                )
            writer.add(before, state, substituted)
        writer.end_board(state)
    return writer.end(silent, {seat: "OUT_OF_TIME" if seat in silent else "OK" for seat in seats})


def played(game, ruleset, board, rng):
    """The decisions of a random player in every seat, as a replay holds them."""
    state, decisions = game.start(ruleset, board), []
    while state.to_act:
        before, acts = state, []
        for seat in before.to_act:
            acts.append(Act(seat, rng.choice(before.legal(seat)), None))
            state = state.apply(seat, acts[-1].action)
        decisions.append(tuple(acts))
    return decisions


def replay_of(game, ruleset, board, decisions):
    """A replay of a board as far as these decisions lead."""
    state = game.start(ruleset, board)
    for acts in decisions:
        for act in acts:
            state = state.apply(act.seat, act.action)
    seats = range(1, game.seats(ruleset) + 1)
    replayed = ReplayedBoard(board, tuple(decisions), state.outcome())
    return Replay(game, ruleset, dict.fromkeys(seats, "f" * 64), (replayed,), (), dict.fromkeys(seats, "OK"))
