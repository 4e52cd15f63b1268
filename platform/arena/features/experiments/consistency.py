"""Consistency check: compare a stored experiment with the board scores of its batches."""

from __future__ import annotations

from arena.features.experiments.batches import batch_scores
from arena.features.experiments.evidence import counted_batches, estimate_of
from arena.features.experiments.models import Experiment


def experiment_check(experiment: Experiment) -> list[str]:
    """Return descriptions of all disagreements; empty if there are none. Two queries per batch."""
    batches = counted_batches(experiment)
    disagreements = []
    for batch in batches:
        batch.experiment = experiment
        if batch_scores(batch) != batch.fractions:
            disagreements.append(f"batch {batch.number}: its stored scores differ from its boards")
    judgement = estimate_of(experiment, batches).judgement
    left = experiment.boards
    for batch in batches:
        counted = min(left, batch.boards)
        if batch.counted != counted:
            disagreements.append(
                f"batch {batch.number}: {batch.counted} of its boards counted, not {counted}"
            )
        left -= counted
    if batches:
        expected = (judgement.boards, judgement.mean, judgement.llr)
        stored = (experiment.boards, experiment.mean, experiment.evidence)
        if expected != stored:
            disagreements.append(f"boards, mean and evidence: {stored}, not {expected}")
    decided = {"accepted", "rejected", "inconclusive"}
    if experiment.state != judgement.state and decided & {experiment.state, judgement.state}:
        disagreements.append(f"its state: {experiment.state}, not {judgement.state}")
    return disagreements
