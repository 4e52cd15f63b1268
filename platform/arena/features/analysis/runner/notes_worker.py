"""The background queue: checks problems and analyses tables, when the machine has nothing else to do."""

from __future__ import annotations

import json
import logging
import threading
import time

from analysis.process import (
    HintMade,
    JobCancelled,
    JobFailed,
    LineSolved,
    NotesJob,
    NotesMade,
    PositionSolved,
    ProblemChecked,
    Progress,
)
from arena.common.blobs import BlobDamaged, BlobMissing, blob_get
from arena.features.analysis.due import missing_make
from arena.features.analysis.models import TableAnalysis
from arena.features.analysis.problems.candidates import problems_propose
from arena.features.analysis.problems.queue import problem_claim, problems_expire
from arena.features.analysis.queue import (
    analysis_claim,
    analysis_fail,
    analysis_finish,
    analysis_release,
    analysis_renew,
    cpu_ms_left,
    leases_expire,
)
from arena.features.analysis.runner.computing import POLL_S, RENEW_S, ComputingProcess, ProcessDied
from arena.features.analysis.runner.problem_check import check_candidate
from arena.features.analysis.summary import summary_of
from arena.matches.replays import table_view

log = logging.getLogger(__name__)

SWEEP_S = 10.0
"""Seconds between two searches for expired leases and missing rows, and between two while nothing is due."""


class NotesWorker:
    """Runs the background queue in the calling thread until ``stop`` is set."""

    idle_s = SWEEP_S

    def __init__(self, name: str, stop: threading.Event) -> None:
        self._name = name
        self._stop = stop
        self._process = ComputingProcess(is_idle=True)
        self._attempts = 0
        self._seq: int | None = None
        """``closed_seq`` up to which board sets were searched for missing rows."""
        self._sweep_at = 0.0

    def close(self) -> None:
        self._process.kill()

    def step(self) -> bool:
        """Check a candidate for a problem, else analyse the next table; return False if none is due."""
        if time.monotonic() >= self._sweep_at:
            self._sweep_at = time.monotonic() + SWEEP_S
            leases_expire()
            problems_expire()
            self._seq = missing_make(self._seq)
        if cpu_ms_left() and (candidate := problem_claim()) is not None:
            check_candidate(candidate, self._process, self._stop)
            return True
        self._attempts += 1
        row = analysis_claim(f"{self._name}/{self._attempts}")
        if row is None:
            return False
        spent = _Spent()
        try:
            self._analyse(row, spent)
        except ProcessDied as error:
            log.warning("%s: %s", row, error)
            analysis_fail(row, str(error), spent.take())
        except (KeyError, IndexError, ValueError) as error:
            log.exception("%s: notes and view do not match", row)
            reason = f"notes and view do not match: {type(error).__name__} {error}"
            analysis_fail(row, reason, spent.take())
        except BaseException:  # the next job must not get its result
            self._process.kill()
            raise
        return True

    def _analyse(self, row: TableAnalysis, spent: _Spent) -> None:
        try:
            record = blob_get(row.record_sha256)
            view = table_view(row.table)
        except (BlobMissing, BlobDamaged) as error:
            analysis_fail(row, error.message, 0.0)
            return
        if view is None:
            analysis_fail(row, "the table's view is lost; run manage.py blobs_check --repair", 0.0)
            return
        self._process.start(NotesJob(record))
        renew_at = time.monotonic() + RENEW_S
        while True:
            reply = self._process.poll(POLL_S)
            match reply:
                case Progress(cpu_s):
                    spent.measured_s = cpu_s
                case NotesMade(notes, cpu_s):
                    spent.measured_s = cpu_s
                    parsed_notes, parsed_view = json.loads(notes), json.loads(view)
                    if analysis_finish(row, notes, summary_of(parsed_notes, parsed_view), spent.take()):
                        problems_propose(row, parsed_notes, parsed_view)
                    else:
                        log.info("%s: discarded, its table is in play again or another process has it", row)
                    return
                case JobFailed(reason, cpu_s):
                    spent.measured_s = cpu_s
                    analysis_fail(row, reason, spent.take())
                    return
                case JobCancelled() | PositionSolved() | LineSolved() | HintMade() | ProblemChecked():
                    raise ProcessDied("the computing process answered another job")
            if self._stop.is_set():
                self._process.cancel()
                analysis_release(row, spent.take())
                return
            if time.monotonic() >= renew_at:
                renew_at = time.monotonic() + RENEW_S
                if not analysis_renew(row, spent.take()):
                    log.info("%s: cancelled, its table is in play again or another process has it", row)
                    self._process.cancel()
                    analysis_release(row, 0.0)
                    return


class _Spent:
    """CPU time of an attempt that is not stored yet."""

    def __init__(self) -> None:
        self.measured_s = 0.0
        self._stored_s = 0.0

    def take(self) -> float:
        """Return the seconds since the last call."""
        taken = self.measured_s - self._stored_s
        self._stored_s = self.measured_s
        return taken
