"""Who leaves between the last round and an early end is told apart in the standings, and derived again."""

from __future__ import annotations

import pytest

from arena.competition.models import Tournament
from arena.competition.services import entry_withdraw
from arena.jobs.flow import tournament_advance, tournament_cancel, tournament_close_early
from arena.standings.audit import tournament_audit
from tests.arena.play import begun
from tests.arena.verification.events import round_play

State = Tournament.State


@pytest.mark.django_db
@pytest.mark.parametrize("ending", ["closed early", "cancelled"])
@pytest.mark.parametrize("form", ["single_elimination", "groups"])
def test_an_entry_that_leaves_before_an_early_end_changes_no_more_than_is_derived(
    form: str, ending: str
) -> None:
    tournament = begun(5, stages=[{"format": form}, {"format": "round_robin"}], boards_per_round=1)
    # Its budget is spent, so that it pauses between two rounds.
    Tournament.objects.update(budget_cpu_s=1, cpu_ms_spent=2000)
    round_play(tournament)
    assert tournament.state == State.PAUSED
    for entry in tournament.entries.order_by("id")[:3]:
        entry_withdraw(entry, tournament.organiser, "it harms others")
    tournament_advance(tournament)
    if ending == "cancelled":
        tournament_cancel(tournament, tournament.organiser, "rain")
    else:
        tournament_close_early(tournament, tournament.organiser, "a storm")
        tournament_advance(tournament)
    tournament.refresh_from_db()
    assert tournament_audit(tournament) == []
    assert tournament.state == (State.CANCELLED if ending == "cancelled" else State.FINAL)
