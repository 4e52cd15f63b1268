"""Records for tests: tables of random players, some of whose answers were faults."""

import json
import random

from engine import Board, RecordWriter, preset_named
from engine.lines import format_line

HASHES = {seat: f"{seat}" * 64 for seat in (1, 2, 3, 4)}
ALL_OK = dict.fromkeys((1, 2, 3, 4), "OK")


def recorded(preset="kakeya4.league", kind="game", boards=(1,), *, faults=None, decks=(), options=None):
    """A table played at random; ``faults`` maps (seat, its decision from 1) to a verdict."""
    game, ruleset = preset_named(preset)
    ruleset = ruleset.replace(**(options or {}))
    writer = RecordWriter(game, ruleset, HASHES)
    rng, faults, asked, first = random.Random(5), faults or {}, dict.fromkeys(HASHES, 0), {}
    for number in boards:
        board = Board(kind, number, f"seed {number}", decks)
        state = game.start(ruleset, board)
        writer.start_board(board, state)
        while state.to_act:
            before, substituted = state, {}
            for seat in before.to_act:
                asked[seat] += 1
                action = rng.choice(state.legal(seat))
                if (seat, asked[seat]) in faults:
                    substituted[seat] = faults[seat, asked[seat]]
                    first.setdefault(seat, substituted[seat])
                    action = state.fallback(seat)
                state = state.apply(seat, action)
            writer.add(before, state, substituted)
        writer.end_board(state)
    return writer.end(sorted(first)[:1], {**ALL_OK, **first})


FAULTS = {(2, 3): "OUT_OF_TIME", (2, 7): "CRASHED", (4, 1): "ILLEGAL_ACTION"}
DEALS = recorded(kind="deal", boards=(3, 4), faults=FAULTS)
GAME = recorded(kind="game", faults={(1, 1): "PROTOCOL", (3, 20): "OUT_OF_TIME"}, options={"hand_cap": 3})


def lines_of(data):
    return [json.loads(line) for line in data.splitlines()]


def joined(lines):
    return b"".join(format_line(line) for line in lines)
