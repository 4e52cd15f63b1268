"""Remote bots and versions over the API: limits, states, signs of life, and what others may see."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from arena.features.remote import services
from arena.features.remote.models import RemoteBot, RemoteSeat, RemoteVersion
from tests.arena.api.conftest import caller
from tests.arena.api.problems import check, ok
from tests.arena.features.remote.rows import a_bot, a_table, a_version, connected, finished
from tests.factories import aya, ben

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> APIClient:
    return caller(aya(), "bots:connect")


def test_from_a_name_to_a_version(client: APIClient) -> None:
    bot = ok(client.post("/api/v1/remote/bots", {"name": "Kaede", "game": "kakeya"}), 201)
    assert (bot["owner"], bot["game"], bot["paused_at"], bot["retired_at"]) == ("aya", "kakeya", None, None)
    versions = f"/api/v1/remote/bots/{bot['id']}/versions"
    made = [ok(client.post(versions, body), 201) for body in ({"label": "net 12"}, {})]
    assert [(each["number"], each["label"], each["bot"]) for each in made] == [
        (1, "net 12", bot["id"]),
        (2, "", bot["id"]),
    ]
    listed = ok(APIClient().get(versions))["results"]
    assert [each["id"] for each in listed] == [made[1]["id"], made[0]["id"]]
    assert ok(APIClient().get("/api/v1/remote/bots?owner=aya"))["results"] == [bot]
    assert ok(APIClient().get(f"/api/v1/remote/versions/{made[0]['id']}")) == made[0]


def test_names_are_unique_per_owner(client: APIClient) -> None:
    first = ok(client.post("/api/v1/remote/bots", {"name": "Kaede", "game": "kakeya"}), 201)
    same = {"name": "ＫＡＥＤＥ", "game": "kakkuri"}
    body = check(client.post("/api/v1/remote/bots", same), 409, "name_taken")
    assert body["bot"] == first["id"]
    check(client.post("/api/v1/remote/bots", {"name": "b", "game": "chess"}), 400, "unknown_game")
    check(client.post("/api/v1/remote/bots", {"name": "a\u202eb", "game": "kakeya"}), 400, "invalid")


def test_numbers_of_bots_and_versions_are_bounded(client: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "BOTS_PER_ACCOUNT", 1)
    monkeypatch.setattr(services, "VERSIONS_PER_BOT", 1)
    bot = ok(client.post("/api/v1/remote/bots", {"name": "a", "game": "kakeya"}), 201)
    check(client.post("/api/v1/remote/bots", {"name": "b", "game": "kakeya"}), 409, "remote_bot_limit")
    versions = f"/api/v1/remote/bots/{bot['id']}/versions"
    ok(client.post(versions, {}), 201)
    check(client.post(versions, {}), 409, "remote_version_limit")


def test_a_pause_ends_by_its_owner_and_its_reason_is_theirs(client: APIClient) -> None:
    bot = a_bot(aya())
    note = {"code": "remote_disconnects", "disconnects": 3, "tables": 10}
    RemoteBot.objects.update(paused_at=timezone.now(), pause_note=note)
    path = f"/api/v1/remote/bots/{bot.public_id}"
    assert ok(client.get(path))["pause_reason"]["code"] == "remote_disconnects"
    other = ok(caller(ben()).get(path))
    assert other["paused_at"] is not None
    assert other["pause_reason"] is None
    for _ in range(2):
        assert ok(client.post(f"{path}/unpause", {}))["paused_at"] is None
    retired = [ok(client.post(f"{path}/retire", {}))["retired_at"] for _ in range(2)]
    assert retired[0] == retired[1] is not None
    check(client.post(f"{path}/unpause", {}), 409, "remote_bot_retired")
    check(client.post(f"{path}/versions", {}), 409, "remote_bot_retired")


def test_online_versions(client: APIClient) -> None:
    bot = a_bot(aya())
    online = connected(a_version(bot), ladder="kakeya4")
    silent = connected(a_version(bot), alive_at=timezone.now() - datetime.timedelta(seconds=26))
    closed = connected(a_version(bot), disconnected_at=timezone.now())
    never = a_version(bot)
    rows = ok(client.get("/api/v1/remote/versions?online=true"))["results"]
    assert [(row["id"], row["is_online"], row["ladder"]) for row in rows] == [
        (online.public_id, True, "kakeya4")
    ]
    rows = ok(client.get("/api/v1/remote/versions?online=false"))["results"]
    assert [row["id"] for row in rows] == [each.public_id for each in (never, closed, silent)]
    assert not any(row["is_online"] for row in rows)


def test_signs_of_life_belong_to_the_valid_stream(client: APIClient) -> None:
    version = a_version(a_bot(aya()), generation=3)

    def send(generation: Any, sender: APIClient = client, of: str = version.public_id) -> Any:
        return sender.post("/api/v1/remote/alive", {"version": of, "generation": generation})

    assert check(send(2), 409, "stream_replaced")["generation"] == 3
    version.refresh_from_db()
    assert version.alive_at is None
    assert ok(send(3)) == {"generation": 3}
    version.refresh_from_db()
    assert version.alive_at is not None
    check(send(3, caller(ben())), 403, "not_owner")
    check(send(3, of="none"), 404, "remote_version_not_found")
    for wrong in (-1, "x", 1 << 40, None):
        check(send(wrong), 400, "invalid")


def test_a_table_is_its_owners_until_its_end(client: APIClient) -> None:
    table = a_table([connected(a_version(a_bot(aya())))])
    RemoteSeat.objects.update(log="a remark", answer='{"id":"x"}')
    path = f"/api/v1/remote/tables/{table.public_id}"
    check(caller(ben()).get(path), 404, "remote_table_not_found")
    body = ok(client.get(path))
    assert (body["state"], body["secret"], body["score"]) == ("playing", None, None)
    finished(table, 1.5)
    body = ok(APIClient().get(path))
    assert (body["secret"], body["score"]) == (bytes(table.secret).hex(), 1.5)
    assert [seat["stones"] for seat in body["seats"]] == [2, -2, 2, -2]
    assert [seat["verdict"] for seat in body["seats"]] == ["OK", None, None, None]
    assert [each["stones"] for each in body["field"]] == [1, 0]
    assert "a remark" not in str(body)


def test_ladders(client: APIClient) -> None:
    assert ok(client.get("/api/v1/remote/ladders/kakeya4?slow=true"))["lines"] == []
    check(client.get("/api/v1/remote/ladders/none"), 404, "unknown_preset")


def test_a_session_manages_bots_but_opens_no_stream() -> None:
    browser = APIClient()
    browser.force_login(aya())
    bot = ok(browser.post("/api/v1/remote/bots", {"name": "Kaede", "game": "kakeya"}), 201)
    version = ok(browser.post(f"/api/v1/remote/bots/{bot['id']}/versions", {}), 201)
    check(browser.get(f"/api/v1/remote/stream?version={version['id']}"), 403, "scope_missing")
    assert RemoteVersion.objects.get().generation == 0
