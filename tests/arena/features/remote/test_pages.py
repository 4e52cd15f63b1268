"""Pages of remote bots: who is connected, ladders, bots, and tables before and after the end."""

from __future__ import annotations

import datetime
import hashlib
import json

import pytest
from django.test import Client
from django.utils import timezone

from arena.accounts.models import User
from arena.features.remote.models import RemoteInvitation, RemoteSeat, RemoteTable
from tests.arena.features.remote.rows import a_bot, a_table, a_version, connected, finished, scored
from tests.arena.features.remote.runner.play import a_remote_table, seat_of, serve
from tests.arena.web.japanese import faults_of
from tests.factories import aya, ben

pytestmark = pytest.mark.django_db


def page_of(address: str, user: User | None = None, **headers: str) -> str:
    client = Client(headers=headers)
    if user is not None:
        client.force_login(user)
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def test_only_bots_that_may_play_and_whose_client_is_alive_are_online() -> None:
    names = ["Here", "Silent", "Gone", "Paused", "Retired"]
    versions = [connected(a_version(a_bot(aya(), name))) for name in names]
    now = timezone.now()
    connected(versions[1], alive_at=now - datetime.timedelta(seconds=26))
    connected(versions[2], disconnected_at=now)
    for version, column in ((versions[3], "paused_at"), (versions[4], "retired_at")):
        setattr(version.bot, column, now)
        version.bot.save()
    page = page_of("/remote")
    assert [name for name in names if name in page] == ["Here"]


def test_the_search_finds_bots_by_name_and_bots_and_tables_by_id(client: Client) -> None:
    bot = a_bot(aya(), "Momiji")
    table = a_table([a_version(bot)])
    assert f'href="/remote/bots/{bot.public_id}"' in page_of("/search?q=momiji")
    for public_id, address in (
        (bot.public_id, f"/remote/bots/{bot.public_id}"),
        (table.public_id, f"/remote/tables/{table.public_id}"),
    ):
        for query in (public_id, f"https://rensho.example{address}"):
            assert client.get("/search", {"q": query}).headers["Location"] == address


def test_the_page_polls_only_its_part() -> None:
    client = Client(headers={"HX-Request": "true"})
    part = client.get("/remote").content.decode()
    assert "<html" not in part
    version = part.partition('name="have" value="')[2].partition('"')[0]
    assert client.get(f"/remote?have={version}").status_code == 204


def test_a_table_before_the_end_shows_no_cards_and_no_secret() -> None:
    version = connected(a_version(a_bot(aya(), "Kaede")))
    table = a_table([version])
    hand = {"hand": ["KH", "7S"], "log": "psst"}
    RemoteSeat.objects.filter(table=table).update(
        hello=hand, events=[hand], request=hand, request_id="4", log="psst"
    )
    for user in (None, ben(), aya()):
        page = page_of(f"/remote/tables/{table.public_id}", user)
        assert table.commitment in page
        for text in ("KH", "7S", "psst", bytes(table.secret).hex()):
            assert text not in page
    assert Client().get(f"/remote/tables/{table.public_id}?part=deal").status_code == 400


@pytest.mark.parametrize(
    ("columns", "minutes"),
    [
        ({"left_ms": 180_000}, "3:00"),
        ({"bank_ms": 65_000}, "1:05"),
        ({"left_ms": 180_000, "disconnect_left_ms": 60_000, "disconnected_at": "now"}, "1:00"),
    ],
)
def test_the_clock_of_a_seat(columns: dict[str, object], minutes: str) -> None:
    table = a_table([a_version(a_bot(aya()))])
    if columns.get("disconnected_at"):
        columns = {**columns, "disconnected_at": timezone.now() + datetime.timedelta(milliseconds=900)}
    RemoteSeat.objects.filter(table=table).update(request_id="4", **columns)
    assert minutes in page_of(f"/remote/tables/{table.public_id}")


def test_after_the_end_everyone_sees_the_score_and_only_the_owner_the_log() -> None:
    table = a_table([a_version(a_bot(aya(), "Kaede"))])
    RemoteSeat.objects.filter(table=table).update(
        log="thought about hearts", answers=[["1", "ab" * 8, 40], ["2", "", 5100], ["3", "cd" * 8, 60]]
    )
    finished(table, 1.5)
    address = f"/remote/tables/{table.public_id}"
    for user in (None, ben()):
        page = page_of(address, user)
        assert "+1.5" in page
        assert bytes(table.secret).hex() in page
        assert "hearts" not in page
        assert "5.1" not in page
    page = page_of(address, aya())
    assert "thought about hearts" in page
    assert "5.1\N{NO-BREAK SPACE}s" in page
    assert "60\N{NO-BREAK SPACE}ms" in page


def test_a_played_table_has_a_replay_and_a_proof_of_its_deal() -> None:
    table = a_remote_table(versions=(3,))
    serve(table)
    address = f"/remote/tables/{table.public_id}"
    page = page_of(f"{address}?at=b1t3p2")
    version = seat_of(table).version
    assert f"{version.bot.name} v1" in page
    assert f'href="/remote/bots/{version.bot.public_id}"' in page
    checked = json.loads(page.partition('<script id="deals" type="application/json">')[2].partition("<")[0])
    assert hashlib.sha256(bytes.fromhex(checked["secret"])).hexdigest() == table.commitment
    (board,) = checked["view"]["boards"]
    assert [board["board"]] == [each["number"] for each in checked["boards"]]
    deal = page_of(f"{address}?part=deal&at=b1")
    assert "<html" not in deal
    assert "replay" in deal
    assert Client().get(f"{address}?at=b9").status_code == 400
    assert Client().get(f"{address}?seat=5").status_code == 400


def test_a_void_table_reveals_nothing() -> None:
    table = a_table([a_version(a_bot(aya()))], state=RemoteTable.State.FAILED, failure_reason="disk full")
    page = page_of(f"/remote/tables/{table.public_id}")
    assert "disk full" in page
    assert bytes(table.secret).hex() not in page


def test_names_from_outside_are_escaped() -> None:
    bot = a_bot(aya(), "<b>x</b>")
    version = connected(a_version(bot, label="<i>"), ladder="kakeya4")
    scored(version, [0.5] * 20)
    for address in ("/remote", f"/remote/bots/{bot.public_id}", "/remote/ladders/kakeya4"):
        page = page_of(address)
        assert "<b>x" not in page
        assert "<i>" not in page


@pytest.mark.parametrize(
    "address", ["/remote/bots/nosuchthing1", "/remote/tables/nosuchthing1", "/remote/ladders/whist"]
)
def test_an_unknown_object_is_not_found(address: str) -> None:
    assert Client().get(address).status_code == 404


def test_the_pages_are_japanese() -> None:
    bot = a_bot(aya(), "Kaede")
    version = connected(a_version(bot), ladder="kakeya4")
    scored(version, [0.5, -0.5] * 10)
    scored(connected(a_version(a_bot(ben(), "Momiji"))), [1.0])
    live, over = a_table([version]), finished(a_table([version]), -2.0, is_forfeit=True)
    void = a_table([version], state=RemoteTable.State.FAILED)
    RemoteSeat.objects.filter(table=over).update(answers=[["1", "", 40]], disconnects=2, log="x")
    tables = [f"/remote/tables/{row.public_id}" for row in (live, over, void)]
    ume = a_version(a_bot(ben(), "Ume"))
    for inviting, invited in ((ume, version), (version, ume)):
        RemoteInvitation.objects.create(inviting=inviting, invited=invited, preset="kakeya4")
    bots = [f"/remote/bots/{each.public_id}" for each in (bot, ume.bot)]
    for address in ["/remote", "/remote/ladders/kakeya4", *bots, *tables]:
        page = page_of(address, aya(), **{"accept-language": "ja"})
        assert faults_of(page) == [], address
