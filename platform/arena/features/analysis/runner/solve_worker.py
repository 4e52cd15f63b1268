"""The interactive queue: solves positions, the longest waiting first."""

from __future__ import annotations

import logging
import threading
import time

from analysis.process import JobFailed, PositionSolved, Progress, SolveJob
from arena.features.analysis.models import SolvedPosition
from arena.features.analysis.positions import position_from_json
from arena.features.analysis.runner.computing import ComputingProcess, ProcessDied
from arena.features.analysis.solving import (
    position_claim,
    position_fail,
    position_finish,
    position_release,
    positions_expire,
    positions_prune,
)

log = logging.getLogger(__name__)

BUSY_S, IDLE_S = 0.05, 0.3
"""Seconds between two looks for a position: in the first ``ACTIVE_S`` after the last one, and later."""
ACTIVE_S = 30.0
POLL_S = 0.05
SWEEP_S = 10.0
PRUNE_S = 600.0


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
        """Solve the next position; return False if none waits."""
        now = time.monotonic()
        if now >= self._sweep_at:
            self._sweep_at = now + SWEEP_S
            positions_expire()
        if now >= self._prune_at:
            self._prune_at = now + PRUNE_S
            positions_prune()
        row = position_claim()
        if row is None:
            return False
        try:
            self._solve(row)
        except ProcessDied as error:
            log.warning("%s: %s", row, error)
            position_fail(row)
        except BaseException:  # the next job must not get its answer
            self._process.kill()
            raise
        self._worked_at = time.monotonic()
        return True

    def _solve(self, row: SolvedPosition) -> None:
        self._process.start(SolveJob(position_from_json(row.position)))
        while not self._stop.is_set():
            match self._process.poll(POLL_S):
                case PositionSolved(values, cpu_s):
                    position_finish(row, values, cpu_s)
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
