"""A challenge: chosen versions meet at once, in private, a few times a day."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.utils import timezone

from arena.accounts.models import Notice
from arena.common.causes import Cause
from arena.common.errors import ArenaError
from arena.competition.challenges import challenge_create, challenges_against_quota, challenges_visible_to
from arena.competition.models import Tournament
from arena.competition.selectors import tournaments_listed, tournaments_visible_to
from arena.competition.transitions import tournament_move
from arena.jobs.flow import tournament_advance
from arena.matches.models import Fixture, Table
from arena.roster.models import BotVersion
from arena.roster.services import version_retire
from tests.factories import a_bot, a_suspended_version, a_version, aya, ben, chie, odo, sota

pytestmark = pytest.mark.django_db


def pair() -> list[BotVersion]:
    return [a_version(a_bot(aya())), a_version(a_bot(ben()))]


def challenged(versions: list[BotVersion] | None = None, **fields: Any) -> Tournament:
    return challenge_create(aya(), versions or pair(), **{"preset": "kakeya4", "boards": 2, **fields})


def refusal(versions: list[BotVersion] | None = None, **fields: Any) -> ArenaError:
    before = Tournament.objects.count()
    with pytest.raises(ArenaError) as refused:
        challenged(versions, **fields)
    assert Tournament.objects.count() == before
    return refused.value


def test_it_is_made_and_started_in_one_go() -> None:
    versions = pair()
    event = challenged(versions)
    assert (event.kind, event.state, event.visibility) == ("challenge", "running", "private")
    assert len(event.commitment) == len(event.stages.get().field_digest) == 64
    places = event.stages.get().stage_entries.order_by("position")
    assert [place.entry.version for place in places] == versions
    assert event.quarantine_hours == 0


def test_a_free_for_all_takes_one_version_a_seat() -> None:
    versions = [a_version(a_bot(aya(), game="kakkuri")) for _ in range(3)]
    event = challenged(versions, preset="kakkuri", ruleset={"seats": 3})
    assert (event.stages.get().format, event.min_entries, event.entries.count()) == ("heats", 3, 3)


def test_it_is_seen_by_its_maker_and_the_owners_and_not_listed_among_events() -> None:
    event = challenged()
    for user in (aya(), ben(), sota()):
        assert event in tournaments_visible_to(user)
        assert event not in tournaments_listed(user)
        assert event in tournaments_listed(user, ["challenge"])
    assert event not in tournaments_visible_to(chie())
    assert list(challenges_visible_to(ben())) == [event]
    assert list(challenges_visible_to(chie())) == []


def test_the_wrong_number_of_versions_says_the_right_one() -> None:
    error = refusal(pair()[:1])
    assert (error.code, "2 sides" in error.message) == ("sides_mismatch", True)


def test_versions_must_be_ready_seen_and_of_the_game() -> None:
    own, theirs = pair()
    assert refusal([own, own]).code == "duplicate_version"
    assert refusal([own, a_version(a_bot(ben(), visibility="private"))]).code == "not_owner"
    assert refusal([own, a_version(a_bot(ben(), game="kakkuri"))]).code == "wrong_game"
    assert refusal([own, a_suspended_version(a_bot(ben()))]).code == "version_suspended"
    version_retire(theirs, ben())
    assert refusal([own, theirs]).code == "not_ready"


@pytest.mark.parametrize(
    ("fields", "field"),
    [({"boards": 0}, "boards"), ({"boards": 201}, "boards"), ({"preset": "bridge"}, "preset")],
)
def test_a_wrong_field_is_named(fields: dict[str, Any], field: str) -> None:
    assert refusal(**fields).extra["field"] == field


def test_a_day_has_its_quota(settings: Any) -> None:
    settings.CHALLENGES_PER_DAY = 2
    versions = pair()
    first = challenged(versions)
    challenged(versions)
    error = refusal(versions)
    assert (error.code, error.extra["limit"]) == ("challenge_quota_exceeded", 2)
    available_at = datetime.datetime.fromisoformat(error.extra["available_at"])
    assert available_at == first.created_at + datetime.timedelta(days=1)
    yesterday = timezone.now() - datetime.timedelta(days=1, minutes=1)
    Tournament.objects.filter(pk=first.pk).update(created_at=yesterday)
    challenged(versions)


def test_what_the_system_ended_is_given_back_and_what_its_maker_ended_is_not() -> None:
    state = Tournament.State
    ours, own = challenged(), challenged()
    tournament_move(ours, state.RUNNING, state.CANCELLED, verb="cancel", actor=None)
    tournament_move(own, state.RUNNING, state.CANCELLED, verb="cancel", actor=aya())
    assert list(challenges_against_quota(aya())) == [own]


def test_a_fixture_lost_by_our_faults_is_given_back() -> None:
    event = challenged()
    tournament_advance(event)
    assert list(challenges_against_quota(aya())) == [event]
    Table.objects.update(state=Table.State.QUARANTINED, state_at=timezone.now(), cause=Cause.WORKER_LOST)
    tournament_advance(event)
    assert set(Fixture.objects.values_list("state", flat=True)) == {"void"}
    event.refresh_from_db()
    assert event.state == Tournament.State.FINAL
    assert not challenges_against_quota(aya()).exists()


def test_staff_have_no_quota_and_others_have_their_own(settings: Any) -> None:
    settings.CHALLENGES_PER_DAY = 0
    challenge_create(sota(), pair(), preset="kakeya4", boards=2)
    assert refusal().code == "challenge_quota_exceeded"


def test_the_owners_of_the_other_bots_get_no_notice_of_its_end() -> None:
    event = challenged()
    state = Tournament.State
    tournament_move(event, state.RUNNING, state.PROVISIONAL, verb="finish", actor=None)
    tournament_move(event, state.PROVISIONAL, state.FINAL, verb="finalise", actor=None)
    assert Notice.objects.filter(user=aya(), kind="tournament").count() == 1
    assert not Notice.objects.filter(user=ben(), kind="tournament").exists()


def test_anybody_may_challenge_without_being_an_organiser() -> None:
    assert not aya().is_organiser
    assert challenged().organiser == aya()
    assert not Tournament.objects.filter(organiser=odo()).exists()
