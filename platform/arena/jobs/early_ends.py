"""Ends of an event before its last round: a spent budget, an early close, cancellation."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from arena.accounts.events import event_add
from arena.common.notes import Note
from arena.competition.models import Round, Stage, Statement, Tournament
from arena.competition.services import tournament_pause
from arena.jobs.scoring import results_changed, scores_recompute
from arena.matches.models import BoardSet
from arena.matches.rounds import stage_finish, tables_cancel
from arena.standings.endings import ended_statement_publish
from arena.standings.services import round_scores_build, standings_rebuild


def budget_is_spent(tournament: Tournament) -> bool:
    budget = tournament.budget_cpu_s
    return budget is not None and tournament.cpu_ms_spent >= 1000 * budget


@transaction.atomic
def budget_pause(tournament: Tournament) -> None:
    spent = round(tournament.cpu_ms_spent / 1000)
    note = {"code": "cpu_spent", "spent": spent, "budget": tournament.budget_cpu_s}
    tournament_pause(tournament, None, note=note)
    event_add(
        "budget.spent",
        tournament,
        tournament=tournament.public_id,
        budget_cpu_s=tournament.budget_cpu_s,
        spent_cpu_s=spent,
    )


def event_end_open_work(tournament: Tournament, note: Note) -> Statement:
    """End open fixtures and tables of a cancelled tournament and write its last statement."""
    cut_short = list(
        Round.objects.filter(stage__tournament=tournament, state=Round.State.OPEN).select_related("stage")
    )
    tables_cancel(tournament, note)
    # Results settled before count in the remaining standings.
    for played in cut_short:
        round_scores_build(played)
    results_changed(BoardSet.objects.filter(round__in=cut_short).values_list("pk", flat=True))
    unfinished = list(tournament.stages.exclude(state=Stage.State.DONE).order_by("number"))
    final_standings_recompute(unfinished)
    # As when it is closed early: a stage that was being played is over, and so are those after it. Stages
    # of a tournament that had none under way were never begun, and stay planned.
    if any(stage.state == Stage.State.RUNNING for stage in unfinished):
        for stage in unfinished:
            stage_close_early(stage, {"code": "cancelled"})
    scores_recompute(tournament)
    return ended_statement_publish(tournament, Statement.Kind.CANCELLED)


def stage_close_early(stage: Stage, note: Note) -> bool:
    """End a stage before its last round; return False if it was over already."""
    if not stage_finish(stage):
        return False
    Stage.objects.filter(pk=stage.pk).update(closed_early=True, end_note=note)
    return True


def final_standings_recompute(stages: Iterable[Stage]) -> None:
    """Recompute standings of stages closed early, since entries may have left after the last round."""
    for stage in stages:
        if stage.rounds.exists():
            standings_rebuild(stage)
