"""What of a tournament can be changed in which state."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from arena.accounts.models import AuditEvent, Notice
from arena.common.errors import ArenaError, Conflict, Invalid
from arena.competition.drafts import fields_of
from arena.competition.models import Tournament
from arena.competition.services import tournament_create, tournament_update
from arena.competition.tournament_fields import EDITABLE
from arena.jobs.flow import tournament_cancel
from tests.factories import (
    a_locked_tournament,
    a_tournament,
    an_entry,
    an_open_tournament,
    aya,
    ben,
    chie,
    odo,
)
from tests.refusals import refusal

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def in_state(state: str) -> Tournament:
    tournament = an_open_tournament()
    Tournament.objects.filter(pk=tournament.pk).update(state=state)
    tournament.refresh_from_db()
    return tournament


def test_everything_of_a_draft_can_change_and_is_checked_anew() -> None:
    tournament = a_tournament()
    tournament_update(
        tournament,
        odo(),
        preset="kakkuri",
        ruleset={"seats": 3},
        stages=[{"format": "heats", "options": {"rounds": 4}, "boards_per_round": 6}],
        min_entries=3,
        max_entries=9,
        budget_cpu_s=600,
        entry_policy="invited",
    )
    tournament.refresh_from_db()
    stage = tournament.stages.get()
    assert (tournament.game, tournament.ruleset["seats"]) == ("kakkuri", 3)
    assert (stage.format, stage.options, stage.boards) == ("heats", {"rounds": 4}, 6)
    assert (tournament.max_entries, tournament.budget_cpu_s, tournament.entry_policy) == (9, 600, "invited")
    refused = refusal(Invalid, tournament_update, tournament, odo(), max_entries=2)
    assert refused.extra["field"] == "max_entries"
    tournament.refresh_from_db()
    assert tournament.max_entries == 9


def test_a_draft_changed_keeps_the_rest() -> None:
    tournament = a_tournament(boards_per_round=4, tie_breaks=["wins"], clock={"increment_cpu_ms": 5})
    before = fields_of(tournament)
    tournament_update(tournament, odo(), description="For everybody.")
    tournament.refresh_from_db()
    assert fields_of(tournament) == {**before, "description": "For everybody."}


def test_a_draft_made_from_the_fields_of_another_is_like_it() -> None:
    first = a_tournament(boards_per_round=4, stages=[{"format": "round_robin", "options": {"cycles": 2}}])
    fields = fields_of(first)
    assert fields_of(tournament_create(odo(), **fields)) == fields


@pytest.mark.parametrize("state", Tournament.State.values)
def test_each_state_names_what_can_be_changed(state: str) -> None:
    tournament = in_state(state)
    allowed = EDITABLE.get(state, ())
    assert refusal(ArenaError, tournament_update, tournament, odo(), nonsense=1).code == "unknown_field"
    for field in ("scoring", "description", "closes_at"):
        if field in allowed:
            continue
        refused_now = refusal(Conflict, tournament_update, tournament, odo(), **{field: "x"})
        extra = refused_now.extra
        assert (refused_now.code, extra["state"], extra["field"]) == ("wrong_state", state, field)
        assert extra["allowed_fields"] == list(allowed)
        assert state not in extra["allowed_states"]


@pytest.mark.parametrize("state", ["locked", "running", "paused", "provisional"])
def test_the_budget_can_be_raised_until_it_is_final(state: str) -> None:
    tournament = in_state(state)
    tournament_update(tournament, odo(), budget_cpu_s=500)
    tournament.refresh_from_db()
    assert tournament.budget_cpu_s == 500


@pytest.mark.parametrize("budget", [0, -1, True, "5", 10**10])
def test_a_budget_is_a_number_of_seconds(budget: Any) -> None:
    for tournament in (a_tournament(), in_state("running")):
        refused = refusal(Invalid, tournament_update, tournament, odo(), budget_cpu_s=budget)
        assert refused.extra["field"] == "budget_cpu_s"


def test_registration_may_end_later_and_entrants_are_told() -> None:
    now = timezone.now()
    tournament = an_open_tournament(closes_at=now + HOUR)
    an_entry(tournament, aya())
    tournament_update(tournament, odo(), closes_at=now + 2 * HOUR)
    assert Notice.objects.filter(user=aya(), kind="tournament").count() == 1
    assert not Notice.objects.filter(user=odo()).exists()


@pytest.mark.parametrize("reason", ["1 entered; it needs at least 4.", "no worker came"])
def test_what_ended_an_event_is_one_sentence_in_notices(reason: str) -> None:
    tournament = an_open_tournament()
    an_entry(tournament, aya())
    tournament_cancel(tournament, None, reason)
    because = f"{reason.rstrip('.')}."
    (entrant,) = Notice.objects.filter(user=aya(), kind="tournament")
    assert entrant.text == f"{tournament.name} was cancelled: {because}"
    (organiser,) = Notice.objects.filter(user=odo(), kind="tournament")
    assert organiser.text == f"The system cancelled {tournament.name}: {because}"


def test_registration_ends_earlier_only_with_notice() -> None:
    now = timezone.now()
    tournament = an_open_tournament(closes_at=now + 9 * HOUR)
    refused = refusal(Invalid, tournament_update, tournament, odo(), closes_at=now + HOUR / 2)
    assert refused.extra["field"] == "closes_at"
    tournament_update(tournament, odo(), closes_at=now + 3 * HOUR)
    refused_start = refusal(Invalid, tournament_update, tournament, odo(), starts_at=now + 2 * HOUR)
    assert refused_start.extra["field"] == "starts_at"


def test_places_never_fall_below_those_who_entered() -> None:
    tournament = an_open_tournament(max_entries=10)
    for owner in (aya(), ben(), chie()):
        an_entry(tournament, owner)
    assert "3 entered" in refusal(Invalid, tournament_update, tournament, odo(), max_entries=2).message
    refusal(Invalid, tournament_update, tournament, odo(), max_entries=900)
    tournament_update(tournament, odo(), max_entries=3)


def test_only_the_organiser_changes_it_and_the_trail_says_what() -> None:
    tournament = a_locked_tournament(2, description="old")
    refusal(ArenaError, tournament_update, tournament, chie(), description="new")
    tournament_update(tournament, odo(), description="new")
    audited = AuditEvent.objects.get(action="update")
    assert (audited.before, audited.after) == ({"description": "old"}, {"description": "new"})
