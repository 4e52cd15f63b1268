"""Evidence of an experiment: its sequential test, run over the scores of counted batches."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from arena.features.experiments.models import Batch, Experiment
from league.experiments import StoppedTest, analyse_stopped_test
from league.sequential import MIN_BOARDS, SequentialResult, SequentialTest

__all__ = [
    "MIN_BOARDS",
    "BoardEvidence",
    "SequentialResult",
    "StoppedTest",
    "counted_batches",
    "estimate_of",
    "evidence_path",
    "scores_in_order",
    "sequential_test",
]


class BoardEvidence(NamedTuple):
    """Evidence after one counted board."""

    number: int
    batch: Batch
    board: int
    """Number within the batch's board set, from 1."""
    score: Fraction
    """Test score of the board, in stones."""
    evidence: float


def sequential_test(experiment: Experiment) -> SequentialTest:
    return SequentialTest(experiment.difference, experiment.alpha, experiment.beta, experiment.cap)


def counted_batches(experiment: Experiment) -> list[Batch]:
    """Return the counted batches in order, with tournaments fetched. One query."""
    rows = experiment.batches.filter(state=Batch.State.COUNTED).select_related("tournament")
    return list(rows.order_by("number"))


def scores_in_order(batches: Iterable[Batch]) -> list[Fraction]:
    return [score for batch in batches for score in batch.fractions]


def estimate_of(experiment: Experiment, batches: Iterable[Batch] | None = None) -> StoppedTest:
    """Estimate the gain, corrected for a stopped test. One query unless ``batches`` is given."""
    rows = counted_batches(experiment) if batches is None else batches
    return analyse_stopped_test(sequential_test(experiment), scores_in_order(rows))


def evidence_path(experiment: Experiment, batches: Iterable[Batch]) -> list[BoardEvidence]:
    run = sequential_test(experiment).start()
    steps: list[BoardEvidence] = []
    for batch in batches:
        for board, score in enumerate(batch.fractions, 1):
            if run.state != "running":
                return steps
            run.add(score)
            steps.append(BoardEvidence(run.boards, batch, board, score, run.llr))
    return steps
