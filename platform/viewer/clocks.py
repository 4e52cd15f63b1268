"""The CPU time of each decision, from ``rensho-timings/1``.

Timings count the requests of a seat, a record its answers; forced answers, faults and forfeits differ.
Source: docs/contracts.md#record; docs/bot-protocol.md#ready.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import NamedTuple

from engine import Replay, Seat, State
from viewer.board_events import Clocks

RequestTime = tuple[int, int, int]
"""Board, number of the request, CPU time in microseconds."""


class _Answer(NamedTuple):
    board: int
    decision: int
    is_bots: bool
    seat: Seat
    before: State
    """State of the request."""

    @property
    def is_forced(self) -> bool:
        return len(self.before.legal(self.seat)) == 1


def decision_times(replayed: Replay, timings: bytes) -> Clocks:
    """Return the CPU times of a table's decisions, without seats whose times do not match their answers."""
    times = _times(timings)
    if not times:
        return {}
    answers = _answers(replayed)
    clocks: dict[tuple[int, int, Seat], int] = {}
    for seat, seat_times in times.items():
        given = answers.get(seat, [])
        requested = (
            given if _times_match(given, seat_times) else [answer for answer in given if not answer.is_forced]
        )
        if requested is given or _times_match(requested, seat_times):
            for _, n, us in seat_times:
                clocks[requested[n - 1].board, requested[n - 1].decision, seat] = us
    return clocks


def _times(timings: bytes) -> dict[Seat, list[RequestTime]]:
    """Return times by seat; empty if the file deviates from the referee's format."""
    times: dict[Seat, list[RequestTime]] = {}
    try:
        _, *lines = timings.splitlines()
        parsed = json.loads(b"[" + b",".join(lines) + b"]")
        if len(parsed) != len(lines):
            return {}
        for line in parsed:
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
        steps = replayed._replace(boards=(board,)).steps()
        for decision, (before, step) in enumerate(pairwise(steps), start=1):
            for seat, _, verdict in step.acts:
                answer = _Answer(board.board.number, decision, verdict is None, seat, before.state)
                answers.setdefault(seat, []).append(answer)
    return answers


def _times_match(requested: list[_Answer], times: list[RequestTime]) -> bool:
    """Return whether these are the times of exactly the answers of the bot itself."""
    timed = {n: board for board, n, _ in times}
    given = {n: answer.board for n, answer in enumerate(requested, start=1) if answer.is_bots}
    return len(timed) == len(times) and timed == given
