"""The replay says what other tables played in the same position."""

from __future__ import annotations

import json
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.common.process_cache import process_cache
from arena.matches.board_tables import other_tables
from arena.matches.models import BoardSet, Fixture, Table
from arena.matches.replays import table_view
from arena.web.boards import table_page
from arena.web.boards.table_page import TableField
from arena.web.drawing.board_costs import table_notes
from tests.arena.features.analysis.notes import analysed
from viewer.scene import FieldPlay

pytestmark = pytest.mark.django_db


def page_of(client: Client, table: Table, query: str = "") -> str:
    process_cache.clear()
    return client.get(f"/tables/{table.public_id}{query}").content.decode()


def plays_of(table: Table) -> list[tuple[int, str]]:
    deal = json.loads(table_view(table, 1) or b"")["boards"][0]["deals"][0]
    return [(item["s"], item["a"]) for item in deal["steps"]]


def test_plays_in_the_same_position_are_counted_until_the_tables_differ(client: Client, table: Table) -> None:
    analysed()
    sibling = other_tables(table).get()
    assert sibling.fixture_id == table.fixture_id
    own, other = plays_of(table), plays_of(sibling)
    plays = TableField(table, (sibling,), table_notes([table, sibling])).plays_on(1)
    assert len(plays) == len(own)
    prefix = next(index for index, (a, b) in enumerate(zip(own, other, strict=True)) if a != b)
    address = f"/tables/{sibling.public_id}?at=b1t"
    for step in range(prefix):
        ((play,),) = plays[step : step + 1]
        assert (play.card, play.tables) == (own[step][1], 1)
    at_difference = plays[prefix]
    if own[prefix][0] == other[prefix][0]:
        assert [(play.card, play.href.startswith(address)) for play in at_difference] == [
            (other[prefix][1], True)
        ]
    else:
        assert at_difference == []
    counts = re.findall(r'data-field="(\d)"', page_of(client, table))
    assert set(counts) <= {"0", "1"}
    assert counts
    assert len(counts) <= len(own)


def test_the_same_play_in_a_row_is_one_line_and_another_card_is_a_link(
    client: Client, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysed()
    own = plays_of(table)
    made = [[FieldPlay(card, 2, "/x")] for _, card in own]
    made[3] = [FieldPlay(own[3][1], 2, "/x"), FieldPlay(own[2][1], 1, "/tables/y?at=b1t1p4")]
    monkeypatch.setattr(table_page.TableField, "plays_on", lambda *_: made)
    html = page_of(client, table)
    assert re.findall(r'data-field="(\d)"', html) == ["2", "3", "2"]
    assert '<a href="/tables/y?at=b1t1p4">' in html
    assert "data-field" not in page_of(client, table, "?seat=1")


def test_a_table_that_is_played_again_and_an_open_set_are_left_out(client: Client, table: Table) -> None:
    analysed()
    assert "data-field" in page_of(client, table)
    Fixture.objects.filter(pk=table.fixture_id).update(state="open")
    assert not other_tables(table).exists()
    assert "data-field" not in page_of(client, table)
    Fixture.objects.filter(pk=table.fixture_id).update(state="settled")
    BoardSet.objects.filter(pk=table.fixture.board_set_id).update(state="open", closed_seq=None)
    assert not other_tables(table).exists()


def test_queries_do_not_grow_with_the_tables(client: Client, table: Table) -> None:
    analysed()
    page_of(client, table)
    with CaptureQueriesContext(
        connection,
    ) as with_other:
        page_of(client, table)
    other_tables(table).get().delete()
    with CaptureQueriesContext(connection) as alone:
        page_of(client, table)
    assert len(with_other) == len(alone)
