"""No answer is larger than a megabyte, whatever its rows hold."""

from __future__ import annotations

from typing import Any

import pytest

from arena.accounts.models import audit
from arena.api.base.paging import MAX_RESPONSE_BYTES
from arena.api.base.parts import json_bytes, rows_part, stages_part
from tests.arena.api.conftest import World, caller
from tests.factories import a_tournament, odo

pytestmark = pytest.mark.django_db


def test_a_page_of_long_rows_has_fewer_and_none_is_lost() -> None:
    event = a_tournament()
    for number in range(130):
        audit(odo(), "update", event, {"description": "\u4e00" * 4000}, description=f"{number}")
    client = caller(odo())
    seen: list[str] = []
    address: str | None = "/api/v1/audit?action=update&page_size=200"
    pages = []
    while address:
        answer = client.get(address)
        assert len(answer.content) <= MAX_RESPONSE_BYTES
        page = answer.json()
        pages.append(page)
        seen += [row["after"]["description"] for row in page["results"]]
        address = page["next"]
    assert seen == [str(number) for number in reversed(range(130))]
    assert len(pages) == 2
    # Backwards, too: the rows nearest to where one came from.
    before = client.get(pages[-1]["previous"])
    assert len(before.content) <= MAX_RESPONSE_BYTES
    assert before.json()["results"] == pages[0]["results"][-len(before.json()["results"]) :]
    again = client.get(before.json()["previous"] or pages[-1]["previous"]).json()["results"]
    assert [*again, *before.json()["results"]][-len(pages[0]["results"]) :] == pages[0]["results"]


def test_a_part_says_where_the_next_begins_and_together_they_are_the_whole() -> None:
    rows = [{"entry": f"{number}", "text": "\u4e00" * 700} for number in range(1000)]
    whole = {"stage": 1, "rows": rows}
    seen: list[Any] = []
    first: int | None = 1
    while first is not None:
        part = rows_part(whole, "rows", first)
        assert json_bytes(part) <= MAX_RESPONSE_BYTES
        assert part["rows"]
        seen += part["rows"]
        first = part["next_first"]
    assert seen == rows


def test_a_row_larger_than_all_room_is_told_all_the_same() -> None:
    part = rows_part({"rows": ["x" * 2 * MAX_RESPONSE_BYTES, "y"]}, "rows", 1)
    assert (len(part["rows"]), part["next_first"]) == (1, 2)
    assert rows_part({"rows": []}, "rows", 1)["next_first"] is None
    assert rows_part({"rows": ["y"]}, "rows", 5) == {"rows": [], "next_first": None}


def test_stages_share_the_room() -> None:
    rows = [{"text": "x" * 1000} for _ in range(500)]
    stages = stages_part([{"stage": number, "rows": rows} for number in range(1, 11)], 1)
    assert [stage["next_first"] is None for stage in stages][:2] == [True, False]
    assert [len(stage["rows"]) for stage in stages][2:] == [1] * 8
    assert json_bytes(stages) <= MAX_RESPONSE_BYTES + 20_000


def test_a_replay_and_a_board_begin_where_asked(world: World) -> None:
    client = caller()
    replay = f"/api/v1/tables/{world.open_table.public_id}/replay"
    board = f"/api/v1/boards/{world.open_set.public_id}/1"
    for address, rows in ((replay, "steps"), (board, "results")):
        whole, rest = (client.get(address, query).json() for query in ({}, {"first": "2"}))
        assert rest[rows] == whole[rows][1:]
        assert whole["next_first"] is None


def test_a_display_begins_where_asked(world: World) -> None:
    address = f"/api/v1/tournaments/{world.event.public_id}/display"
    whole, rest = (caller().get(address, query).json() for query in ({}, {"first": "2"}))
    assert rest["sections"][0]["columns"] == whole["sections"][0]["columns"][1:]
