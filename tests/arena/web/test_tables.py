"""The page of a table: any position without script, one seat's view, nothing while its boards are open."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.matches.models import Table
from arena.tables.views import table_view_make
from tests.arena.once import given, made_once
from tests.arena.play import play_out
from tests.arena.web.conftest import under_way

pytestmark = pytest.mark.django_db


def played(tournament: Tournament) -> Table:
    """A finished table, its view made."""
    found = finished(tournament)
    table_view_make(found)
    found.refresh_from_db()
    return found


rows_of_a_final_event = made_once(lambda: played(play_out(under_way())), serials=1000)


@pytest.fixture
def table(rows_of_a_final_event: Table, db: None) -> Table:
    """A finished table of a final event, its view made."""
    return given(rows_of_a_final_event)


def finished(tournament: Tournament) -> Table:
    return Table.objects.filter(tournament=tournament, state=Table.State.FINISHED).order_by("pk")[0]


def test_a_position_is_drawn_without_script(client: Client, table: Table) -> None:
    page = client.get(f"/tables/{table.public_id}?at=b1t1p2").content.decode()
    slots = re.findall(r'data-slot="\d"[^>]*>(.*?)</span><', page)
    assert 'data-position="3"' in page
    assert len(slots) == 4
    assert 'property="og:title"' in page
    assert ' style="' not in page  # the code in "Share" is text, with &quot;
    assert re.findall(r"<script(?! defer src)(?! type=\"application/json\")", page) == []


def test_a_page_for_one_seat_has_the_cards_of_one_hand(client: Client, table: Table) -> None:
    page = client.get(f"/tables/{table.public_id}?seat=2").content.decode()
    mat = page.split('class="mat ')[1].split('class="river')[0]
    hands = {
        seat: re.findall(r'data-card="(..)"', hand)
        for seat, hand in re.findall(r'data-hand="(\d)"[^>]*>(.*?)</div>', mat)
    }
    assert {seat: len(cards) for seat, cards in hands.items()} == {"1": 0, "2": 13, "3": 0, "4": 0}
    assert "data-states" not in page


@pytest.mark.parametrize(
    "query", ["at=b9t1", "at=nonsense", "at=b1t14", "at=%3Cscript%3E", "seat=5", "seat=x", "seat=0012345"]
)
def test_a_position_or_a_seat_it_has_not_is_a_bad_request(client: Client, table: Table, query: str) -> None:
    answer = client.get(f"/tables/{table.public_id}?{query}")
    assert answer.status_code == 400
    assert "<script>" not in answer.content.decode()


def test_the_script_gets_one_deal_without_the_frame(client: Client, table: Table) -> None:
    part = client.get(f"/tables/{table.public_id}?part=deal&at=b2").content.decode()
    assert part.startswith('<div class="replay" data-deal="b2"')
    assert "<html" not in part


def test_the_view_is_given_with_its_hash(client: Client, table: Table) -> None:
    answer = client.get(f"/tables/{table.public_id}/view")
    assert json.loads(answer.content)["format"] == "rensho-view/1"
    assert answer["ETag"].strip("W/") == f'"{table.view_sha256}"'
    again = client.get(f"/tables/{table.public_id}/view", headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304
    assert client.get(f"/tables/{table.public_id}/view?board=99").status_code == 404
    assert client.get(f"/tables/{table.public_id}/view?board=x").status_code == 400


def test_a_table_without_a_view_says_so(client: Client, table: Table) -> None:
    Table.objects.filter(pk=table.pk).update(view_sha256="")
    answer = client.get(f"/tables/{table.public_id}")
    assert answer.status_code == 200
    assert client.get(f"/tables/{table.public_id}/view").status_code == 404
    Table.objects.filter(pk=table.pk).update(state=Table.State.VOID)
    assert 'class="replay"' not in client.get(f"/tables/{table.public_id}").content.decode()
