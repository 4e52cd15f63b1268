"""Invitations to unrated tables: both owners agree, and both versions are connected."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from arena.accounts.models import Notice, User
from arena.common.errors import ArenaError
from arena.features.remote import invitations
from arena.features.remote.invitations import (
    EXPIRY_S,
    invitation_accept,
    invitation_create,
    invitation_decline,
    invitation_get,
    invitations_advance,
)
from arena.features.remote.models import RemoteBot, RemoteInvitation, RemoteTable, RemoteVersion
from tests.arena.features.play.tables import house
from tests.arena.features.remote.rows import a_bot, a_table, a_version, connected
from tests.factories import aya, ben, chie

pytestmark = pytest.mark.django_db
State = RemoteInvitation.State


@pytest.fixture
def mine() -> RemoteVersion:
    return connected(a_version(a_bot(aya(), "Kaede")))


@pytest.fixture
def other() -> RemoteVersion:
    return connected(a_version(a_bot(ben(), "Momiji")))


def invite(inviting: RemoteVersion, invited: RemoteVersion, preset: str = "kakeya4") -> RemoteInvitation:
    return invitation_create(aya(), inviting, invited, preset)


def refused(call: object, *args: object) -> str:
    assert callable(call)
    with pytest.raises(ArenaError) as caught:
        call(*args)
    return caught.value.code


def test_both_owners_agree_to_one_unrated_table_of_opponents(
    mine: RemoteVersion, other: RemoteVersion
) -> None:
    house()
    invitation = invite(mine, other)
    assert invite(mine, other).pk == invitation.pk
    assert [notice.user for notice in Notice.objects.filter(note__code="remote_invited")] == [ben()]
    assert refused(invitation_accept, aya(), invitation) == "not_owner"
    table = invitation_accept(ben(), invitation_get(ben(), invitation.public_id))
    assert invitation_accept(ben(), invitation_get(ben(), invitation.public_id)).pk == table.pk
    assert RemoteTable.objects.count() == 1
    assert (table.is_rated, table.rated_version) == (False, None)
    seats = {seat.version_id: seat.seat for seat in table.remote_seats.all()}
    assert {seats[mine.pk] % 2, seats[other.pk] % 2} == {0, 1}, "partners sit opposite"
    assert refused(invitation_decline, ben(), invitation_get(ben(), invitation.public_id)) == (
        "invitation_closed"
    )


@pytest.mark.parametrize("who", [aya, ben])
def test_an_invitation_is_declined_or_withdrawn_once(
    mine: RemoteVersion, other: RemoteVersion, who: object
) -> None:
    assert callable(who)
    invitation = invite(mine, other)
    for _ in range(2):
        invitation_decline(who(), invitation_get(who(), invitation.public_id))
    invitation.refresh_from_db()
    assert invitation.state == (State.DECLINED if who is ben else State.EXPIRED)
    assert refused(invitation_accept, ben(), invitation) == "invitation_closed"
    assert RemoteTable.objects.count() == 0


def test_who_may_be_invited_to_what(mine: RemoteVersion, other: RemoteVersion) -> None:
    own = a_version(a_bot(aya(), "Sumire"))
    kakkuri = a_version(a_bot(ben(), "Ume", game="kakkuri"))
    assert refused(invite, mine, own) == "own_remote_bot"
    assert refused(invite, mine, kakkuri) == "unknown_preset"
    assert refused(invite, mine, other, "whist") == "unknown_preset"
    assert refused(invitation_create, chie(), mine, other, "kakeya4") == "not_owner"
    RemoteBot.objects.filter(pk=other.bot_id).update(paused_at=timezone.now())
    other.bot.refresh_from_db()
    assert refused(invite, mine, other) == "remote_bot_paused"
    assert refused(invitation_get, chie(), "nosuchthing1") == "invitation_not_found"


def test_the_number_of_open_invitations_is_limited(
    mine: RemoteVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invitations, "MAX_OPEN", 2)
    for _ in range(2):
        invite(mine, a_version(a_bot(ben())))
    assert refused(invite, mine, a_version(a_bot(ben()))) == "too_many_invitations"


def test_both_must_be_connected_and_have_a_free_place(mine: RemoteVersion, other: RemoteVersion) -> None:
    house()
    invitation = invite(mine, other)
    connected(mine, disconnected_at=timezone.now())
    fresh = invitation_get(ben(), invitation.public_id)
    assert refused(invitation_accept, ben(), fresh) == "remote_version_offline"
    connected(mine, max_tables=1)
    a_table([mine])
    fresh = invitation_get(ben(), invitation.public_id)
    assert refused(invitation_accept, ben(), fresh) == "remote_version_busy"
    fresh.refresh_from_db()
    assert fresh.state == State.OPEN


def test_a_version_that_accepts_bots_accepts_at_once_or_when_it_connects(
    mine: RemoteVersion, other: RemoteVersion
) -> None:
    house()
    connected(other, accepts=["bots"])
    invitation = invite(mine, other)
    assert invitation.state == State.ACCEPTED
    away = a_version(a_bot(chie(), "Sumire"), accepts=["bots"])
    waiting = invite(mine, away)
    for accepts, state in ((["people"], State.OPEN), (["bots"], State.ACCEPTED)):
        connected(away, accepts=accepts)
        invitations_advance()
        waiting.refresh_from_db()
        assert waiting.state == state


def test_without_house_bots_an_invitation_stays_open(mine: RemoteVersion, other: RemoteVersion) -> None:
    connected(other, accepts=["bots"])
    invitation = invite(mine, other)
    assert (invitation.state, invitation.table) == (State.OPEN, None)
    assert refused(invitation_accept, ben(), invitation) == "house_bot_unavailable"
    invitations_advance()
    assert RemoteInvitation.objects.get().state == State.OPEN
    house()
    invitations_advance()
    assert RemoteInvitation.objects.get().state == State.ACCEPTED


def test_tables_that_wait_for_a_service_delay_further_ones(
    mine: RemoteVersion, other: RemoteVersion, settings: Any
) -> None:
    house()
    settings.PLAY = settings.PLAY._replace(tables=1)
    connected(mine)
    connected(other)
    public_id = invite(mine, other).public_id
    waiting = a_table([a_version(a_bot(chie()))], state=RemoteTable.State.STARTING)
    assert refused(invitation_accept, ben(), invitation_get(ben(), public_id)) == "play_capacity_exceeded"
    RemoteTable.objects.filter(pk=waiting.pk).update(claimed_by="play-1")
    table = invitation_accept(ben(), invitation_get(ben(), public_id))
    assert table.state == RemoteTable.State.STARTING


def test_an_invitation_expires(mine: RemoteVersion, other: RemoteVersion) -> None:
    invitation = invite(mine, other)
    old = timezone.now() - datetime.timedelta(seconds=EXPIRY_S + 1)
    RemoteInvitation.objects.filter(pk=invitation.pk).update(created_at=old)
    assert refused(invitation_accept, ben(), invitation_get(ben(), invitation.public_id)) == (
        "invitation_closed"
    )
    invitations_advance()
    invitation.refresh_from_db()
    assert invitation.state == State.EXPIRED


def client_of(user: User, language: str = "en") -> Client:
    client = Client(headers={"accept-language": language})
    client.force_login(user)
    return client


def test_the_forms_of_a_page(mine: RemoteVersion, other: RemoteVersion) -> None:
    house()
    page = f"/remote/bots/{other.bot.public_id}"
    assert "/invite" in client_of(aya()).get(page).content.decode()
    for user in (ben(), chie()):
        assert "/invite" not in client_of(user).get(page).content.decode()
    form = {"version": mine.public_id, "preset": "kakeya4", "clock": "slow"}
    assert client_of(aya()).post(f"{page}/invite", form).status_code == 302
    invitation = RemoteInvitation.objects.get()
    assert invitation.is_slow
    accept = f"/remote/invitations/{invitation.public_id}/accept"
    assert accept in client_of(ben()).get(page).content.decode()
    assert accept not in client_of(aya()).get(page).content.decode()
    assert client_of(chie()).post(accept).status_code == 404
    done = client_of(ben()).post(accept, follow=True)
    assert done.redirect_chain[-1][0] == f"/remote/tables/{RemoteTable.objects.get().public_id}"
