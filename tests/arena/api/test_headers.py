"""Headers of answers: where what was made is, whether anything has changed, what is left of the limits."""

from __future__ import annotations

import json
from collections.abc import Callable
from string import Template
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import resolve

from arena.accounts.models import User
from arena.common import rates as counters
from tests.arena.api.conftest import caller
from tests.factories import a_bot, a_version, aya, odo

pytestmark = pytest.mark.django_db

CUP = {
    "name": "x",
    "frequency": "daily",
    "start_time": "20:00",
    "open_hours": 6,
    "template": {"preset": "kakeya4"},
}
NO_GET = ("token", "invitation", "subscription")
"""What can only be listed and removed."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("who", "path", "body", "where"),
    [
        (aya, "bots", {"name": "kita2", "game": "kakeya"}, "bot"),
        (aya, "bots/$bot/versions", {"bundle": "a file"}, "version-check"),
        (aya, "versions/$suspended/reinstate", {}, "version-check"),
        (aya, "tokens", {"name": "x", "scopes": ["read"]}, "token"),
        (aya, "challenges", {"preset": "kakeya4", "versions": ["$version", "$other"]}, "tournament"),
        (
            aya,
            "experiments",
            {"preset": "kakeya4", "candidate": "$version", "baseline": "$other"},
            "experiment",
        ),
        (odo, "tournaments", {"name": "x", "preset": "kakeya4"}, "tournament"),
        (aya, "tournaments/$registration/entries", {"version": "$other"}, "entry"),
        (odo, "tournaments/$registration/invitations", {"player": "ben"}, "invitation"),
        (odo, "fixtures/$open_fixture/adjudicate", {"kind": "void", "reason": "x"}, "fixture"),
        (odo, "tables/$quarantined_table/retry", {}, "table"),
        (odo, "tables/$open_table/rerun", {"reason": "x"}, "table"),
        (odo, "series", CUP, "series"),
        (aya, "series/$series/subscriptions", {"bot": "$others_bot"}, "subscription"),
    ],
)
def test_what_was_made_has_an_address(
    names: dict[str, str], who: Callable[[], User], path: str, body: dict[str, Any], where: str
) -> None:
    other = a_version(a_bot(aya()))
    things = {**names, "other": other.public_id, "others_bot": other.bot.public_id}
    path, text = (Template(part).substitute(things) for part in (path, json.dumps(body)))
    client = caller(who())
    if "bundle" in body:
        form = {"bundle": SimpleUploadedFile("bot.py", b"x")}
        answer = client.post(f"/api/v1/{path}", form, format="multipart")
    else:
        answer = client.post(f"/api/v1/{path}", json.loads(text))
    assert answer.status_code in (201, 202), answer.content
    address = answer["Location"].removeprefix("http://testserver")
    assert resolve(address).url_name == where
    assert client.get(address).status_code == (405 if where in NO_GET else 200)


def test_a_dry_run_has_no_address(names: dict[str, str]) -> None:
    version = a_version(a_bot(aya())).public_id
    path = f"/api/v1/tournaments/{names['registration']}/entries?dry_run=true"
    answer = caller(aya()).post(path, {"version": version})
    assert (answer.status_code, answer["Dry-Run"], "Location" in answer) == (201, "true", False)


def test_a_list_that_grew_has_another_etag() -> None:
    client = caller(aya())
    etag = client.get("/api/v1/bots")["ETag"]
    a_bot(aya())
    assert client.get("/api/v1/bots", headers={"If-None-Match": etag}).status_code == 200


@pytest.fixture
def few_requests(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.API_RATES = {**settings.API_RATES, "anonymous": "4/min", "user": "6/min", "tokens": "2/hour"}
    monkeypatch.setattr(counters, "clock", lambda: 1_800_000_050.0)


def test_answers_tell_what_is_left_of_the_limits(few_requests: None) -> None:
    first, second = (caller().get("/api/v1/games") for _ in range(2))
    assert first["RateLimit-Policy"] == '"anonymous";q=4;w=60'
    assert first["RateLimit"] == '"anonymous";r=3;t=10'
    assert second["RateLimit"] == '"anonymous";r=2;t=10'


def test_each_limit_that_counts_is_told(few_requests: None) -> None:
    made = caller(aya()).post("/api/v1/tokens", {"name": "x"})
    assert made["RateLimit-Policy"] == '"tokens";q=2;w=3600, "user";q=6;w=60'
    assert made["RateLimit"] == '"tokens";r=1;t=3550, "user";r=5;t=10'


def test_a_refusal_tells_the_same_moment_as_retry_after(few_requests: None) -> None:
    answers = [caller().get("/api/v1/me") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [401] * 4 + [429]
    assert answers[3]["RateLimit"] == '"anonymous";r=0;t=10'
    wait = answers[4]["Retry-After"]
    assert answers[4]["RateLimit"] == f'"anonymous";r=0;t={wait}'
