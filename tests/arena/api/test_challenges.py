"""Challenges over the API: made, played, seen by those who play them."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from arena.competition.models import Tournament
from tests import factories
from tests.arena.api.conftest import caller
from tests.arena.play import play_out

pytestmark = pytest.mark.django_db


def a_public_version(user: Any, name: str) -> Any:
    return factories.a_version(factories.a_bot(user, name, visibility="public"))


def made(client: APIClient, *versions: Any, **fields: Any) -> Any:
    body = {
        "versions": [version.public_id for version in versions],
        "preset": "kakeya4",
        "boards": 2,
        **fields,
    }
    return client.post("/api/v1/challenges", body, format="json")


def test_a_challenge_is_played_at_once_and_ends_by_itself() -> None:
    mine = factories.a_version(factories.a_bot(factories.aya(), "Heron"))
    theirs = a_public_version(factories.ben(), "Wagtail")
    aya = caller(factories.aya())
    answer = made(aya, mine, theirs)
    assert answer.status_code == 201, answer.data
    assert (answer.data["state"], answer.data["visibility"]) == ("running", "private")
    tournament = play_out(Tournament.objects.get(public_id=answer.data["id"]))
    assert tournament.state == "final"
    for user, count in ((factories.aya(), 1), (factories.ben(), 1), (factories.chie(), 0)):
        assert len(caller(user).get("/api/v1/challenges").data["results"]) == count
    assert caller(factories.chie()).get(f"/api/v1/tournaments/{tournament.public_id}").status_code == 404
    assert not aya.get("/api/v1/tournaments").data["results"], "no event"


def test_what_cannot_be_challenged_says_why(settings: Any) -> None:
    mine = factories.a_version(factories.a_bot(factories.aya(), "Heron"))
    aya = caller(factories.aya())
    private = factories.a_version(factories.a_bot(factories.ben(), "Owl", visibility="private"))
    assert made(aya, mine, private).status_code == 404
    assert made(aya, mine, mine).data["code"] == "duplicate_version"
    other = a_public_version(factories.ben(), "Wagtail")
    assert made(aya, mine, other, preset="kakkuri").data["code"] == "sides_mismatch"
    assert made(aya, mine, other, boards=0).data["code"] == "invalid"
    settings.CHALLENGES_PER_DAY = 1
    assert aya.get("/api/v1/limits").data["challenges_per_day"] == 1
    assert made(aya, mine, other).status_code == 201
    refused = made(aya, mine, other)
    assert (refused.status_code, refused.data["code"]) == (409, "challenge_quota_exceeded")
    assert refused.data["available_at"]
    assert APIClient().post("/api/v1/challenges", {}, format="json").status_code == 401
