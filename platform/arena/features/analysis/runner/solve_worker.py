"""The interactive queue: solves positions and estimates hints, the longest waiting first, then makes notes of
casual tables.
"""

from __future__ import annotations

import logging
import threading
import time

from analysis.process import (
    HintJob,
    HintMade,
    Job,
    JobFailed,
    LineJob,
    LineSolved,
    NotesJob,
    NotesMade,
    PositionSolved,
    Progress,
    SolveJob,
)
from arena.common.blobs import BlobDamaged, BlobMissing, blob_get
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
from arena.features.analysis.runner.computing import ComputingProcess, ProcessDied
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

log = logging.getLogger(__name__)

BUSY_S, IDLE_S = 0.05, 0.3
"""Seconds between two looks for a position: in the first ``ACTIVE_S`` after the last one, and later."""
ACTIVE_S = 30.0
POLL_S = 0.05
RENEW_S = 5.0
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
        try:
            has_worked = self._next_position() or self._next_notes()
        except BaseException:  # the next job must not get its answer
            self._process.kill()
            raise
        if has_worked:
            self._worked_at = time.monotonic()
        return has_worked

    def _next_position(self) -> bool:
        row = position_claim()
        if row is None:
            return False
        try:
            self._solve(row)
        except ProcessDied as error:
            log.warning("%s: %s", row, error)
            position_fail(row)
        return True

    def _next_notes(self) -> bool:
        row = casual_claim()
        if row is None:
            return False
        try:
            self._make_notes(row)
        except ProcessDied as error:
            log.warning("%s: %s", row, error)
            casual_fail(row, str(error), 0.0)
        except (BlobMissing, BlobDamaged) as error:
            casual_fail(row, error.message, 0.0)
        return True

    def _solve(self, row: SolvedPosition) -> None:
        self._process.start(_job_of(row))
        while not self._stop.is_set():
            match self._process.poll(POLL_S):
                case PositionSolved(values, cpu_s):
                    position_finish(row, values, cpu_s)
                    return
                case LineSolved(cards, cpu_s):
                    line_finish(row, cards, cpu_s)
                    return
                case HintMade(estimate, cpu_s):
                    position_finish(row, estimate, cpu_s)
                    return
                case JobFailed(reason, _):
                    log.error("%s: %s", row, reason)
                    position_fail(row)
                    return
                case None | Progress():
                    continue
                case other:
                    raise ProcessDied(f"the computing process answered with {type(other).__name__}")
        self._process.cancel()
        position_release(row)

    def _make_notes(self, row: CasualAnalysis) -> None:
        record = blob_get(row.table.record_sha256)
        self._process.start(NotesJob(record, limits_of(row.table)))
        now = time.monotonic()
        spent_s, yield_at, renew_at = 0.0, now + YIELD_S, now + RENEW_S
        while not self._stop.is_set():
            match self._process.poll(POLL_S):
                case NotesMade(notes, cpu_s):
                    casual_finish(row, notes, cpu_s)
                    return
                case JobFailed(reason, cpu_s):
                    log.error("%s: %s", row, reason)
                    casual_fail(row, reason, cpu_s)
                    return
                case Progress(cpu_s):
                    spent_s = cpu_s
                case None:
                    pass
                case other:
                    raise ProcessDied(f"the computing process answered with {type(other).__name__}")
            now = time.monotonic()
            if now >= yield_at and position_waits():
                break
            if now >= renew_at:
                renew_at = now + RENEW_S
                if not casual_renew(row):
                    break
        self._process.cancel()
        casual_release(row, spent_s)
