"""The board page with notes: values of leads, costliest plays with their links, the field in one position."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from arena.common.blobs import blob_get
from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.matches.models import Fixture, Table
from arena.matches.replays import table_view
from arena.web.drawing import board_costs
from arena.web.drawing.board_costs import costs_by_table, field_of, leads_of
from tests.arena.features.analysis.conftest import tables_of
from tests.arena.features.analysis.notes import analysed, notes_of

pytestmark = pytest.mark.django_db


def page_of(client: Client, table: Table, board: int = 1) -> str:
    process_cache.clear()
    return client.get(f"/boards/{table.fixture.board_set.public_id}/{board}").content.decode()


def costly_steps(table: Table, board: int) -> dict[int, int]:
    """Costs by index of the play."""
    notes = notes_of(blob_get(table.record_sha256))
    deal = next(deal for deal in notes["deals"] if deal["board"] == board)
    return {int(step): note["cost"] for step, note in deal["steps"].items() if "cost" in note}


def test_without_notes_the_page_has_no_trace_of_them(client: Client, table: Table) -> None:
    html = page_of(client, table)
    assert html.count('scope="row"') == 2
    for mark in ("cost-cell", "field-title", "leads-title"):
        assert mark not in html


def test_each_table_has_its_costliest_play_with_a_link(client: Client, event: Tournament) -> None:
    analysed()
    for table in tables_of(event):
        for board in (1, 2):
            html = page_of(client, table, board)
            cell = html[html.rindex(f'href="/tables/{table.public_id}#b{board}"') :]
            cell = cell[cell.index('class="cost-cell"') :].split("</td>")[0]
            link = re.search(rf'<a href="/tables/{table.public_id}\?at=b{board}t(\d+)p(\d)"', cell)
            costs = costly_steps(table, board)
            assert bool(link) == bool(costs)
            if link:
                step = 4 * (int(link[1]) - 1) + int(link[2]) - 1
                assert costs[step] == max(costs.values())
                assert f"▾{costs[step]}" in cell or f"▿{costs[step]}" in cell


def test_a_table_without_notes_says_so_beside_one_with_notes(client: Client, table: Table) -> None:
    analysed()
    sibling = table.fixture.tables.exclude(pk=table.pk).get()
    sibling.analyses.update(state="waiting")
    assert page_of(client, table).count("not analysed yet") == 1
    Fixture.objects.filter(pk=table.fixture_id).update(state="open")
    assert "cost-cell" not in page_of(client, table), "it is played again"


def with_notes(monkeypatch: pytest.MonkeyPatch, tables: list[Table], *noted: dict[str, Any]) -> None:
    """Give each table made-up notes on one deal."""
    process_cache.clear()
    by_hash = {f"made-{table.pk}": deal for table, deal in zip(tables, noted, strict=True)}
    hashes = {table.pk: f"made-{table.pk}" for table in tables}
    monkeypatch.setattr(board_costs, "table_notes", lambda _: hashes)
    monkeypatch.setattr(
        board_costs,
        "stored_notes",
        lambda sha256: json.dumps({"deals": [by_hash[sha256]]}).encode() if sha256 in by_hash else None,
    )


def noted_deal(**changes: Any) -> dict[str, Any]:
    return {
        "board": 1, "deal": 1, "from": 0, "value": 0, "leads": {}, "declarations": {}, "steps": {}, **changes,
    }  # fmt: skip


def test_the_field_is_compared_in_the_same_position(
    client: Client, event: Tournament, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    sibling = table.fixture.tables.exclude(pk=table.pk).get()
    deals = [json.loads(table_view(each, 1) or b"")["boards"][0]["deals"][0] for each in (table, sibling)]
    assert deals[0]["hands"] == deals[1]["hands"]
    seat, card = deals[0]["steps"][0]["s"], deals[0]["steps"][0]["a"]
    other = next(code for code in deals[0]["hands"][str(seat)] if code != card)
    is_first = seat in json.loads(table_view(table) or b"")["sides"][0]
    best, played = (2, 0) if is_first else (-2, 0)
    note = {"seat": seat, "action": card, "cost": 2, "values": {str(best): [other], str(played): [card]}}
    leads = {str(seat): 2 for seat in deals[0]["leaders"]}
    with_notes(
        monkeypatch, [table, sibling], noted_deal(steps={"0": note}, leads=leads), noted_deal(leads=leads)
    )
    costs = costs_by_table([table, sibling], 1)
    assert dict(leads_of(costs)) == {int(each): 2 for each in leads}
    field = field_of(costs)
    assert field is not None
    assert (field.table, field.moment.step, field.moment.cost) == (table.pk, 0, 2)
    same = deals[1]["steps"][0]["s"] == seat
    at = [where for play in field.plays for where in play.tables]
    assert at[0] == (table.pk, "b1t1p1")
    assert (field.others, len(at)) == ((0, 2) if same else (1, 1))
    assert {play.cards: play.cost for play in field.plays} == {(other,): 0, (card,): 2}
    html = page_of(client, table)
    assert "field-title" in html
    assert html.count("?at=b1t1p1") >= 3
    for lead in leads:
        assert f"Seat {lead} leads" in html


def test_tables_that_disagree_about_the_leads_show_none(
    event: Tournament, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    sibling = table.fixture.tables.exclude(pk=table.pk).get()
    with_notes(monkeypatch, [table, sibling], noted_deal(leads={"1": 2}), noted_deal(leads={"1": 1}))
    assert leads_of(costs_by_table([table, sibling], 1)) == ()


def test_of_several_costly_decisions_the_costliest_is_named(
    client: Client, event: Tournament, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = json.loads(table_view(table, 1) or b"")["boards"][0]["deals"][0]["steps"]
    noted = {
        str(index): {
            "seat": steps[index]["s"],
            "action": steps[index]["a"],
            "cost": cost,
            "values": {"0": [steps[index]["a"]]},
        }
        for index, cost in ((0, 1), (4, 3), (8, 2))
    }
    with_notes(monkeypatch, [table], noted_deal(steps=noted))
    costliest = costs_by_table([table], 1)[table.pk].costliest
    assert costliest is not None
    assert (costliest.step, costliest.cost, costliest.position) == (4, 3, "b1t2p1")
    assert f'<a href="/tables/{table.public_id}?at=b1t2p1">' in page_of(client, table)
