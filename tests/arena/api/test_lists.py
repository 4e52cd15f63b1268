"""Pages, filters, tokens, and that no list asks the database more often when it is longer."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.accounts.models import audit
from arena.jobs.flow import tournament_cancel
from tests.arena.api.conftest import World, caller
from tests.arena.play import play_out
from tests.factories import (
    a_bot,
    a_tournament,
    a_version,
    an_entry,
    an_open_tournament,
    an_upload,
    aya,
    ben,
    chie,
    odo,
    rin,
    sota,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(shared_world: World) -> World:
    """The same for all tests here."""
    return shared_world


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


def test_tournaments_are_filtered_by_state_preset_and_organiser() -> None:
    opened = an_open_tournament(odo())
    draft = a_tournament(odo(), preset="kakeya4.league", name="league")
    other = an_open_tournament(rin())
    gone = an_open_tournament(rin())
    tournament_cancel(gone, rin(), "rain")
    client = caller(odo())

    def found(**query: Any) -> set[str]:
        return {tournament["id"] for tournament in rows(client.get("/api/v1/tournaments", query))}

    assert found() == {t.public_id for t in (opened, draft, other, gone)}
    assert found(state="draft") == {draft.public_id}
    assert found(state=["draft", "cancelled"]) == {draft.public_id, gone.public_id}
    assert found(preset="kakeya4.league") == {draft.public_id}
    assert found(organiser="rin", state="registration") == {other.public_id}
    assert {tournament["id"] for tournament in rows(caller().get("/api/v1/tournaments"))} == {
        t.public_id for t in (opened, other, gone)
    }


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


def test_rounds_and_fixtures_come_in_playing_order(world: World) -> None:
    path = f"/api/v1/tournaments/{world.event.public_id}"
    rounds = rows(caller().get(f"{path}/rounds"))
    assert [(round_["number"], round_["state"]) for round_ in rounds] == [(1, "closed"), (2, "open")]
    assert [round_["board_set"] for round_ in rounds] == [
        world.open_set.public_id,
        world.sealed_set.public_id,
    ]
    assert [fixture["round"] for fixture in rows(caller().get(f"{path}/fixtures"))] == [1, 2]
    assert [fixture["round"] for fixture in rows(caller().get(f"{path}/fixtures", {"round": 2}))] == [2]
    assert [fixture["round"] for fixture in rows(caller().get(f"{path}/fixtures", {"page_size": 1}))] == [1]


def test_oneself() -> None:
    a_bot(aya())
    account = caller(aya(), "read", "bots").get("/api/v1/me").json()
    assert account == {
        "id": aya().public_id,
        "username": "aya",
        "handle": "aya",
        "is_organiser": False,
        "is_staff": False,
        "scopes": ["read", "bots"],
    }


def test_the_audit_trail_shows_to_each_what_concerns_them(world: World) -> None:
    def seen(user: Any, **query: str) -> set[tuple[str, str]]:
        events = rows(caller(user).get("/api/v1/audit", {"page_size": 200, **query}))
        return {(event["actor"], event["verb"]) for event in events}

    assert {actor for actor, _ in seen(aya())} == {"aya"}
    assert ("aya", "enter") in seen(odo())
    assert ("aya", "upload") not in seen(odo())
    assert ("odo", "start") not in seen(rin())
    assert {("aya", "upload"), ("odo", "start")} <= seen(sota())
    assert seen(sota(), verb="start") == {("odo", "start")}
    assert seen(sota(), object=world.event.public_id, actor="aya") == set()


def test_the_audit_trail_of_a_tournament_has_its_rulings_and_reruns(world: World) -> None:
    fixture = world.event.fixtures.filter(state="settled").first()
    table = world.event.tables.filter(state="finished").first()
    audit(odo(), "adjudicate", fixture)
    audit(odo(), "rerun", table)
    events = rows(caller(odo()).get("/api/v1/audit", {"object": world.event.public_id, "page_size": 200}))
    assert {"adjudicate", "rerun", "start"} <= {event["verb"] for event in events}
    assert not {"adjudicate", "rerun"} & {
        event["verb"]
        for event in rows(caller(odo()).get("/api/v1/audit", {"object": a_tournament().public_id}))
    }


def test_games_presets_and_limits_say_what_there_is(settings: Any) -> None:
    settings.BOT_LIMITS = dataclasses.replace(settings.BOT_LIMITS, cores=0.5)
    client = caller()
    games = client.get("/api/v1/games").json()
    assert "kakeya4" in next(game["presets"] for game in games if game["key"] == "kakeya")
    preset = client.get("/api/v1/games/kakeya/presets/kakeya4").json()
    assert (preset["seats"], preset["sides"], preset["tables_per_fixture"]) == (4, [[1, 3], [2, 4]], 2)
    assert preset["observation"]["hand"] == "array"
    assert preset["decisions_bound"]["game"] is None
    unknown = client.get("/api/v1/games/kakeya/presets/kakeya5")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_preset")
    limits = client.get("/api/v1/limits").json()
    assert limits["clock_defaults"]["start_wall_ms"] == 3000
    assert limits["bundle"]["members"] == 200
    assert limits["process"]["cores"] == 0.5
    assert json.dumps(limits["process"]["memory_bytes"]) == str(128 << 20)
    assert limits["throttles"]["uploads"] == "60/hour"


def queries(path: str, user: Any) -> int:
    client = caller(user)
    client.get(path)  # the first use of a token notes its time
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


@pytest.mark.full
def test_longer_lists_take_no_more_queries(world: World) -> None:
    event = f"/api/v1/tournaments/{world.event.public_id}"
    registration = an_open_tournament(entries_per_player=9)
    paths = [
        "/api/v1/bots",
        f"/api/v1/bots/{world.bot.public_id}/versions",
        "/api/v1/tournaments",
        "/api/v1/audit",
        "/api/v1/tokens",
        f"/api/v1/tournaments/{registration.public_id}/entries",
        f"{event}/rounds",
        f"{event}/fixtures",
        f"{event}/standings",
        f"{event}/fairness",
        f"{event}/export",
    ]
    an_entry(registration, ben())
    before = {path: queries(path, aya()) for path in paths}
    play_out(world.event)
    for _ in range(3):
        an_entry(registration, aya())
        an_upload(world.bot)
        an_open_tournament(rin())
    after = {path: queries(path, aya()) for path in paths}
    assert after == before
    assert max(after.values()) <= 20
