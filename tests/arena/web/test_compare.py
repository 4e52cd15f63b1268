"""The page of the two tables of a fixture on one board: positions without script, links, access."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import pytest_django
from django.test import Client

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.matches.models import BoardSet, Fixture, Table
from arena.matches.replays import table_view
from arena.tables.views import table_view_make
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out
from tests.arena.web.visits import new_page

pytestmark = pytest.mark.django_db


def views_make(tournament: Tournament) -> None:
    """Views of its finished tables."""
    for table in Table.objects.filter(tournament=tournament, state=Table.State.FINISHED):
        assert table_view_make(table)


def played(**fields: Any) -> Tournament:
    tournament = play_out(begun(2, boards_per_round=2, **fields))
    views_make(tournament)
    return tournament


rows_of_a_duel = made_once(played, serials=4000)


@pytest.fixture
def duel(rows_of_a_duel: Tournament, db: None) -> Fixture:
    """The one fixture of a tournament that is over, of two boards, with the views of its two tables."""
    return given(rows_of_a_duel).fixtures.get()


def page_of(fixture: Fixture, board: int = 1) -> str:
    return f"/fixtures/{fixture.public_id}/boards/{board}/compare"


def states_of(html: str) -> list[list[Any]]:
    found = re.search(r"data-states>(.*?)</script>", html)
    assert found
    rows: list[list[Any]] = json.loads(found[1])
    return rows


def test_both_tables_have_the_same_cards_with_sides_exchanged(client: Client, duel: Fixture) -> None:
    html = new_page(client, page_of(duel, 2))
    parts = html.split('class="compare-table"')[1:]
    cards, names = [], []
    for part, table in zip(parts, duel.tables.order_by("rotation"), strict=True):
        mat = part.split('class="mat ')[1].split('class="compare-table"')[0]
        hands = re.findall(r'data-hand="(\d)"[^>]*>(.*?)</div>', mat)
        cards.append({seat: re.findall(r'data-card="(..)"', hand) for seat, hand in hands})
        names.append(re.findall(r'class="seat-name" title="([^"]+)"', mat))
        assert f'href="/tables/{table.public_id}#b2"' in part
    assert cards[0] == cards[1]
    assert all(len(hand) == 13 for hand in cards[0].values())
    assert names[0] != names[1]
    assert sorted(names[0]) == sorted(names[1])


def test_every_stop_has_an_address_without_script(client: Client, duel: Fixture) -> None:
    html = new_page(client, page_of(duel))
    keys = [state[0] for state in states_of(html)]
    for stop in (0, 1, len(keys) // 2, len(keys) - 1):
        there = client.get(f"{page_of(duel)}?at={keys[stop]}").content.decode()
        assert f'data-position="{stop}"' in there
    links = set(re.findall(r'href="\?at=([^"]+)"', html))
    assert links <= set(keys)
    # The list of differences leads to the first one.
    first = re.search(r'data-difference="(\d+)"', html)
    assert first
    rows = html.split('class="compare-list"')[1].split("</table>")[0]
    assert re.findall(r'href="\?at=([^"]+)"', rows)[0] == keys[int(first[1])]
    assert "style=" not in html
    assert re.findall(r"<script(?! defer src)(?! type=\"application/json\")", html) == []


def test_the_first_difference_is_that_of_the_views(client: Client, duel: Fixture) -> None:
    views = [json.loads(table_view(table, 1) or b"") for table in duel.tables.order_by("rotation")]
    acts = [
        [
            (item["k"], item.get("s"), item.get("a"))
            for deal in view["boards"][0]["deals"]
            for item in (*deal["before"], *deal["steps"])
        ]
        for view in views
    ]
    assert acts[0] != acts[1]
    first = next(index for index, pair in enumerate(zip(*acts, strict=False)) if pair[0] != pair[1])
    declared = len(views[0]["boards"][0]["deals"][0]["before"])
    html = new_page(client, page_of(duel))
    assert f'data-difference="{max(first - declared + 2, 1)}"' in html


@pytest.mark.parametrize(
    ("query", "status"),
    [("at=b9", 400), ("at=b2", 400), ("at=nonsense", 400), ("at=%3Cb%3E", 400), ("", 200)],
)
def test_a_position_that_neither_table_has_is_a_bad_request(
    client: Client, duel: Fixture, query: str, status: int
) -> None:
    answer = client.get(f"{page_of(duel)}?{query}")
    assert answer.status_code == status
    assert "<b>&" not in answer.content.decode()


def test_the_script_gets_one_deal_without_the_frame(client: Client, duel: Fixture) -> None:
    part = client.get(f"{page_of(duel)}?part=deal&at=b1").content.decode()
    assert part.startswith('<div class="replay replay-compare" data-deal="b1"')
    assert "<html" not in part


def test_each_board_score_leads_to_the_page(client: Client, duel: Fixture) -> None:
    address = f'href="{page_of(duel)}"'
    assert address.removesuffix('"') in new_page(client, f"/fixtures/{duel.public_id}")
    assert address in new_page(client, f"/boards/{duel.board_set.public_id}/1")
    deals = new_page(client, f"{duel.tournament.page}/deals")
    home = new_page(client, "/")
    swings = re.findall(r"/boards/\w+/(\d+)", deals)
    assert swings
    for html in (deals, home):
        assert f'href="{page_of(duel, int(swings[0]))}"' in html


def test_the_fixture_page_has_the_first_difference_and_the_deciding_tricks(
    client: Client, duel: Fixture
) -> None:
    html = new_page(client, f"/fixtures/{duel.public_id}")
    for board in (1, 2):
        compared = new_page(client, page_of(duel, board))
        found = re.search(r'data-difference="(\d+)"', compared)
        assert found
        key = states_of(compared)[int(found[1])][0]
        assert f'href="{page_of(duel, board)}?at={key}"' in html
        views = [json.loads(table_view(table, board) or b"") for table in duel.tables.order_by("rotation")]
        steps = [view["boards"][0]["deals"][0]["steps"] for view in views]
        decided = [
            next(step["t"] for step in played if max(step["e"]) > 8 or (step["t"], step["p"]) == (13, 3))
            for played in steps
        ]
        matrix = html.split('class="strip-table"')[1]
        row = matrix.split(f'href="/boards/{duel.board_set.public_id}/{board}"')[1].split("</tr>")[0]
        assert f">{decided[0]} / {decided[1]}<" in row


def test_boards_follow_each_other_and_end(client: Client, duel: Fixture) -> None:
    first, second = (new_page(client, page_of(duel, board)) for board in (1, 2))
    assert (re.findall(r'rel="(prev|next)"', first), re.findall(r'rel="(prev|next)"', second)) == (
        ["next"],
        ["prev"],
    )
    assert client.get(page_of(duel, 3)).status_code == 404


def test_without_two_replays_there_is_no_page_and_no_link(client: Client, duel: Fixture) -> None:
    table = duel.tables.order_by("rotation")[0]
    view = table.view_sha256
    for fields in ({"view_sha256": ""}, {"view_sha256": view, "state": Table.State.VOID}):
        Table.objects.filter(pk=table.pk).update(**fields)
        process_cache.clear()
        answer = client.get(page_of(duel))
        assert answer.status_code == 404
        assert page_of(duel) not in new_page(client, f"/fixtures/{duel.public_id}")
        assert page_of(duel) not in new_page(client, f"/boards/{duel.board_set.public_id}/1")


def test_three_sides_have_no_page_and_no_link(client: Client) -> None:
    tournament = play_out(begun(3, preset="kakkuri", ruleset={"seats": 3}, boards_per_round=1))
    views_make(tournament)
    fixture = tournament.fixtures.order_by("pk")[0]
    assert client.get(page_of(fixture)).status_code == 404
    for page in (f"/fixtures/{fixture.public_id}", f"/boards/{fixture.board_set.public_id}/1"):
        assert "/compare" not in new_page(client, page)
    assert "/compare" not in new_page(client, f"{tournament.page}/deals")


def test_open_boards_are_sealed_whatever_their_number(client: Client, duel: Fixture) -> None:
    BoardSet.objects.filter(pk=duel.board_set_id).update(state=BoardSet.State.OPEN)
    bodies = set()
    for board in (1, 2, 99):
        answer = client.get(page_of(duel, board))
        assert answer.status_code == 423
        bodies.add(answer.content.decode().split("<main")[1].split("</main>")[0])
        assert "data-card" not in answer.content.decode()
    assert len(bodies) == 1
    client.force_login(factories.sota())
    assert client.get(page_of(duel)).status_code == 200


def test_two_seats_of_kakkuri_and_games_are_compared(client: Client) -> None:
    tournament = play_out(
        begun(2, preset="kakkuri", ruleset={"seats": 2}, board_kind="game", boards_per_round=1)
    )
    views_make(tournament)
    fixture = tournament.fixtures.get()
    html = new_page(client, f"{page_of(fixture)}?at=b1d2")
    assert 'data-deal="b1d2"' in html
    assert 'data-board="b1d1"' in html
    assert html.count('class="mat mat-k2"') == 2


def test_the_number_of_queries_is_bounded(
    client: Client, duel: Fixture, django_assert_max_num_queries: pytest_django.DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(14):
        assert client.get(page_of(duel)).status_code == 200
