"""Events for invited players."""

from __future__ import annotations

import pytest

from arena.accounts.models import AuditEvent, Notice
from arena.common.errors import ArenaError
from arena.competition.entries.invitations import invitations_of, player_named
from arena.competition.selectors import tournaments_visible_to
from arena.competition.services import (
    entry_confirm,
    invitation_add,
    invitation_remove,
    tournament_open,
)
from arena.roster.services import player_of
from tests.factories import (
    a_locked_tournament,
    a_pending_entry,
    a_tournament,
    an_entry,
    an_invitation,
    an_open_tournament,
    aya,
    ben,
    chie,
    odo,
)
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def invitations_told(user: object) -> int:
    return Notice.objects.filter(user=user, kind="invited").count()


def test_who_is_not_invited_cannot_enter_and_learns_whom_to_ask() -> None:
    tournament = an_open_tournament(entry_policy="invited")
    refused = refusal(ArenaError, an_entry, tournament, aya())
    assert refused.code == "not_invited"
    assert "odo" in refused.message
    an_invitation(tournament, aya())
    an_entry(tournament, aya())


def test_the_organiser_needs_no_invitation() -> None:
    an_entry(an_open_tournament(entry_policy="invited"), odo())


def test_both_owners_of_a_pair_must_be_invited() -> None:
    tournament = an_open_tournament(entry_policy="invited")
    an_invitation(tournament, aya())
    assert refusal(ArenaError, a_pending_entry, tournament, aya(), ben()).code == "not_invited"
    an_invitation(tournament, ben())
    entry_confirm(a_pending_entry(tournament, aya(), ben()), ben())


def test_an_invited_player_sees_a_private_event_once_it_is_open() -> None:
    tournament = a_tournament(visibility="private", entry_policy="invited")
    an_invitation(tournament, aya())
    assert not tournaments_visible_to(aya()).exists()
    assert invitations_told(aya()) == 0
    tournament_open(tournament, odo())
    assert list(tournaments_visible_to(aya())) == [tournament]
    assert invitations_told(aya()) == 1
    assert not tournaments_visible_to(chie()).exists()


def test_inviting_twice_is_harmless() -> None:
    tournament = an_open_tournament()
    assert an_invitation(tournament, aya()) == an_invitation(tournament, aya())
    assert invitations_told(aya()) == 1
    assert AuditEvent.objects.filter(action="invite").count() == 1


def test_an_invitation_is_taken_back_until_it_is_used() -> None:
    tournament = an_open_tournament(entry_policy="invited")
    an_invitation(tournament, aya())
    invitation_remove(tournament, player_of(aya()), odo())
    invitation_remove(tournament, player_of(aya()), odo())
    assert not invitations_of(tournament, odo()).exists()
    an_invitation(tournament, aya())
    an_entry(tournament, aya())
    refused = refusal(ArenaError, invitation_remove, tournament, player_of(aya()), odo())
    assert refused.code == "already_entered"


def test_only_the_organiser_invites_and_reads_the_list() -> None:
    tournament = an_open_tournament()
    player = player_of(chie())
    for call in (invitation_add, invitation_remove):
        assert refusal(ArenaError, call, tournament, player, chie()).code == "not_organiser"
    refusal(ArenaError, invitations_of, tournament, chie())


def test_nobody_is_invited_to_a_locked_field() -> None:
    refused = refusal(ArenaError, an_invitation, a_locked_tournament(2), chie())
    assert (refused.code, refused.extra["state"]) == ("wrong_state", "locked")


def test_players_are_found_by_handle_whatever_its_case() -> None:
    player = player_of(aya())
    assert player_named(" AYA ") == player
    assert refusal(ArenaError, player_named, "nobody").code == "player_not_found"
