"""Presets, events, fixtures and standings of any number of sides, as the API tells them."""

from __future__ import annotations

from typing import Any

import pytest

from tests import factories
from tests.arena.api.conftest import caller
from tests.arena.play import begun

pytestmark = pytest.mark.django_db
TOURNAMENTS = "/api/v1/tournaments"


def refused(status: int = 400, **body: Any) -> dict[str, Any]:
    answer = caller(factories.odo()).post(TOURNAMENTS, {"name": "x", "preset": "kakkuri", **body})
    assert answer.status_code == status, answer.content
    return dict(answer.json())


def test_the_types_of_an_observation_hold_for_a_whole_deal() -> None:
    observation = caller().get("/api/v1/games/kakkuri/presets/kakkuri").json()["observation"]
    assert (observation["follow"], observation["return_turn"], observation["turned"]) == (
        "integer or null",
        "boolean",
        "array",
    )
    kakeya = caller().get("/api/v1/games/kakeya/presets/kakeya6").json()["observation"]
    assert (kakeya["dealer"], kakeya["direction"]) == ("null", "string")
    etori = caller().get("/api/v1/games/kakeya/presets/etori.simple6").json()["observation"]
    assert (etori["dealer"], etori["dealers"]) == ("integer", "array")


def test_meiji_counts_from_nothing() -> None:
    assert caller().get("/api/v1/games/kakeya/presets/etori.meiji").json()["starting_stones"] == 0
    assert caller().get("/api/v1/games/kakkuri/presets/kakkuri").json()["starting_stones"] == 20


def test_an_event_says_its_seats_sides_and_rounds() -> None:
    event = begun(6, preset="kakkuri", ruleset={"seats": 5}, boards_per_round=1)
    tournament = caller().get(f"{TOURNAMENTS}/{event.public_id}").json()
    assert (tournament["seats"], tournament["sides"]) == (5, [[1], [2], [3], [4], [5]])
    assert [(stage["format"], stage["rounds"]) for stage in tournament["stages"]] == [("heats", 6)]
    assert tournament["min_entries"] == 5
    pairs = factories.an_open_tournament(preset="kakeya6")
    tournament = caller().get(f"{TOURNAMENTS}/{pairs.public_id}").json()
    assert (tournament["seats"], tournament["sides"]) == (6, [[1, 4], [2, 5], [3, 6]])
    assert tournament["stages"][0]["rounds"] is None, "not known before a table is full"


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"preset": "kakkuri9"}, "unknown_preset", "preset"),
        ({"ruleset": {"jokers": 2}}, "invalid_option", "ruleset"),
        ({"ruleset": {"seats": None}}, "invalid_option", "ruleset"),
        ({"preset": "kakeya6", "ruleset": {"seats": 4}}, "invalid_option", "ruleset"),
        (
            {"preset": "kakeya6", "ruleset": {"trump_fixed": "S", "trump_right6": "losers"}},
            "invalid_option",
            "ruleset",
        ),
        ({"stages": [{"format": "round_robin"}]}, "invalid_stage", "stages"),
        ({"stages": [{"format": "swiss"}]}, "invalid_stage", "stages"),
        ({"stages": [{"format": "heats", "options": {"rounds": "six"}}]}, "invalid_stage", "stages"),
        ({"preset": "kakeya6", "board_kind": "game"}, "unbounded_game", "ruleset"),
        ({"min_entries": 6}, "invalid", "min_entries"),
        ({"max_entries": 6}, "invalid", "max_entries"),
        ({"board_kind": "game", "ruleset": {"hands": 100000}}, "board_too_long", "clock"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_by_field(body: dict[str, Any], code: str, field: str) -> None:
    problem = refused(**body)
    assert problem["code"] == code
    assert [error["field"] for error in problem["errors"]] == [field]
    assert problem["detail"].endswith(".")


def test_one_entry_too_many_and_one_too_few() -> None:
    event = factories.an_open_tournament(preset="kakeya6", max_entries=3)
    for owner in factories.players(2):
        factories.an_entry(event, owner)
    path = f"{TOURNAMENTS}/{event.public_id}"
    few = caller(factories.odo()).post(f"{path}/lock")
    assert (few.status_code, few.json()["code"], few.json()["min_entries"]) == (409, "too_few_entries", 3)
    factories.an_entry(event, factories.chie())
    rin = factories.rin()
    version = factories.a_version(factories.a_bot(rin))
    many = caller(rin).post(f"{path}/entries", {"version": version.public_id})
    assert (many.status_code, many.json()["code"]) == (409, "tournament_full")
    assert (many.json()["state"], many.json()["allowed_actions"]) == ("open", [])
    few_each = factories.an_open_tournament(preset="kakeya6", entries_per_player=1)
    factories.an_entry(few_each, rin)
    more = caller(rin).post(
        f"{TOURNAMENTS}/{few_each.public_id}/entries",
        {"version": factories.a_version(factories.a_bot(rin)).public_id},
    )
    assert (more.json()["code"], more.json()["allowed_actions"]) == ("too_many_entries", [])
    owned = factories.a_version(factories.a_bot(factories.odo()))
    organiser = caller(factories.odo()).post(f"{path}/entries", {"version": owned.public_id}).json()
    assert "lock" in organiser["allowed_actions"]
    assert "enter" not in organiser["allowed_actions"]
