"""The CPU time of each decision, from ``rensho-timings/1``.

Timings count the requests of a seat, a record its answers. They differ: a bot may let forced answers be given
for it (``skip_forced``), a fault has no line, and nobody asks a seat that has forfeited.

Source: docs/contracts.md#record; docs/bot-protocol.md#ready.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from engine import Replay, Seat
from viewer.walk import Clocks

Time = tuple[int, int, int]
"""Board, number of the request, CPU time in microseconds."""


class _Answer(NamedTuple):
    board: int
    decision: int
    is_bots: bool
    is_forced: bool


def clocks_of(replayed: Replay, timings: bytes) -> Clocks:
    """The CPU times of a table's decisions; none of a seat whose times do not fit its answers."""
    times = _times(timings)
    if not times:
        return {}
    answers = _answers(replayed)
    clocks: dict[tuple[int, int, Seat], int] = {}
    for seat, seat_times in times.items():
        given = answers.get(seat, [])
        for asked in (given, [answer for answer in given if not answer.is_forced]):
            if _fits(asked, seat_times):
                for _, n, us in seat_times:
                    clocks[asked[n - 1].board, asked[n - 1].decision, seat] = us
                break
    return clocks


def _times(timings: bytes) -> dict[Seat, list[Time]]:
    """Times by seat; none if anything in the file is not as the referee writes it."""
    times: dict[Seat, list[Time]] = {}
    try:
        _, *lines = map(json.loads, timings.splitlines())
        for line in lines:
            numbers = (line["board"], line["n"], line["cpu_us"])
            if not all(type(number) is int and number >= 0 for number in (*numbers, line["seat"])):
                return {}
            times.setdefault(line["seat"], []).append(numbers)
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return times


def _answers(replayed: Replay) -> dict[Seat, list[_Answer]]:
    answers: dict[Seat, list[_Answer]] = {}
    for board in replayed.boards:
        previous = None
        for decision, step in enumerate(replayed._replace(boards=(board,)).steps()):
            for act in step.acts:
                is_forced = previous is not None and len(previous.legal(act.seat)) == 1
                answer = _Answer(board.board.number, decision, act.verdict is None, is_forced)
                answers.setdefault(act.seat, []).append(answer)
            previous = step.state
    return answers


def _fits(asked: list[_Answer], times: list[Time]) -> bool:
    """Whether these are the times of exactly the answers the bot itself gave."""
    timed = {n: board for board, n, _ in times}
    given = {n: answer.board for n, answer in enumerate(asked, start=1) if answer.is_bots}
    return len(timed) == len(times) and timed == given
