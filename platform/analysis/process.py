"""The computing process of an analysis: jobs and replies pass through a connection, one job at a time.

It has no database and no files. It ends when the other end of the connection is closed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from analysis import shapes
from analysis.deal_position import deal_position
from analysis.estimates import Estimate
from analysis.games.kakeya.plays import deals_played
from analysis.hints import HintQuestion, hint_of
from analysis.notes import notes_bytes, notes_of_record
from analysis.problems import Finding, Problem, problem_of
from analysis.work import AnalysisError, Cancelled
from engine import EngineError, replay
from engine.cards import KAKEYA_PACK, Card
from engine.kernel import Cancel, Limits, Position, solve_line, solve_moves

POLL_S = 0.02
"""Minimum seconds between two looks for a cancellation."""
REPORT_S = 1.0
"""Seconds between two reports of the CPU time so far."""
MAX_POLLS = 1000
"""Maximum looks at the limits while a position or a line is solved: 4 million nodes, about 2 s of CPU."""
NICENESS = 19


class NotesJob(NamedTuple):
    record: bytes
    limits: shapes.Limits | None = None
    """None: the default limits of the game."""


class SolveJob(NamedTuple):
    position: Position


class HintJob(NamedTuple):
    question: HintQuestion


class ProblemJob(NamedTuple):
    """Search for a problem in the position before this play of a record."""

    record: bytes
    board: int
    deal: int
    step: int
    """Index of the play in the view's ``steps``."""
    source: dict[str, str]
    """``Problem.source``."""


class LineJob(NamedTuple):
    """Best play by all seats from a position to the end of the deal."""

    position: Position


class Progress(NamedTuple):
    cpu_s: float
    """CPU seconds of the job so far."""


class NotesMade(NamedTuple):
    notes: bytes
    cpu_s: float


class PositionSolved(NamedTuple):
    values: dict[str, list[Card]] | None
    """Legal cards by value in stones to side 0; None if the limit was reached."""
    cpu_s: float


class HintMade(NamedTuple):
    estimate: Estimate | None
    """None if this kind of decision has none."""
    cpu_s: float


class ProblemChecked(NamedTuple):
    problem: Problem | None
    observation: str
    """JSON of the seat's observation; empty without a problem."""
    reason: str
    """Reason why the position has no problem, else empty."""
    cpu_s: float


class LineSolved(NamedTuple):
    cards: list[Card] | None
    """Cards of best play to the end of the deal; None if the limit was reached."""
    cpu_s: float


class JobCancelled(NamedTuple):
    cpu_s: float


class JobFailed(NamedTuple):
    reason: str
    cpu_s: float


Job = NotesJob | SolveJob | LineJob | HintJob | ProblemJob
Result = NotesMade | PositionSolved | LineSolved | HintMade | ProblemChecked | JobCancelled | JobFailed
Reply = Progress | Result


def serve(connection: Connection, is_idle: bool) -> None:
    """Answer jobs until the connection ends; ``None`` cancels the current job. The process's target.

    ``is_idle``: compute only when the machine has nothing else to do.
    """
    for number in (signal.SIGINT, signal.SIGTERM):  # sent to the group; the other end stops it
        signal.signal(number, signal.SIG_IGN)
    if is_idle:
        idle_class()
    with contextlib.suppress(EOFError, OSError):
        while True:
            job = connection.recv()
            if job is not None:  # a cancellation after the end of its job
                connection.send(_result(job, connection))


def idle_class() -> None:
    """Give this process the lowest priority that the system has, in a session of its own.

    Linux schedules sessions by their own niceness ("autogroup" in sched(7)): without it, the lowest
    priority counts only within the session.
    """
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)
    with contextlib.suppress(OSError, AttributeError):
        os.setsid()
        Path("/proc/self/autogroup").write_text(str(NICENESS), "ascii")
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def _result(job: Job, connection: Connection) -> Result:
    cancel = _Cancel(connection)
    try:
        match job:
            case NotesJob(record, limits):
                notes = notes_of_record(record, limits, cancel=cancel)
                return NotesMade(notes_bytes(notes), cancel.cpu_s)
            case SolveJob(position):
                return PositionSolved(position_values(position, cancel), cancel.cpu_s)
            case HintJob(question):
                return HintMade(hint_of(question, cancel), cancel.cpu_s)
            case ProblemJob():
                finding, observation = checked_problem(job, cancel)
                return ProblemChecked(finding.problem, observation, finding.reason, cancel.cpu_s)
            case LineJob(position):
                return LineSolved(position_line(position, cancel), cancel.cpu_s)
    except Cancelled:
        return JobCancelled(cancel.cpu_s)
    except (AnalysisError, EngineError) as error:
        return JobFailed(str(error), cancel.cpu_s)
    except Exception as error:
        return JobFailed(f"{type(error).__name__}: {error}", cancel.cpu_s)


def checked_problem(job: ProblemJob, cancel: Cancel | None = None) -> tuple[Finding, str]:
    """Return the problem of a job's position, and the JSON of the seat's observation if there is one."""
    replayed = replay(job.record, keep_states=True)
    played = next(each for each in replayed.boards if each.board.number == job.board)
    deal = next(each for each in deals_played(replayed, played) if each.deal == job.deal)
    state = deal.plays[job.step].state
    finding = problem_of(deal_position(state), source=job.source, cancel=cancel)
    return finding, state.observe_text(state.to_act[0]) if finding.problem else ""


def position_values(position: Position, cancel: _Cancel | None = None) -> dict[str, list[Card]] | None:
    """Return the legal cards by exact value, best for side 0 first; None if the limit was reached.

    Raises KernelError if the position is invalid, ``Cancelled``.
    """
    budget = _NodeBudget(cancel)
    by_value: dict[int, list[Card]] = {}
    for card, answer in solve_moves(position, limits=Limits(cancel=budget)):
        if answer.state != "exact":
            if cancel is not None and cancel.is_set():
                raise Cancelled
            return None
        by_value.setdefault(answer.low, []).append(KAKEYA_PACK.cards[card])
    return {str(value): by_value[value] for value in sorted(by_value, reverse=True)}


def position_line(position: Position, cancel: _Cancel | None = None) -> list[Card] | None:
    """Return best play by all seats to the end of the deal; None if the limit was reached.

    Raises KernelError if the position is invalid, ``Cancelled``.
    """
    answer, cards = solve_line(position, limits=Limits(cancel=_NodeBudget(cancel)))
    if answer.state == "exact" and len(cards) == sum(hand.bit_count() for hand in position.hands):
        return [KAKEYA_PACK.cards[card] for card in cards]
    if cancel is not None and cancel.is_set():
        raise Cancelled
    return None


class _Cancel:
    """Whether the other end has cancelled the job or is gone. Reports the CPU time now and then."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._start = time.process_time()
        self._poll_at = 0.0
        self._report_at = time.monotonic() + REPORT_S
        self._is_set = False

    @property
    def cpu_s(self) -> float:
        return time.process_time() - self._start

    def is_set(self) -> bool:
        now = time.monotonic()
        if not self._is_set and now >= self._poll_at:
            self._poll_at = now + POLL_S
            self._is_set = self._connection.poll()
            if now >= self._report_at and not self._is_set:
                self._report_at = now + REPORT_S
                self._connection.send(Progress(self.cpu_s))
        return self._is_set


class _NodeBudget:
    """Ends a search after ``MAX_POLLS`` looks at its limits: the same node in every run."""

    def __init__(self, cancel: _Cancel | None) -> None:
        self._cancel = cancel
        self._polls = 0

    def is_set(self) -> bool:
        self._polls += 1
        return self._polls > MAX_POLLS or (self._cancel is not None and self._cancel.is_set())
