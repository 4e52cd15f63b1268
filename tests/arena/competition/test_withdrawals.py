"""Entries that go: before the lock withdrawn, after it gone from the round they were last drawn into."""

from __future__ import annotations

import pytest

from arena.accounts.models import AuditEvent, Notice
from arena.common.errors import ArenaError, Conflict
from arena.competition.models import Entry, Round, Stage, StageEntry, Tournament
from arena.competition.services import entered_entries, entry_withdraw, tournament_pause, tournament_start
from tests.factories import (
    a_locked_tournament,
    a_pending_entry,
    an_entry,
    an_open_tournament,
    aya,
    ben,
    chie,
    logged_events,
    odo,
)
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def entry_of(tournament: Tournament, user: object) -> Entry:
    return tournament.entries.get(player__user=user)


def test_an_entry_withdrawn_before_the_lock_says_why() -> None:
    tournament = an_open_tournament()
    entry = an_entry(tournament, aya())
    entry_withdraw(entry, aya(), " a better one comes ")
    assert (entry.status, entry.status_reason) == ("withdrawn", "a better one comes")
    assert entry.left_stage is None
    assert entered_entries(tournament) == []
    assert logged_events().filter(kind="entry.withdrawn", object_id=entry.public_id).count() == 1


def test_who_leaves_a_locked_field_was_drawn_into_no_round_and_keeps_its_place_in_it() -> None:
    tournament = a_locked_tournament(3, stages=[{"format": "round_robin"}] * 2)
    entry = entry_of(tournament, aya())
    entry_withdraw(entry, aya())
    assert (entry.status, entry.left_stage, entry.left_round) == ("left", 1, 0)
    assert StageEntry.objects.filter(stage__tournament=tournament).count() == 3
    assert len(entered_entries(tournament)) == 2


def test_who_leaves_in_play_was_last_drawn_into_the_round_opened_last() -> None:
    tournament = a_locked_tournament(3)
    tournament_start(tournament, odo())
    stage = tournament.stages.get()
    for number, state in ((1, Round.State.CLOSED), (2, Round.State.OPEN)):
        Round.objects.create(stage=stage, number=number, state=state)
    entry = entry_of(tournament, ben())
    entry_withdraw(entry, ben(), "holidays")
    assert (entry.left_stage, entry.left_round) == (1, 2)
    audited = AuditEvent.objects.get(action="leave")
    assert (audited.actor, audited.after["reason"], audited.before) == (
        ben(),
        "holidays",
        {"status": "entered"},
    )


def test_who_leaves_between_stages_leaves_the_next() -> None:
    stages = [{"format": "round_robin"}, {"format": "round_robin", "qualify": 2}]
    tournament = a_locked_tournament(3, stages=stages)
    tournament_start(tournament, odo())
    Stage.objects.filter(tournament=tournament, number=1).update(state=Stage.State.DONE)
    entry = entry_of(tournament, aya())
    entry_withdraw(entry, aya())
    assert (entry.left_stage, entry.left_round) == (2, 0)


def test_the_organiser_takes_an_entry_out_and_its_owner_learns_why() -> None:
    tournament = a_locked_tournament(3)
    entry = entry_of(tournament, chie())
    entry_withdraw(entry, odo(), "it was copied")
    (notice,) = Notice.objects.filter(user=chie(), kind="entry_ended")
    assert (notice.note["code"], notice.note["by"]) == ("entry_taken_out", {"code": "by_organiser"})
    assert notice.note["because"]["why"] == {"code": "typed", "text": "it was copied"}


def test_a_partner_learns_who_withdrew_the_pair() -> None:
    tournament = an_open_tournament()
    entry = a_pending_entry(tournament, aya(), ben())
    entry_withdraw(entry, ben(), "ill")
    (notice,) = Notice.objects.filter(user=aya(), kind="entry_ended")
    assert notice.note == {
        "code": "entry_withdrawn",
        "bots": entry.bot_name,
        "tournament": tournament.name,
        "by": {"code": "by_player", "player": "ben"},
        "because": {"code": "because", "why": {"code": "typed", "text": "ill"}},
    }


def test_a_stranger_takes_nobody_out() -> None:
    tournament = a_locked_tournament(3)
    assert refusal(ArenaError, entry_withdraw, entry_of(tournament, aya()), ben()).code == "not_organiser"


def test_nobody_leaves_twice() -> None:
    tournament = a_locked_tournament(3)
    entry = entry_of(tournament, aya())
    entry_withdraw(entry, aya())
    refused = refusal(Conflict, entry_withdraw, entry, aya())
    assert (refused.code, refused.extra["status"]) == ("already_withdrawn", "left")


def test_one_may_leave_a_paused_event_but_none_that_is_played() -> None:
    tournament = a_locked_tournament(3)
    tournament_start(tournament, odo())
    tournament_pause(tournament, odo())
    entry_withdraw(entry_of(tournament, aya()), aya())
    Tournament.objects.filter(pk=tournament.pk).update(state="provisional")
    refused = refusal(Conflict, entry_withdraw, entry_of(tournament, ben()), ben())
    assert refused.code == "wrong_state"
    assert refused.extra["state"] == "provisional"
    assert set(refused.extra["allowed_states"]) == {"open", "locked", "running", "paused"}
