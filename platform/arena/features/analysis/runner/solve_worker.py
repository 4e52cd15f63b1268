"""The interactive queue: solves positions and estimates hints, the longest waiting first, then makes notes of
casual tables.
"""

from __future__ import annotations

import threading
import time

from analysis.process import (
    HintJob,
    HintMade,
    Job,
    LineJob,
    LineSolved,
    NotesJob,
    NotesMade,
    PositionSolved,
    SolveJob,
)
from arena.common.blobs import blob_get
from arena.features.analysis.casual import (
    casual_claim,
    casual_expire,
    casual_fail,
    casual_finish,
    casual_release,
    casual_renew,
    limits_of,
)
from arena.features.analysis.hints import hint_question
from arena.features.analysis.models import CasualAnalysis, SolvedPosition
from arena.features.analysis.positions import position_from_json
from arena.features.analysis.problems.attempts import attempts_prune
from arena.features.analysis.runner.computing import ComputingProcess, Lease, UnexpectedReply
from arena.features.analysis.solving import (
    line_finish,
    line_position,
    position_claim,
    position_fail,
    position_finish,
    position_release,
    position_waits,
    positions_expire,
    positions_prune,
)

BUSY_S, IDLE_S = 0.05, 0.3
"""Seconds between two looks for a position: in the first ``ACTIVE_S`` after the last one, and later."""
ACTIVE_S = 30.0
SWEEP_S = 10.0
YIELD_S = 3.0
"""Seconds after which notes on a casual table, such as of a whole game, wait while positions are solved."""
PRUNE_S = 600.0


def _job_of(row: SolvedPosition) -> Job:
    if (position := line_position(row)) is not None:
        return LineJob(position)
    if (question := hint_question(row)) is not None:
        return HintJob(question)
    return SolveJob(position_from_json(row.position))


class SolveWorker:
    """Runs the interactive queue in the calling thread until ``stop`` is set."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._process = ComputingProcess(is_idle=False)
        self._worked_at = -ACTIVE_S
        self._sweep_at = self._prune_at = 0.0

    @property
    def idle_s(self) -> float:
        return BUSY_S if time.monotonic() < self._worked_at + ACTIVE_S else IDLE_S

    def close(self) -> None:
        self._process.kill()

    def step(self) -> bool:
        """Solve the next position, else make the next notes; return False if nothing waits."""
        now = time.monotonic()
        if now >= self._sweep_at:
            self._sweep_at = now + SWEEP_S
            positions_expire()
            casual_expire()
        if now >= self._prune_at:
            self._prune_at = now + PRUNE_S
            positions_prune()
            attempts_prune()
        has_worked = self._next_position() or self._next_notes()
        if has_worked:
            self._worked_at = time.monotonic()
        return has_worked

    def _next_position(self) -> bool:
        row = position_claim()
        if row is None:
            return False
        with self._process.failing(row, lambda *_: position_fail(row)):
            self._solve(row)
        return True

    def _next_notes(self) -> bool:
        row = casual_claim()
        if row is None:
            return False
        with self._process.failing(row, lambda reason, cpu_s: casual_fail(row, reason, cpu_s)):
            self._make_notes(row)
        return True

    def _solve(self, row: SolvedPosition) -> None:
        result, _ = self._process.run(_job_of(row), lambda: not self._stop.is_set())
        match result:
            case PositionSolved(values, cpu_s):
                position_finish(row, values, cpu_s)
            case LineSolved(cards, cpu_s):
                line_finish(row, cards, cpu_s)
            case HintMade(estimate, cpu_s):
                position_finish(row, estimate, cpu_s)
            case None:
                position_release(row)
            case other:
                raise UnexpectedReply(other)

    def _make_notes(self, row: CasualAnalysis) -> None:
        lease, yield_at = Lease(lambda: casual_renew(row)), time.monotonic() + YIELD_S

        def may_continue() -> bool:
            must_yield = time.monotonic() >= yield_at and position_waits()
            return not self._stop.is_set() and not must_yield and lease.is_valid()

        table = row.live_table
        job = NotesJob(blob_get(table.record_sha256), limits_of(table))
        result, spent_s = self._process.run(job, may_continue)
        match result:
            case NotesMade(notes, cpu_s):
                casual_finish(row, notes, cpu_s)
            case None:
                casual_release(row, spent_s)
            case other:
                raise UnexpectedReply(other)
