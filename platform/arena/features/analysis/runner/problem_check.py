"""Checks a candidate for a problem in the computing process of the background queue."""

from __future__ import annotations

import logging
import threading
import time

from analysis.process import JobFailed, ProblemChecked, ProblemJob, Progress
from arena.common.blobs import BlobDamaged, BlobMissing, blob_get
from arena.features.analysis.models import Problem
from arena.features.analysis.problems.queue import (
    problem_fail,
    problem_finish,
    problem_release,
    problem_renew,
)
from arena.features.analysis.runner.computing import ComputingProcess, ProcessDied

log = logging.getLogger(__name__)

RENEW_S = 5.0
POLL_S = 0.05


def check_candidate(row: Problem, process: ComputingProcess, stop: threading.Event) -> None:
    """Compute and store what a leased candidate is."""
    try:
        _check(row, process, stop)
    except ProcessDied as error:
        log.warning("%s: %s", row, error)
        problem_fail(row, str(error), 0.0)
    except (BlobMissing, BlobDamaged) as error:
        problem_fail(row, error.message, 0.0)
    except BaseException:  # the next job must not get its result
        process.kill()
        raise


def _check(row: Problem, process: ComputingProcess, stop: threading.Event) -> None:
    analysis = row.analysis
    source = {
        "table": analysis.table.public_id,
        "position": row.position,
        "record_sha256": analysis.record_sha256,
    }
    process.start(ProblemJob(blob_get(analysis.record_sha256), row.board, row.deal, row.step, source))
    renew_at = time.monotonic() + RENEW_S
    spent_s = 0.0
    while not stop.is_set():
        match process.poll(POLL_S):
            case ProblemChecked(problem, observation, reason, cpu_s):
                problem_finish(row, problem, observation, reason, cpu_s)
                return
            case JobFailed(reason, cpu_s):
                log.error("%s: %s", row, reason)
                problem_fail(row, reason, cpu_s)
                return
            case Progress(cpu_s):
                spent_s = cpu_s
            case None:
                pass
            case other:
                raise ProcessDied(f"the computing process answered with {type(other).__name__}")
        if time.monotonic() >= renew_at:
            renew_at = time.monotonic() + RENEW_S
            if not problem_renew(row):
                log.info("%s: cancelled, it is deleted or another process has it", row)
                break
    process.cancel()
    problem_release(row, spent_s)
