"""Checks a candidate for a problem in the computing process of the background queue."""

from __future__ import annotations

import logging
import threading

from analysis.process import ProblemChecked, ProblemJob
from arena.common.blobs import blob_get
from arena.features.analysis.models import Problem
from arena.features.analysis.problems.queue import (
    problem_fail,
    problem_finish,
    problem_release,
    problem_renew,
)
from arena.features.analysis.runner.computing import ComputingProcess, Lease, UnexpectedReply

log = logging.getLogger(__name__)


def check_candidate(row: Problem, process: ComputingProcess, stop: threading.Event) -> None:
    """Compute and store what a leased candidate is."""
    with process.failing(row, lambda reason, cpu_s: problem_fail(row, reason, cpu_s)):
        _check(row, process, stop)


def _check(row: Problem, process: ComputingProcess, stop: threading.Event) -> None:
    analysis = row.analysis
    source = {
        "table": analysis.table.public_id,
        "position": row.position,
        "record_sha256": analysis.record_sha256,
    }
    job = ProblemJob(blob_get(analysis.record_sha256), row.board, row.deal, row.step, source)
    lease = Lease(lambda: problem_renew(row))
    result, spent_s = process.run(job, lambda: not stop.is_set() and lease.is_valid())
    match result:
        case ProblemChecked(problem, observation, reason, cpu_s):
            problem_finish(row, problem, observation, reason, cpu_s)
        case None:
            log.info("%s: cancelled", row)
            problem_release(row, spent_s)
        case other:
            raise UnexpectedReply(other)
