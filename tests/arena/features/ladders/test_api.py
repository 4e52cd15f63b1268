"""Ladders over the API: where they stand, the reasons of their rounds, versions put on and taken off."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_django
from django.test import override_settings

from arena.accounts.house import HOUSE_USERNAME
from arena.features.ladders.models import Ladder, LadderSeason
from tests import factories
from tests.arena.api.conftest import caller
from tests.arena.api.problems import check
from tests.arena.features.ladders.ladders import USUAL, a_ladder, house, placed, round_play
from tests.arena.once import given, made_once
from tests.factories import a_bot, a_version, aya, ben

pytestmark = pytest.mark.django_db


@override_settings(LADDERS=USUAL)
def a_ladder_under_way() -> Ladder:
    """With the house and two others on it, one round counted."""
    found = a_ladder()
    house()
    placed(found, *factories.players(2))
    round_play(found)
    return found


rows_of_the_ladder = made_once(a_ladder_under_way, serials=1000)


@pytest.fixture
def ladder(rows_of_the_ladder: Ladder, settings: pytest_django.Settings, db: None) -> Ladder:
    """The same for all tests here."""
    settings.LADDERS = USUAL
    return given(rows_of_the_ladder)


def rows(path: str, **query: Any) -> list[dict[str, Any]]:
    answer = caller().get(f"/api/v1/{path}", query)
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])


def test_a_ladder_its_season_and_its_rounds(ladder: Ladder) -> None:
    base = f"ladders/{ladder.public_id}"
    (found,) = rows("ladders", preset="kakeya4", game="kakeya", seats=4, state="active")
    assert found == caller().get(f"/api/v1/{base}").json()
    assert (found["name"], found["placed"], found["boards"]) == ("kakeya4", 4, 2)
    season = LadderSeason.objects.get()
    assert found["season"]["name"] == season.name
    assert found["season"]["rounds"] == 1
    assert len(rows("ratings", list=found["season"]["list"])) == 4
    assert rows(f"{base}/seasons", state="running") == [found["season"]]
    whole = caller().get(f"/api/v1/{base}/seasons/{season.public_id}").json()
    assert whole == {**found["season"], "final": []}
    (played,) = rows(f"{base}/rounds", season=season.public_id, kind="floor")
    assert (played["number"], played["state"], played["unpaired"]) == (1, "counted", [])
    assert len(played["contenders"]) == 4
    for pairing in played["pairings"]:
        (pair,) = pairing["pairs"]
        assert set(pairing["versions"]) == {pair["version"], pair["other"]}
        assert pair["error"] > 0
    event = caller().get(f"/api/v1/tournaments/{played['tournament']}").json()
    assert (event["kind"], event["state"]) == ("ladder", "final")
    assert rows("tournaments") == [], "rounds of ladders are no events"
    check(caller().get("/api/v1/ladders/nosuchladder"), 404, "ladder_not_found")
    check(caller().get(f"/api/v1/{base}/seasons/nosuchseason"), 404, "season_not_found")


def test_a_version_is_put_on_and_taken_off(ladder: Ladder) -> None:
    base = f"/api/v1/ladders/{ladder.public_id}/placements"
    version = a_version(a_bot(aya(), name="kita"))
    made = caller(aya()).post(base, {"version": version.public_id})
    assert made.status_code == 201, made.content
    body = made.json()
    assert made["Location"].endswith(f"{base}/{body['id']}")
    assert (body["player"], body["version"]["bot"], body["left_at"]) == ("aya", "kita", None)
    assert body in rows(f"ladders/{ladder.public_id}/placements", placed="true", player="aya")
    check(caller(aya()).post(base, {"version": version.public_id}), 409, "already_placed")
    check(caller(ben()).delete(f"{base}/{body['id']}"), 403, "not_owner")
    assert caller(aya()).delete(f"{base}/{body['id']}").status_code == 204
    again = caller(aya()).delete(f"{base}/{body['id']}")
    assert check(again, 409, "already_left")["reason"] == "taken_off"
    (left,) = rows(f"ladders/{ladder.public_id}/placements", left_reason="taken_off")
    assert left["id"] == body["id"]
    check(caller(aya()).delete(f"{base}/nosuch"), 404, "placement_not_found")
    hidden = a_version(a_bot(ben(), visibility="private"))
    check(caller(aya()).post(base, {"version": hidden.public_id}), 404, "version_not_found")
    assert check(
        caller(aya()).post(base, {"version": version.public_id, "season": "1999"}), 400, "unknown_season"
    )
    assert {row["player"] for row in rows(f"ladders/{ladder.public_id}/placements", placed="true")} == {
        "aya",
        "ben",
        HOUSE_USERNAME,
        f"{HOUSE_USERNAME}-rules",
    }
