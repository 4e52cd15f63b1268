"""Recompute scores and standings if a result changed after its round was closed."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from arena.accounts.events import event_add
from arena.competition.models import Stage, Tournament
from arena.competition.services import tournament_touch
from arena.competition.transitions import tournament_row_lock
from arena.matches.faults import faults_group
from arena.matches.models import Fixture
from arena.mounts import FEATURES
from arena.standings.figures import figures_build
from arena.standings.services import scores_build, standings_rebuild


@transaction.atomic
def scores_recompute(tournament: Tournament) -> bool:
    """Recompute scores of fixtures that were ruled on or replayed after their boards were closed.

    Returns whether there were any; costs one query if not. A finished stage is reopened.
    """
    changed = Fixture.objects.filter(tournament=tournament, scores_stale=True, state__in=Fixture.DONE)
    due = list(changed.select_related("board_set__round__stage__tournament").order_by("pk"))
    if not due:
        return False
    tournament_row_lock(pk=tournament.pk)
    # Claimed first: a fixture ruled on again meanwhile waits for this transaction and is due again.
    claimed = Fixture.objects.filter(pk__in=[fixture.pk for fixture in due], scores_stale=True)
    if not claimed.update(scores_stale=False):
        return False
    stages: dict[int, Stage] = {}
    sets = {}
    for fixture in due:
        scores_build(fixture)
        stages[fixture.board_set.round.stage_id] = fixture.board_set.round.stage
        sets[fixture.board_set_id] = fixture.board_set
    figures_build(sets.values())
    results_changed(sets.keys())
    for board_set in sets.values():
        faults_group(board_set)
    for stage in stages.values():
        standings_rebuild(stage)
        event_add("standings.updated", tournament, tournament=tournament.public_id, stage=stage.number)
        done = Stage.objects.filter(pk=stage.pk, state=Stage.State.DONE, closed_early=False)
        done.update(state=Stage.State.RUNNING, end_note={})
    tournament_touch(tournament)
    return True


def results_changed(board_sets: Iterable[int]) -> None:
    """Notify features that results of these board sets, by key, have changed."""
    changed = tuple(board_sets)
    for feature in FEATURES:
        feature.results_changed(changed)
