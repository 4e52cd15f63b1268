"""Experiments played batch by batch, as the workers would, with results that a test chooses."""

from __future__ import annotations

from typing import Any

from arena.features.experiments.batches import BASELINE, CANDIDATE
from arena.features.experiments.models import Batch, Experiment
from arena.features.experiments.services import experiment_create
from arena.jobs.flow import table_done
from arena.roster.models import BotVersion
from tests.arena.features.experiments.due import experiment_go_on
from tests.arena.play import play_table, waiting
from tests.factories import a_bot, a_version, aya

__all__ = ["BASELINE", "CANDIDATE", "asked", "begun", "playing", "two_versions", "was_played"]


def two_versions(game: str = "kakeya") -> tuple[BotVersion, BotVersion]:
    """The new and the old version of a bot of Aya's; the old one is active."""
    bot = a_bot(aya(), game=game)
    old = a_version(bot)
    return a_version(bot), old


def asked(new: BotVersion | None = None, old: BotVersion | None = None, **fields: Any) -> Experiment:
    """A queued experiment of Aya's; small enough to be played in a test."""
    if new is None or old is None:
        new, old = two_versions()
    given = {"preset": "kakeya4", "boards_per_batch": 20, "cap": 40, "difference": 0.2}
    return experiment_create(aya(), new, old, **{**given, **fields})


def begun(new: BotVersion | None = None, old: BotVersion | None = None, **fields: Any) -> Experiment:
    """The same with its first batch open."""
    experiment = asked(new, old, **fields)
    experiment_go_on(experiment.pk)
    experiment.refresh_from_db()
    return experiment


def playing(experiment: Experiment) -> Batch:
    """The batch under way."""
    return experiment.batches.select_related("tournament").get(state=Batch.State.PLAYING)


def was_played(experiment: Experiment, loser: int | None = None) -> Experiment:
    """The experiment after its batch under way; the entry of the seed ``loser`` never answers."""
    tournament = playing(experiment).tournament
    for table in waiting(tournament):
        silent = table.seats.filter(entry__seed=loser).values_list("seat", flat=True) if loser else ()
        play_table(table, frozenset(silent))
        table_done(tournament.public_id)
    experiment.refresh_from_db()
    return experiment
