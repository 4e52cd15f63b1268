"""Moments that are sent: with a time, on days that exist."""

from __future__ import annotations

import pytest

from arena.competition.models import Series, Tournament
from tests.arena.api.conftest import caller
from tests.factories import odo

pytestmark = pytest.mark.django_db
EVENT = {"name": "x", "preset": "kakeya4", "stages": [{"format": "swiss"}]}
SERIES = {"name": "x", "frequency": "daily", "start_time": "20:00", "template": {"preset": "kakeya4"}}


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("tournaments", EVENT, "closes_at"),
        ("tournaments", EVENT, "starts_at"),
        ("series", SERIES, "until"),
        ("tokens", {"name": "x", "scopes": ["read"]}, "expires_at"),
    ],
)
@pytest.mark.parametrize("day", ["2096-12-31", "20961231", " 2096-12-31"])
def test_a_day_without_a_time_is_refused_with_both_readings(path, body, field, day) -> None:
    answer = caller(odo()).post(f"/api/v1/{path}", {**body, field: day}, format="json")
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (400, "time_required")
    assert [error["field"] for error in problem["errors"]] == [field]
    assert "2096-12-31T00:00:00Z" in problem["detail"]
    assert "2096-12-31T23:59:00Z" in problem["detail"]
    assert not Tournament.objects.exists()
    assert not Series.objects.exists()


@pytest.mark.parametrize("text", ["2097-02-29", "2097-02-29T18:00:00Z", "2097-13-01"])
def test_a_day_that_does_not_exist(text) -> None:
    answer = caller(odo()).post("/api/v1/tournaments", {**EVENT, "closes_at": text}, format="json")
    problem = answer.json()
    assert answer.status_code == 400
    assert [(error["field"], error["code"]) for error in problem["errors"]] == [("closes_at", "day_missing")]


def test_a_moment_is_taken() -> None:
    body = {**EVENT, "closes_at": "2096-12-31T18:00Z", "starts_at": "2096-12-31T21:00+02:00"}
    answer = caller(odo()).post("/api/v1/tournaments", body, format="json")
    assert answer.status_code == 201
    assert answer.json()["starts_at"] == "2096-12-31T19:00:00Z"
