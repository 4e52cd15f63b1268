"""What the boards of an experiment say: the test as it was asked for, over the scores of closed batches."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from arena.features.experiments.models import Batch, Experiment
from league.experiments import Stopped, after_stopping
from league.sequential import FEWEST_BOARDS, Judgement, SequentialTest

__all__ = [
    "FEWEST_BOARDS",
    "BoardEvidence",
    "Judgement",
    "Stopped",
    "counted_batches",
    "estimate_of",
    "evidence_path",
    "scores_in_order",
    "sequential_test",
]


class BoardEvidence(NamedTuple):
    """The evidence after one board that counted."""

    number: int
    """Of the board among all of the experiment, from 1."""
    batch: Batch
    board: int
    """Its number in the batch's board set, from 1."""
    score: Fraction
    """What the test got of it, in stones."""
    evidence: float


def sequential_test(experiment: Experiment) -> SequentialTest:
    """The test an experiment asks for."""
    return SequentialTest(experiment.difference, experiment.alpha, experiment.beta, experiment.cap)


def counted_batches(experiment: Experiment) -> list[Batch]:
    """Its counted batches in order, each with its tournament. One query."""
    rows = experiment.batches.filter(state=Batch.State.COUNTED).select_related("tournament")
    return list(rows.order_by("number"))


def scores_in_order(batches: Iterable[Batch]) -> list[Fraction]:
    """The scores of these batches, one a board, in the order of boards."""
    return [score for batch in batches for score in batch.fractions]


def estimate_of(experiment: Experiment, batches: Iterable[Batch] | None = None) -> Stopped:
    """What its boards say, with what is to be corrected once it has stopped. A query unless given batches."""
    rows = counted_batches(experiment) if batches is None else batches
    return after_stopping(sequential_test(experiment), scores_in_order(rows))


def evidence_path(experiment: Experiment, batches: Iterable[Batch]) -> list[BoardEvidence]:
    """The evidence after each board that counted, in order."""
    run = sequential_test(experiment).start()
    steps: list[BoardEvidence] = []
    for batch in batches:
        for board, score in enumerate(batch.fractions, 1):
            if run.state != "running":
                return steps
            run.add(score)
            steps.append(BoardEvidence(run.boards, batch, board, score, run.llr))
    return steps
