"""API answers for experiments, their batches and their evidence."""

from __future__ import annotations

import datetime
import math
from typing import Annotated, Any, TypedDict

from rest_framework.request import Request

from arena.api.answers.entries import EnteredVersion, entered_version
from arena.api.base.shapes import build_shape, with_columns
from arena.features.experiments.evidence import sequential_test
from arena.features.experiments.fields import FIELDS, STOP
from arena.features.experiments.models import Batch, Experiment
from arena.features.experiments.selectors import ExperimentData

Evidence = Annotated[float, "Log-likelihood ratio; the experiment ends when it reaches lower or upper."]


@with_columns(Experiment, FIELDS)
class ExperimentOut(TypedDict):
    """An experiment: its question and its current state."""

    id: str
    owner: str
    candidate: EnteredVersion
    baseline: EnteredVersion
    preset: str
    ruleset: dict[str, Any]
    clock: dict[str, int]
    budget_cpu_s: int
    is_field: bool
    game: str
    seats: int
    sides: int
    cpu_s_spent: Annotated[float, "CPU-seconds of all bots, including void batches."]
    state: Annotated[str, Experiment.State]
    state_reason: str
    end_code: Annotated[str | None, Experiment.End]
    boards: int
    evidence: Evidence
    lower: Annotated[float, "Evidence at which the candidate is rejected."]
    upper: Annotated[float, "Evidence at which the candidate is accepted."]
    expected_remaining: int | None
    created_at: datetime.datetime
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    allowed_actions: Annotated[list[str], "Actions allowed now."]


class EvidenceOut(TypedDict):
    """The evidence after a board."""

    number: Annotated[int, "Number among all counted boards, from 1."]
    batch: Annotated[int, "Number of the batch."]
    board: Annotated[int, "Number in the batch's board set."]
    score: Annotated[str, "Test score in stones: n or n/d."]
    evidence: Evidence


class BatchOut(TypedDict):
    """Boards that are played between two looks at the test."""

    number: int
    tournament: Annotated[str, "Id of the tournament that has the batch's tables."]
    boards: int
    state: Annotated[str, Batch.State]
    counted: int
    reason: str


class BatchProgressOut(TypedDict):
    """Progress of the current batch."""

    batch: int
    tables_done: int
    tables: int


class GainOut(TypedDict):
    """Estimates of the gain, in stones per board."""

    mean: Annotated[
        float, "Mean of the boards. Biased towards the winner after an early stop: see corrected."
    ]
    anytime_low: Annotated[float | None, "95% interval, valid at any time and for any reason to stop."]
    anytime_high: float | None
    corrected: Annotated[float | None, "Mean corrected for the early stop; null unless decided."]
    widened_low: Annotated[
        float | None, "95% interval around the mean, widened for the stop; null while live."
    ]
    widened_high: float | None


class ExperimentFull(ExperimentOut):
    """An experiment with its batches and the evidence after each board."""

    opponents: Annotated[
        list[EnteredVersion],
        "The field, or house greedy for the other sides of larger tables.",
    ]
    gain: Annotated[GainOut | None, "Null before the first batch is counted."]
    progress: Annotated[BatchProgressOut | None, "Null unless a batch is in play."]
    batches: Annotated[list[BatchOut], "All batches, including void ones."]
    path: Annotated[list[EvidenceOut], "All counted boards, in order."]


def experiment_out(experiment: Experiment, _: Request) -> ExperimentOut:
    """Answer for a row of ``experiments_visible_to``."""
    test = sequential_test(experiment)
    return build_shape(
        ExperimentOut,
        experiment,
        owner=experiment.owner.username,
        candidate=entered_version(experiment.candidate),
        baseline=entered_version(experiment.baseline),
        cpu_s_spent=experiment.cpu_ms_spent / 1000,
        end_code=experiment.end_code or None,
        lower=test.lower,
        upper=test.upper,
        allowed_actions=[STOP.name] if experiment.state in STOP.states else [],
    )


def experiment_full(read: ExperimentData, request: Request) -> ExperimentFull:
    return {
        **experiment_out(read.experiment, request),
        "opponents": [entered_version(version) for version in read.opponents],
        "gain": _gain(read),
        "progress": _progress(read),
        "batches": [
            build_shape(BatchOut, batch, tournament=batch.tournament.public_id) for batch in read.batches
        ],
        "path": [
            build_shape(EvidenceOut, step, batch=step.batch.number, score=str(step.score))
            for step in read.path
        ],
    }


def _gain(read: ExperimentData) -> GainOut | None:
    estimate = read.estimate
    judgement = estimate.judgement
    if not judgement.boards:
        return None
    low, high = (bound if math.isfinite(bound) else None for bound in judgement.anytime_interval)
    return {
        "mean": judgement.mean,
        "anytime_low": low,
        "anytime_high": high,
        "corrected": estimate.mean if estimate.is_corrected else None,
        "widened_low": estimate.low if estimate.is_widened else None,
        "widened_high": estimate.high if estimate.is_widened else None,
    }


def _progress(read: ExperimentData) -> BatchProgressOut | None:
    progress = read.progress
    if progress is None:
        return None
    return {"batch": progress.batch.number, "tables_done": progress.done, "tables": progress.tables}
