"""Filters are typed: what nobody knows, and values of the wrong sort, are refused and named."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.http import QueryDict

from arena.competition.models import Tournament
from arena.roster.models import Bot
from tests.arena.api.conftest import World, caller
from tests.arena.api.problems import check
from tests.factories import a_bot, a_tournament, aya, odo, sota

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["bots", "tournaments", "games", "limits", "games/kakeya/presets/kakeya4"])
def test_an_unknown_parameter_is_refused_with_those_there_are(path: str) -> None:
    body = check(caller().get(f"/api/v1/{path}", {"stat": "running"}), 400, "unknown_filter")
    assert body["errors"][0]["field"] == "stat"
    assert ("cursor" in body["allowed"]) == (path in ("bots", "tournaments"))
    assert all(name in body["detail"] for name in body["allowed"])


def test_a_misspelled_dry_run_does_nothing() -> None:
    event = a_tournament()
    answer = caller(odo()).post(f"/api/v1/tournaments/{event.public_id}/open?dryrun=true")
    check(answer, 400, "unknown_filter")
    event.refresh_from_db()
    assert event.state == Tournament.State.DRAFT


WRONG = [
    ("bots", {"owner": "x" * 151}, "owner"),
    ("bots", {"name": "a\0b"}, "name"),
    ("bots", {"game": "foo"}, "game"),
    ("tournaments", {"game": "foo"}, "game"),
    ("tournaments", {"preset": "foo"}, "preset"),
    ("challenges", {"preset": "foo"}, "preset"),
    ("experiments", {"game": "foo"}, "game"),
    ("ladders", {"game": "foo"}, "game"),
    ("ladders", {"preset": "foo"}, "preset"),
    ("rating-lists", {"preset": "foo"}, "preset"),
    ("ratings", {"preset": "foo"}, "preset"),
    ("audit", {"kind": "foo"}, "kind"),
    ("bots", {"game": ""}, "game"),
    ("bots", {"game": ["kakeya", "kakkuri"]}, "game"),
    ("tournaments", {"state": "great"}, "state"),
    ("notices", {"unread": "maybe"}, "unread"),
    ("notices", {"kind": "gossip"}, "kind"),
    ("audit", {"since": "yesterday"}, "since"),
    ("audit", {"since": "%s"}, "since"),
    ("fixtures", {"since": "100%"}, "since"),
    ("tables", {"since": "%(value)d"}, "since"),
    ("audit", {"object": "A-B"}, "object"),
]


@pytest.mark.parametrize(("path", "query", "field"), WRONG)
def test_a_value_of_the_wrong_sort_is_refused(path: str, query: dict[str, Any], field: str) -> None:
    body = check(caller(aya()).get(f"/api/v1/{path}", query), 400, "invalid")
    assert body["errors"][0]["field"] == field


@pytest.mark.sampled(4)
@pytest.mark.parametrize("value", ["0", "-1", "1.5", "one", "32768", "9" * 400, "1e3", "", "NaN", "٣"])
def test_a_number_is_a_whole_one_in_range(world: World, value: str) -> None:
    path = f"/api/v1/tournaments/{world.event.public_id}/fixtures"
    body = check(caller().get(path, {"round": value}), 400, "invalid")
    assert body["errors"][0]["field"] == "round"


CURSORS = [
    "tomorrow",
    "",
    "W10",
    "WzAsMV0=x",
    "WzIsMV0",
    "WzAsIjEiXQ",
    "WzAsMSwxXQ",
    "bnVsbA",
    "%00",
    "x" * 201,
]


@pytest.mark.parametrize("cursor", CURSORS)
def test_a_cursor_of_ones_own_making_is_refused(cursor: str) -> None:
    body = check(caller().get("/api/v1/bots", {"cursor": cursor}), 400, "invalid")
    assert body["errors"][0]["field"] == "cursor"


def test_every_row_comes_once_forwards_and_backwards() -> None:
    names = [a_bot(aya(), f"bot {number}").name for number in range(7)]
    names.reverse()
    client = caller(sota())
    for size in (1, 2, 3, 7, 8):
        listed, address, last = [], f"/api/v1/bots?page_size={size}", ""
        while address:
            page = client.get(address).json()
            listed += [bot["name"] for bot in page["results"]]
            last, address = address, page["next"]
        assert listed == names
        back, address = [], client.get(last).json()["previous"]
        while address:
            page = client.get(address).json()
            back = [bot["name"] for bot in page["results"]] + back
            assert page["next"]
            address = page["previous"]
        assert back == names[: len(back)]
        assert len(back) == (len(names) - 1) // size * size


def test_an_order_of_two_columns_is_kept_over_pages(world: World) -> None:
    path = f"/api/v1/tournaments/{world.event.public_id}/rounds?page_size=1"
    first = caller().get(path).json()
    second = caller().get(first["next"]).json()
    assert [page["results"][0]["number"] for page in (first, second)] == [1, 2]
    assert second["next"] is None
    assert caller().get(second["previous"]).json()["results"] == first["results"]


@pytest.mark.parametrize(
    ("path", "name", "choice"),
    [("tournaments", "game", "kakkuri"), ("ladders", "preset", "kakeya6"), ("audit", "kind", "botversion")],
)
def test_a_value_of_a_closed_set_that_there_is_not_is_refused_with_those_there_are(
    path: str, name: str, choice: str
) -> None:
    client = caller(aya())
    body = check(client.get(f"/api/v1/{path}", {name: "foo"}), 400, "invalid")
    assert choice in body["errors"][0]["detail"]
    assert client.get(f"/api/v1/{path}", {name: choice}).status_code == 200


def test_no_parameter_chooses_the_type_of_an_answer() -> None:
    check(caller().get("/api/v1/bots", {"format": "xml"}), 400, "unknown_filter")
    check(caller().get("/api/v1/bots", {"format": "json"}), 400, "unknown_filter")


def test_a_cursor_is_of_one_list_and_tells_no_key() -> None:
    for _ in range(3):
        a_bot(aya())
        a_tournament(odo())
    client = caller(odo())

    def cursor(path: str) -> str:
        following = client.get(f"/api/v1/{path}", {"page_size": 1}).json()["next"]
        found: str = QueryDict(urlsplit(following).query)["cursor"]
        return found

    of_bots, of_events = cursor("bots"), cursor("tournaments")
    assert cursor("bots") == of_bots, "the same place has the same cursor, so that ETags hold"
    assert client.get("/api/v1/bots", {"cursor": of_bots}).status_code == 200
    body = check(client.get("/api/v1/bots", {"cursor": of_events}), 400, "invalid")
    assert body["errors"][0]["field"] == "cursor"
    check(client.get("/api/v1/bots", {"cursor": of_bots[:-2] + "AA"}), 400, "invalid")
    plain = base64.urlsafe_b64decode(of_bots + "=" * (-len(of_bots) % 4))
    keys = {row.pk for row in Bot.objects.all()}
    assert not any(str(key).encode() in plain for key in keys if key > 99)
    assert len(plain) == 16 + 1 + 8
