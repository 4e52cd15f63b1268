"""What experiments have due, with the tournaments advanced or cancelled that they ask for."""

from __future__ import annotations

from arena.accounts.models import User
from arena.features.experiments import services
from arena.features.experiments.models import Experiment
from arena.jobs.flow import dues_apply


def experiments_due() -> int:
    """How many batches were begun or cancelled."""
    return dues_apply(services.experiments_due())


def experiment_go_on(experiment: int) -> None:
    """Do what is due of one experiment, by its key."""
    dues_apply(services.experiment_due(experiment))


def experiment_halt(experiment: Experiment, actor: User, reason: str = "") -> None:
    """Stop an experiment and cancel its batch."""
    dues_apply(services.experiment_halt(experiment, actor, reason))
