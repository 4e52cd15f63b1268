"""Whether what is stored of an experiment follows from the board scores of its batches."""

from __future__ import annotations

from arena.features.experiments.batches import batch_scores
from arena.features.experiments.evidence import counted_batches, estimate_of
from arena.features.experiments.models import Experiment


def experiment_check(experiment: Experiment) -> list[str]:
    """What of it does not; empty if all of it does. Two queries a batch."""
    batches = counted_batches(experiment)
    found = []
    for batch in batches:
        batch.experiment = experiment
        if batch_scores(batch) != batch.fractions:
            found.append(f"batch {batch.number}: its scores are not those of its boards")
    judgement = estimate_of(experiment, batches).judgement
    left = experiment.boards
    for batch in batches:
        counted = min(left, batch.boards)
        if batch.counted != counted:
            found.append(f"batch {batch.number}: {batch.counted} of its boards counted, not {counted}")
        left -= counted
    if batches:
        said = (judgement.boards, judgement.mean, judgement.llr)
        have = (experiment.boards, experiment.mean, experiment.evidence)
        if said != have:
            found.append(f"boards, mean and evidence: {have}, not {said}")
    decided = {"accepted", "rejected", "inconclusive"}
    if experiment.state != judgement.state and decided & {experiment.state, judgement.state}:
        found.append(f"its state: {experiment.state}, not {judgement.state}")
    return found
