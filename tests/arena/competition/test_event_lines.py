"""Every change leaves a line for those who watch, and nobody reads what is not theirs."""

from __future__ import annotations

import datetime

import pytest
from django.utils import timezone

from arena.accounts.events import KINDS, event_add, events_prune
from arena.accounts.models import User
from arena.competition.models import Tournament
from arena.competition.selectors import events_visible_to
from arena.competition.services import (
    entry_withdraw,
    tournament_archive,
    tournament_lock,
    tournament_pause,
    tournament_resume,
    tournament_start,
)
from arena.competition.transitions import tournament_move
from tests.factories import (
    a_pending_entry,
    an_entry,
    an_open_tournament,
    aya,
    ben,
    chie,
    logged_events,
    odo,
    sota,
)
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def kinds_for(user: User | None, tournament: Tournament) -> list[str]:
    logged_events()
    return [event.kind for event in events_visible_to(user).filter(tournament=tournament.public_id)]


def test_the_life_of_a_tournament_is_told_step_by_step() -> None:
    tournament = an_open_tournament()
    for owner in (aya(), ben(), chie()):
        an_entry(tournament, owner)
    tournament_lock(tournament, odo())
    entry_withdraw(tournament.entries.get(player__user=chie()), chie())
    tournament_start(tournament, odo())
    tournament_pause(tournament, odo(), "lunch")
    tournament_resume(tournament, odo())
    state = Tournament.State
    tournament_move(tournament, state.RUNNING, state.PROVISIONAL, verb="finish", actor=None)
    tournament_move(tournament, state.PROVISIONAL, state.FINAL, verb="finalise", actor=None)
    tournament_archive(tournament, odo())
    assert kinds_for(None, tournament) == [
        "tournament.opened",
        *["entry.entered"] * 3,
        "tournament.locked",
        "entry.left",
        "tournament.started",
        "tournament.paused",
        "tournament.resumed",
        "tournament.provisional",
        "tournament.final",
        "tournament.archived",
    ]
    assert set(kinds_for(None, tournament)) <= set(KINDS)
    assert logged_events().get(kind="tournament.paused").data["reason"] == "lunch"


def test_events_of_a_private_tournament_reach_those_who_see_it() -> None:
    tournament = an_open_tournament(visibility="private")
    an_entry(tournament, aya())
    readers = {"aya": aya(), "odo": odo(), "sota": sota()}
    for reader in readers.values():
        assert kinds_for(reader, tournament) == ["tournament.opened", "entry.entered"]
    for stranger in (None, chie()):
        assert kinds_for(stranger, tournament) == []


def test_what_is_meant_for_one_account_reaches_it_and_staff_alone() -> None:
    tournament = an_open_tournament()
    a_pending_entry(tournament, aya(), ben())
    assert "entry.pending" in kinds_for(ben(), tournament)
    assert "entry.pending" in kinds_for(sota(), tournament)
    for other in (None, chie(), odo()):
        assert "entry.pending" not in kinds_for(other, tournament)


def test_a_line_is_meant_for_somebody_and_of_a_known_kind() -> None:
    tournament = an_open_tournament()
    assert "neither a tournament nor a user" in str(
        refusal(ValueError, event_add, "tournament.opened", tournament)
    )
    with pytest.raises(ValueError, match="unknown kind"):
        event_add("tournament.exploded", tournament, user=aya())


def test_lines_are_pruned_after_a_fortnight() -> None:
    tournament = an_open_tournament()
    for kind in ("tournament.paused", "tournament.resumed"):
        event_add(kind, tournament, tournament=tournament.public_id)
    long_ago = timezone.now() - datetime.timedelta(days=15)
    logged_events().filter(kind="tournament.paused").update(created_at=long_ago)
    assert events_prune() == 1
    assert kinds_for(None, tournament) == ["tournament.opened", "tournament.resumed"]
    logged_events().update(created_at=long_ago)
    assert events_prune() == 1
    assert kinds_for(None, tournament) == ["tournament.resumed"], "the newest says how far the log got"
