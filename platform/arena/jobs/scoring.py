"""Making scores and standings again when what counts of a fixture changed after its round was closed."""

from __future__ import annotations

from django.db import transaction

from arena.accounts.events import event_add
from arena.competition.models import Stage, Tournament
from arena.competition.services import tournament_touch
from arena.matches.faults import faults_gather
from arena.matches.holds import tournament_hold
from arena.matches.models import Fixture
from arena.standings.services import scores_build, standings_rebuild

CLOSED_EARLY = "closed early"
"""How the note of a stage begins that its organiser ended before its last round."""


@transaction.atomic
def scores_mend(tournament: Tournament) -> bool:
    """Score fixtures ruled on or played again since their boards were closed, and their stages.

    Whether there was any; one query if not.

    The last stage is looked at again, too: by the new results it may not be at its end.
    """
    changed = Fixture.objects.filter(tournament=tournament, scores_due=True, state__in=Fixture.DONE)
    due = list(changed.select_related("board_set__round__stage__tournament").order_by("pk"))
    if not due:
        return False
    tournament_hold(pk=tournament.pk)
    # Claimed first: who is ruled on again meanwhile waits for us, and is due again.
    if not Fixture.objects.filter(pk__in=[one.pk for one in due], scores_due=True).update(scores_due=False):
        return False
    stages: dict[int, Stage] = {}
    sets = {}
    for fixture in due:
        scores_build(fixture)
        stages[fixture.board_set.round.stage_id] = fixture.board_set.round.stage
        sets[fixture.board_set_id] = fixture.board_set
    for board_set in sets.values():
        faults_gather(board_set)
    for stage in stages.values():
        standings_rebuild(stage)
        event_add("standings.updated", tournament, tournament=tournament.public_id, stage=stage.number)
        done = Stage.objects.filter(pk=stage.pk, state=Stage.State.DONE)
        done.exclude(note__startswith=CLOSED_EARLY).update(state=Stage.State.RUNNING, note="")
    tournament_touch(tournament)
    return True
