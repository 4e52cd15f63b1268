"""Ratings over the API: lists, lines in order, histories."""

from __future__ import annotations

from typing import Any

import pytest

from arena.features.ratings.models import RatingList
from arena.features.ratings.services import list_rebuild
from tests.arena.api.conftest import caller
from tests.arena.api.problems import check

pytestmark = pytest.mark.django_db


def rows(path: str, **query: Any) -> list[dict[str, Any]]:
    answer = caller().get(f"/api/v1/{path}", query)
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])


def test_a_list_says_what_it_is_made_of(rated: RatingList) -> None:
    (found,) = rows("rating-lists", preset="kakeya4", kind="tournaments", season=rated.season, seats=4)
    assert found == caller().get(f"/api/v1/rating-lists/{rated.public_id}").json()
    assert (found["sets"], found["fixtures"], found["rated"], found["unrated"]) == (4, 7, 4, 2)
    assert found["digest"] == rated.digest
    assert rows("rating-lists", preset="kakkuri") == []
    check(caller().get("/api/v1/rating-lists/nosuchlist"), 404, "not_found")


def test_lines_come_best_first_and_those_without_an_estimate_last(rated: RatingList) -> None:
    found = rows("ratings", list=rated.public_id)
    assert [row["rank"] for row in found] == [1, 2, 3, 4, None, None]
    estimates = [row["estimate"] for row in found[:4]]
    assert estimates == sorted(estimates, reverse=True)
    for row in found[:4]:
        assert row["low"] < row["estimate"] < row["high"]
        assert row["rank_low"] <= row["rank"] <= row["rank_high"]
        assert row["reasons"] == []
    codes = [reason["code"] for reason in found[4]["reasons"]]
    assert codes == ["not_connected", "fixtures", "boards"]
    assert {row["partner"] for row in found} == {"self"}
    assert [row["rank"] for row in rows("ratings", rated="true")] == [1, 2, 3, 4]
    assert len(rows("ratings", rated="false")) == 2
    assert rows("ratings", player=found[0]["player"], rated="true") == [found[0]]
    assert rows("ratings", version=found[0]["version"]["id"]) == [found[0]]
    assert rows("ratings", season="2001-Q1") == []


def test_pages_follow_each_other_while_the_list_is_made_again(rated: RatingList) -> None:
    whole = rows("ratings")
    client = caller()
    page = client.get("/api/v1/ratings", {"page_size": 4}).json()
    list_rebuild(rated)
    second = client.get(page["next"]).json()
    assert page["results"] + second["results"] == whole
    assert second["next"] is None
    assert client.get(second["previous"]).json()["results"] == page["results"]
