"""Experiments: where one stands, and how it came about."""

from __future__ import annotations

import datetime
import math
from typing import Annotated, Any, TypedDict

from rest_framework.request import Request

from arena.api.answers.entries import EnteredVersion, version_named
from arena.api.base.shapes import answer_from, with_columns
from arena.features.experiments.evidence import sequential_test
from arena.features.experiments.fields import FIELDS, STOP
from arena.features.experiments.models import Batch, Experiment
from arena.features.experiments.selectors import ExperimentData

Evidence = Annotated[float, "The logarithm of the odds so far: it ends the experiment at lower or at upper."]


@with_columns(Experiment, FIELDS)
class ExperimentOut(TypedDict):
    """An experiment: what was asked, and where it stands."""

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
    cpu_s_spent: Annotated[float, "Of all bots, void batches included."]
    state: Annotated[str, Experiment.State]
    state_reason: str
    end_code: Annotated[str | None, Experiment.End]
    boards: int
    evidence: Evidence
    lower: Annotated[float, "Evidence that rejects."]
    upper: Annotated[float, "Evidence that accepts."]
    expected_remaining: int | None
    created_at: datetime.datetime
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    verbs: Annotated[list[str], "What can be done with it now."]


class EvidenceOut(TypedDict):
    """The evidence after a board."""

    number: Annotated[int, "Of the board among all that counted, from 1."]
    batch: Annotated[int, "The batch it was played in, by number."]
    board: Annotated[int, "Its number in that batch's board set."]
    score: Annotated[str, "What the test got of it, in stones: n or n/d."]
    evidence: Evidence


class BatchOut(TypedDict):
    """Boards that are played before the test is asked again."""

    number: int
    tournament: Annotated[str, "Everything about its tables is found at this tournament."]
    boards: int
    state: Annotated[str, Batch.State]
    counted: int
    reason: str


class BatchProgressOut(TypedDict):
    """How far the batch under way is."""

    batch: int
    tables_done: int
    tables: int


class GainOut(TypedDict):
    """What the boards say of the gain, in stones a board."""

    mean: Annotated[float, "Of the boards. After an early stop it flatters the side that won: see corrected."]
    anytime_low: Annotated[float | None, "95 %, at whatever moment one looks and whyever one stopped."]
    anytime_high: float | None
    corrected: Annotated[
        float | None, "The mean corrected for having stopped early; null unless it was decided."
    ]
    widened_low: Annotated[
        float | None, "95 %, about the mean, widened for having stopped; null while it goes on."
    ]
    widened_high: float | None


class ExperimentFull(ExperimentOut):
    """An experiment with its batches and the evidence after each board."""

    opponents: Annotated[
        list[EnteredVersion],
        "The field; or house greedy, who takes the other sides of a table of more than two.",
    ]
    gain: Annotated[GainOut | None, "Null before the first batch is closed."]
    progress: Annotated[BatchProgressOut | None, "Null unless a batch is played."]
    batches: Annotated[list[BatchOut], "All of them, void ones included."]
    path: Annotated[list[EvidenceOut], "Of all boards that counted, in order."]


def experiment_out(experiment: Experiment, _: Request) -> ExperimentOut:
    """An experiment of ``experiments_visible_to``."""
    test = sequential_test(experiment)
    return answer_from(
        ExperimentOut,
        experiment,
        owner=experiment.owner.username,
        candidate=version_named(experiment.candidate),
        baseline=version_named(experiment.baseline),
        cpu_s_spent=experiment.cpu_ms_spent / 1000,
        end_code=experiment.end_code or None,
        lower=test.lower,
        upper=test.upper,
        verbs=[STOP.name] if experiment.state in STOP.states else [],
    )


def experiment_full(read: ExperimentData, request: Request) -> ExperimentFull:
    """The whole of an experiment."""
    return {
        **experiment_out(read.experiment, request),
        "opponents": [version_named(version) for version in read.opponents],
        "gain": _gain(read),
        "progress": _progress(read),
        "batches": [
            answer_from(BatchOut, batch, tournament=batch.tournament.public_id) for batch in read.batches
        ],
        "path": [
            answer_from(EvidenceOut, step, batch=step.batch.number, score=str(step.score))
            for step in read.path
        ],
    }


def _gain(read: ExperimentData) -> GainOut | None:
    said = read.estimate
    judgement = said.judgement
    if not judgement.boards:
        return None
    low, high = (bound if math.isfinite(bound) else None for bound in judgement.anytime_interval)
    return {
        "mean": judgement.mean,
        "anytime_low": low,
        "anytime_high": high,
        "corrected": said.mean if said.is_corrected else None,
        "widened_low": said.low if said.is_widened else None,
        "widened_high": said.high if said.is_widened else None,
    }


def _progress(read: ExperimentData) -> BatchProgressOut | None:
    progress = read.progress
    if progress is None:
        return None
    return {"batch": progress.batch.number, "tables_done": progress.done, "tables": progress.tables}
