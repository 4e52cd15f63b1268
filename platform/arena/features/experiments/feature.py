"""Feature descriptor of experiments."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from django.db.models import Q

from arena.accounts.models import Notice, User
from arena.common.features import AccountDeletion, DueTournament, Feature, StaleRows, StateDeadline
from arena.common.plain_rows import plain_rows
from arena.competition.models import Tournament
from arena.features.experiments.limits import time_limit
from arena.features.experiments.models import Batch, Experiment
from arena.features.experiments.selectors import experiments_with_versions
from arena.features.experiments.services import experiment_due, experiment_halt, experiments_due
from arena.roster.models import BotVersion


def _tournament_ended(tournament: Tournament) -> Iterator[DueTournament]:
    batch = Batch.objects.filter(tournament=tournament, state=Batch.State.PLAYING).first()
    if batch is not None:
        yield from experiment_due(batch.experiment_id)


def _own_data(user: User) -> dict[str, Any]:
    rows = Experiment.objects.filter(owner=user).select_related("candidate", "baseline").order_by("id")
    columns = "preset state created_at ended_at=finished_at boards mean"
    of_versions = "candidate=candidate.public_id baseline=baseline.public_id"
    return {"experiments": plain_rows(rows, f"id=public_id {of_versions} {columns}")}


def _delete_account(closing: AccountDeletion) -> Iterator[DueTournament]:
    own = Experiment.objects.filter(owner=closing.user)
    for experiment in own.filter(state__in=Experiment.LIVE).order_by("id"):
        yield from experiment_halt(experiment, closing.user, closing.reason)
    own.exclude(state_note={}).update(state_note={"code": "account_deleted"})
    versions = BotVersion.objects.filter(pk__in=closing.versions)
    pages = [experiment.page for experiment in experiments_with_versions(versions)]
    for notice in Notice.objects.filter(url_path__in=pages).exclude(user=closing.user):
        if (note := closing.without_names(notice.note)) != notice.note:
            Notice.objects.filter(pk=notice.pk).update(note=note)


def _stale_rows(now: datetime.datetime) -> Iterator[StaleRows]:
    ends_s = time_limit().total_seconds()
    state = Experiment.State
    yield StaleRows(
        "experiment",
        Experiment.objects.filter(state__in=Experiment.LIVE),
        [
            StateDeadline("queued", "created_at", Q(state=state.QUEUED), ends_s),
            StateDeadline("running", "started_at", Q(state=state.RUNNING), ends_s),
        ],
    )
    yield StaleRows(
        "experiment_batch",
        Batch.objects.filter(state=Batch.State.PLAYING),
        [StateDeadline("playing", "tournament__created_at", Q(), None)],
    )


EXPERIMENTS = Feature(
    name="experiments",
    urls="arena.features.experiments.urls",
    api_urls="arena.features.experiments.api_urls",
    tick=[experiments_due],
    tournament_ended=_tournament_ended,
    own_data=_own_data,
    delete_account=_delete_account,
    stale_rows=_stale_rows,
)
