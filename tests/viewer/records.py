"""Records for tests of views: tables of random players of any preset, with faults and times."""

import functools
import random
from typing import NamedTuple

from engine import Board, RecordWriter, preset_named
from engine.lines import format_line
from viewer.build import view_of
from viewer.shapes import View


class Recorded(NamedTuple):
    """A table and what its referee would have kept."""

    record: bytes
    timings: bytes
    times: dict
    """CPU time in microseconds by board, decision of the board from 1, and seat."""


def recorded(
    preset,
    kind="deal",
    boards=(1,),
    *,
    faults=None,
    forfeits=None,
    decks=(),
    options=None,
    skipping=(),
    choose=None,
    seed=5,
):
    """A table played at random.

    ``faults`` maps (seat, its answer from 1) to a verdict, ``forfeits`` a seat to the answer of its last
    fault, ``skipping`` are the seats that let the referee give forced answers for them, and
    ``choose(rng, state, seat)`` gives each action.
    """
    game, ruleset = preset_named(preset)
    ruleset = ruleset.replace(**(options or {}))
    seats = range(1, game.seats(ruleset) + 1)
    writer = RecordWriter(game, ruleset, {seat: f"{seat}" * 64 for seat in seats})
    rng, faults, forfeits, first = random.Random(seed), faults or {}, forfeits or {}, {}
    answers, requests = dict.fromkeys(seats, 0), dict.fromkeys(seats, 0)
    times, lines = {}, {seat: [] for seat in seats}
    for number in boards:
        board = Board(kind, number, f"seed {number}", decks)
        state = game.start(ruleset, board)
        writer.start_board(board, state)
        decision = 0
        while state.to_act:
            before, substituted = state, {}
            decision += 1
            for seat in before.to_act:
                legal = state.legal(seat)
                answers[seat] += 1
                action = choose(rng, state, seat) if choose else rng.choice(legal)
                is_asked = seat not in skipping or len(legal) > 1
                is_out = answers[seat] > forfeits.get(seat, answers[seat])
                if is_out or (is_asked and (seat, answers[seat]) in faults):
                    requests[seat] += not is_out
                    substituted[seat] = "CRASHED" if is_out else faults[seat, answers[seat]]
                    first.setdefault(seat, substituted[seat])
                    action = state.fallback(seat)
                elif is_asked:
                    requests[seat] += 1
                    us = times[number, decision, seat] = rng.randrange(20, 5000)
                    line = {"board": number, "seat": seat, "n": requests[seat], "cpu_us": us, "wall_us": us}
                    lines[seat].append(line)
                state = state.apply(seat, action)
            writer.add(before, state, substituted)
        writer.end_board(state)
    head = {"format": "rensho-timings/1", "table": "t", "attempt": 1}
    timings = b"".join(map(format_line, [head, *(line for seat in seats for line in lines[seat])]))
    verdicts = {seat: first.get(seat, "OK") for seat in seats}
    return Recorded(writer.end(sorted(first)[:1], verdicts), timings, times)


@functools.cache
def view_for(preset: str, seats: int | None = None, kind: str = "deal") -> View:
    """The view of a table of random players, two of whom were at fault."""
    made = recorded(
        preset,
        kind,
        (1, 2) if kind == "deal" else (1,),
        options={"seats": seats} if seats else {},
        faults={(1, 3): "OUT_OF_TIME", (2, 4): "ILLEGAL_ACTION"},
    )
    return view_of(made.record, made.timings)
