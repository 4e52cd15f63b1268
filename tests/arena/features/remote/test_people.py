"""People at tables of remote bots: who may ask, the seat in the browser, its clock, and bad input."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from arena.accounts.models import Notice, User
from arena.common.errors import ArenaError
from arena.features.play.position import seat_position
from arena.features.remote.invitations import (
    PERSON_EXPIRY_S,
    invitation_accept,
    invitation_decline,
    invitation_get,
    invitations_advance,
    person_invite,
)
from arena.features.remote.matching import table_open
from arena.features.remote.models import RemoteInvitation, RemoteSeat, RemoteTable, RemoteVersion
from arena.features.remote.seated import SeatedPerson, person_act, seated_person_get
from arena.roster.services import player_of
from tests.arena.features.play.tables import house
from tests.arena.features.remote.rows import a_bot, a_table, a_version, connected
from tests.arena.features.remote.runner.play import (
    Played,
    bots_answer,
    nothing,
    prompt,
    serve,
    serve_until_asked,
)
from tests.factories import aya, ben, chie

pytestmark = pytest.mark.django_db


@pytest.fixture
def version() -> RemoteVersion:
    """A connected bot of Ben's whose client accepts people."""
    house()
    return connected(a_version(a_bot(ben(), "Momiji")), accepts=["people"])


def refused(call: Callable[..., object], *args: object) -> str:
    with pytest.raises(ArenaError) as caught:
        call(*args)
    return caught.value.code


def opened(version: RemoteVersion, user: User) -> RemoteTable:
    table = person_invite(user, version, "kakeya4").table
    assert table is not None
    return table


def held(table: RemoteTable) -> RemoteSeat:
    return RemoteSeat.objects.select_related("table").get(table=table, person__isnull=False)


def browser(session: Played) -> None:
    """A person who plays the first legal card at once."""
    for seat in session.pending:
        if seat.person_id is not None:
            seated = SeatedPerson(held(session._table))
            position = seat_position(seated)
            person_act(seated, position.n, position.legal[0])


def test_a_client_that_accepts_people_gets_the_table_at_once(version: RemoteVersion) -> None:
    table = opened(version, aya())
    assert (table.is_rated, table.rated_version_id) == (False, None)
    seats = {seat.person_id is None: seat.seat for seat in table.remote_seats.all()}
    assert {seat % 2 for seat in seats.values()} == {0, 1}, "partners sit opposite"
    assert sorted(seat["label"] for seat in table.seats) == [
        "Momiji v1", player_of(aya()).handle, "house rules", "house rules",
    ]  # fmt: skip
    assert not Notice.objects.filter(note__code__startswith="remote_").exists()
    assert refused(person_invite, aya(), version, "kakeya4") == "remote_person_busy"


def test_otherwise_the_owner_accepts_or_declines(version: RemoteVersion) -> None:
    connected(version, accepts=["bots"])
    invitation = person_invite(aya(), version, "kakeya4")
    assert (invitation.state, invitation.table) == ("open", None)
    assert person_invite(aya(), version, "kakeya4").pk == invitation.pk
    invitations_advance()
    invitation.refresh_from_db()
    assert invitation.state == "open", "a client of bots does not accept people"
    received = invitation_get(ben(), invitation.public_id)
    assert refused(invitation_get, chie(), invitation.public_id) == "invitation_not_found"
    assert refused(invitation_accept, aya(), received) == "not_owner"
    table = invitation_accept(ben(), received)
    assert held(table).person == player_of(aya())
    told = {notice.user: notice.note["code"] for notice in Notice.objects.all()}
    assert told == {ben(): "remote_invited_by_person", aya(): "remote_table_open"}
    again = RemoteInvitation.objects.create(person=player_of(chie()), invited=version, preset="kakeya4")
    assert invitation_decline(ben(), invitation_get(ben(), again.public_id)).state == "declined"
    withdrawn = RemoteInvitation.objects.create(person=player_of(chie()), invited=version, preset="kakeya4")
    assert invitation_decline(chie(), invitation_get(chie(), withdrawn.public_id)).state == "expired"


def test_ones_own_bot_needs_no_answer(version: RemoteVersion) -> None:
    connected(version, accepts=[])
    assert held(opened(version, ben())).person == player_of(ben())


def test_the_invitation_of_a_person_expires_soon(version: RemoteVersion) -> None:
    connected(version, accepts=[])
    invitation = person_invite(aya(), version, "kakeya4")
    old = timezone.now() - datetime.timedelta(seconds=PERSON_EXPIRY_S + 1)
    RemoteInvitation.objects.update(created_at=old)
    invitation.refresh_from_db()
    assert refused(invitation_accept, ben(), invitation) == "invitation_closed"
    invitations_advance()
    invitation.refresh_from_db()
    assert invitation.state == "expired"


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({"disconnected_at": timezone.now()}, "remote_version_offline"),
        ({"bot__paused_at": timezone.now()}, "remote_bot_paused"),
        ({"bot__retired_at": timezone.now()}, "remote_bot_retired"),
        ({"max_tables": 1}, "remote_version_busy"),
    ],
)
def test_a_bot_that_cannot_play(version: RemoteVersion, columns: dict[str, Any], code: str) -> None:
    a_table([version])
    for name, value in columns.items():
        if name.startswith("bot__"):
            setattr(version.bot, name.removeprefix("bot__"), value)
            version.bot.save()
        else:
            connected(version, **{name: value, "accepts": ["people"]})
    assert refused(person_invite, aya(), version, "kakeya4") == code
    assert not RemoteInvitation.objects.exists()


def test_bad_requests_for_a_table(version: RemoteVersion, settings: Any) -> None:
    assert refused(person_invite, aya(), version, "kakkuri") == "unknown_preset"
    player = player_of(aya())
    assert refused(
        lambda: table_open({1: version}, "kakeya4", is_rated=True, is_slow=False, persons={2: player})
    ) == ("wrong_choice")
    assert refused(
        lambda: table_open({1: version}, "kakeya4", is_rated=False, is_slow=False, persons={1: player})
    ) == ("wrong_seats")
    RemoteTable.objects.create(**_used(version, settings.PLAY.cpu_s * 1000))
    RemoteSeat.objects.create(table=RemoteTable.objects.get(), person=player, seat=2, is_active=False)
    assert refused(person_invite, aya(), version, "kakeya4") == "play_quota_exceeded"


def _used(version: RemoteVersion, cpu_ms: int) -> dict[str, Any]:
    table = a_table([version], is_rated=False, state=RemoteTable.State.FINISHED, cpu_ms=cpu_ms)
    values = {
        field.attname: getattr(table, field.attname) for field in table._meta.fields if field.name != "id"
    }
    table.delete()
    return values


def test_a_person_and_a_bot_play_a_deal_to_its_end(version: RemoteVersion) -> None:
    table = opened(version, aya())
    session = serve(table, lambda played: (browser(played), prompt(played)))
    assert session.waits
    assert table.state == RemoteTable.State.FINISHED
    assert (table.score, table.field) == (None, None)
    seats = list(table.remote_seats.all())
    assert [seat.verdict for seat in seats] == ["OK", "OK"]
    for seat in seats:
        own = [action for number, action in table.actions if number == seat.seat]
        assert len(seat.answers) == len(own)


def test_a_site_that_is_down_stops_the_clock_of_a_person(version: RemoteVersion) -> None:
    table = opened(version, aya())

    def client(played: Played) -> None:
        own = next((seat for seat in played.pending if seat.person_id is not None), None)
        bots_answer(played)
        if own is None:
            return
        asked_s = (played.at - own.asked_at).total_seconds()
        played.web_at = own.asked_at if asked_s < 40 else None
        if asked_s > 41:
            browser_at(played)

    serve(table, client)
    seat = held(table)
    assert seat.verdict == "OK"
    assert all(charged_ms < 10_000 for _, _, charged_ms in seat.answers)


def browser_at(played: Played) -> None:
    browser(played)
    RemoteSeat.objects.filter(person__isnull=False).exclude(answer="").update(answered_at=played.at)


def waiting_table(version: RemoteVersion, user: User) -> RemoteTable:
    """A table whose person is asked."""
    return serve_until_asked(opened(version, user))


def test_an_action_counts_once_and_only_at_its_position(version: RemoteVersion) -> None:
    table = waiting_table(version, aya())
    seated = seated_person_get(aya(), table.public_id)
    position = seat_position(seated)
    assert position.is_mine
    card = position.legal[0]
    assert refused(person_act, seated, position.n, "XX") == "illegal_action"
    assert refused(person_act, seated, position.n + 1, card) == "not_your_turn"
    stale = seated_person_get(aya(), table.public_id)
    person_act(seated, position.n, card)
    person_act(seated_person_get(aya(), table.public_id), position.n, card)
    person_act(stale, position.n, card)
    if len(position.legal) > 1:
        other = seated_person_get(aya(), table.public_id)
        assert refused(person_act, other, position.n, position.legal[1]) == "not_your_turn"
    assert json.loads(held(table).answer)["action"] == card
    assert refused(seated_person_get, chie(), table.public_id) == "remote_table_not_found"
    RemoteTable.objects.update(state=RemoteTable.State.FINISHED)
    assert (
        refused(person_act, seated_person_get(aya(), table.public_id), position.n + 4, card) == "table_over"
    )


def test_the_page_shows_the_own_hand_alone(version: RemoteVersion) -> None:
    table = waiting_table(version, aya())
    seated = seated_person_get(aya(), table.public_id)
    hand = set(seat_position(seated).observation["hand"])
    assert hand
    client = Client()
    address = f"/remote/tables/{table.public_id}"
    client.force_login(aya())
    response = client.get(address)
    assert "no-store" in response.headers["Cache-Control"]
    page = response.content.decode()
    assert f'action="{address}/act"' in page
    part = client.get(f"{address}?part=table").content.decode()
    assert "data-mine" in part
    for viewer in (ben(), chie(), None):
        other = Client()
        if viewer is not None:
            other.force_login(viewer)
        seen = other.get(address).content.decode()
        assert "data-play-table" not in seen
        assert other.get(f"{address}/events").status_code == 404
        assert other.post(f"{address}/act", {"n": "0", "action": "KH"}).status_code in (403, 404)
    assert held(table).answer == ""


def test_the_form_plays_and_says_what_is_wrong(version: RemoteVersion) -> None:
    table = waiting_table(version, aya())
    position = seat_position(seated_person_get(aya(), table.public_id))
    client = Client()
    client.force_login(aya())
    address = f"/remote/tables/{table.public_id}/act"
    for n, action, status in (
        (position.n, "XX", 400),
        (position.n + 1, position.legal[0], 409),
        ("x", "KH", 400),
    ):
        answer = client.post(address, {"n": n, "action": action, "part": "1"})
        assert answer.status_code == status
    assert (
        client.post(address, {"n": position.n, "action": position.legal[0], "part": "1"}).status_code == 204
    )
    assert (
        client.post(address, {"n": position.n, "action": position.legal[0], "part": "1"}).status_code == 204
    )
    assert client.get(address).status_code == 405


def test_the_bot_page_opens_the_table(version: RemoteVersion) -> None:
    client = Client()
    address = f"/remote/bots/{version.bot.public_id}"
    assert f"{address}/play" not in client.get(address).content.decode()
    client.force_login(aya())
    assert f"{address}/play" in client.get(address).content.decode()
    assert client.post(f"{address}/play", {"preset": "nope"}).status_code == 400
    response = client.post(f"{address}/play", {"preset": "kakeya4"})
    table = RemoteTable.objects.get()
    assert response.headers["Location"] == table.page
    assert table.page in client.get("/remote").content.decode()
    # The second time, the page says why not.
    assert client.post(f"{address}/play", {"preset": "kakeya4"}).headers["Location"] == address
    assert RemoteTable.objects.count() == 1


def test_a_person_who_stays_away_is_out_of_time_on_the_slow_clock(version: RemoteVersion) -> None:
    table = opened(version, aya())
    serve(table, nothing)
    seat = held(table)
    assert (seat.verdict, seat.disconnects) == ("OUT_OF_TIME", 0)
    assert [each[1:] for each in seat.answers] == [["", 1_260_300], ["", 60_300], ["", 60_300], ["", 60_300]]
