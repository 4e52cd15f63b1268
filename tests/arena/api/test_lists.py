"""Pages, filters, tokens, and that no list asks the database more often when it is longer."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from arena.matches.workers import worker_heartbeat
from tests.arena.api.conftest import World, caller
from tests.factories import (
    a_bot,
    a_version,
    an_upload,
    aya,
    ben,
    chie,
    odo,
    rin,
    sota,
)

pytestmark = pytest.mark.django_db


def rows(response: Any) -> list[dict[str, Any]]:
    assert response.status_code == 200, response.content
    body = response.json()
    assert set(body) == {"next", "previous", "results"}
    return list(body["results"])


def test_pages_follow_each_other_while_rows_are_added() -> None:
    names = [f"bot {n}" for n in range(5)]
    for name in names:
        a_bot(aya(), name)
    client = caller()
    first = client.get("/api/v1/bots", {"page_size": 2}).json()
    a_bot(aya(), "a newer one")
    second = client.get(first["next"]).json()
    third = client.get(second["next"]).json()
    seen = [row["name"] for page in (first, second, third) for row in page["results"]]
    assert seen == list(reversed(names))
    assert third["next"] is None
    assert client.get(second["previous"]).json()["results"] == first["results"]


def test_bots_are_filtered_by_owner() -> None:
    a_bot(aya(), "kita")
    a_bot(ben(), "minami")
    assert [b["name"] for b in rows(caller().get("/api/v1/bots", {"owner": "ben"}))] == ["minami"]
    assert rows(caller().get("/api/v1/bots", {"game": "kakkuri"})) == []


def test_versions_show_their_inside_to_the_owner() -> None:
    bot = a_bot(aya())
    ready = a_version(bot, notes="plan A", entry_point="main.py")
    an_upload(bot)
    path = f"/api/v1/bots/{bot.public_id}/versions"
    assert [version["number"] for version in rows(caller(aya()).get(path))] == [2, 1]
    (version,) = rows(caller(chie()).get(path))
    assert version["id"] == ready.public_id
    assert (version["notes"], version["entry_point"], version["reasons"]) == (None, None, None)
    (own,) = rows(caller(aya()).get(path, {"state": "ready"}))
    assert (own["notes"], own["entry_point"], own["reasons"]) == ("plan A", "main.py", [])


def test_the_audit_trail_shows_to_each_what_concerns_them(world: World) -> None:
    def seen(user: Any, **query: str) -> set[tuple[str, str]]:
        events = rows(caller(user).get("/api/v1/audit", {"page_size": 200, **query}))
        return {(event["actor"], event["action"]) for event in events}

    assert {actor for actor, _ in seen(aya())} == {"aya"}
    assert ("aya", "enter") in seen(odo())
    assert ("aya", "upload") not in seen(odo())
    assert ("odo", "start") not in seen(rin())
    assert {("aya", "upload"), ("odo", "start")} <= seen(sota())
    assert seen(sota(), action="start") == {("odo", "start")}
    assert seen(sota(), object=world.event.public_id, actor="aya") == set()


def test_games_presets_and_limits_say_what_there_is(settings: Any) -> None:
    settings.BOT_LIMITS = dataclasses.replace(settings.BOT_LIMITS, cores=0.5)
    client = caller()
    games = client.get("/api/v1/games").json()
    assert "kakeya4" in next(game["presets"] for game in games if game["key"] == "kakeya")
    preset = client.get("/api/v1/games/kakeya/presets/kakeya4").json()
    assert (preset["seats"], preset["sides"], preset["tables_per_fixture"]) == (4, [[1, 3], [2, 4]], 2)
    assert preset["title"] == "Kakeya, 4 players"
    assert preset["observation"]["hand"] == "array"
    assert preset["decisions_bound"]["game"] is None
    unknown = client.get("/api/v1/games/kakeya/presets/kakeya5")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_preset")
    for name, python in (("one", "3.11.2"), ("two", "3.11.9")):
        worker_heartbeat(name, "FULL", {"python/1": "0"}, 1, versions={"python/1": {"python": python}})
    limits = client.get("/api/v1/limits").json()
    (runtime,) = limits["runtimes"]
    assert runtime["programs"] == [{"name": "python", "versions": ["3.11.2", "3.11.9"]}]
    assert limits["clock_defaults"]["start_wall_ms"] == 3000
    assert limits["bundle"]["members"] == 200
    assert limits["process"]["cores"] == 0.5
    assert json.dumps(limits["process"]["memory_bytes"]) == str(128 << 20)
    assert limits["throttles"]["uploads"] == "60/hour"
