"""The watch page: which boards, in which order, to whom, and at what cost."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.features.analysis.watching import board_before, following_board, latest_board
from arena.matches.models import BoardSet, Fixture, Table
from arena.matches.rounds import board_set_close
from arena.standings.models import BoardFigures
from tests.arena.features.analysis.conftest import tables_of
from tests.arena.features.analysis.notes import analysed
from tests.arena.play import begun

pytestmark = pytest.mark.django_db


def rounds() -> list[BoardSet]:
    """Opened rounds that have a swing, the latest first."""
    return list(
        BoardSet.objects.filter(state="closed", figures__swing__gt=0).distinct().order_by("-closed_seq")
    )


def largest(board_set: BoardSet) -> tuple[str, int]:
    figures = BoardFigures.objects.filter(board_set=board_set).order_by("-swing", "board")[0]
    return figures.best_fixture.public_id, figures.board


@pytest.fixture
def swings(event: Tournament) -> list[BoardSet]:
    """Both rounds, each with a swing on its last board."""
    for board_set in BoardSet.objects.filter(state="closed"):
        fixture = board_set.fixtures.order_by("pk")[0]
        BoardFigures.objects.filter(board_set=board_set).update(
            swing=1.0,
            best_numerator=1,
            best_denominator=1,
            mean_numerator=1,
            mean_denominator=1,
            best_fixture=fixture,
        )
        BoardFigures.objects.filter(board_set=board_set, board=2).update(swing=5.0, best_numerator=5)
    return rounds()


def followed(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 302, answer.content
    return str(answer["Location"])


def test_the_latest_round_comes_first_then_earlier_ones_then_the_latest_again(
    client: Client, swings: list[BoardSet]
) -> None:
    expected = ["/watch/{}/{}".format(*largest(board_set)) for board_set in swings]
    assert len(expected) == 2
    assert all(address.endswith("/2") for address in expected), "the board with the largest swing"
    address, seen = "/watch", []
    for _ in range(3):
        place = followed(client, address)
        seen.append(place)
        html = client.get(place).content.decode()
        assert html.count("data-table=") >= 2, "both tables"
        address = html.split('data-watch-next href="')[1].split('"')[0].replace("&amp;", "&")
    assert seen == [*expected, expected[0]]


def test_a_newer_round_comes_next(client: Client, swings: list[BoardSet]) -> None:
    newer, older = swings
    BoardSet.objects.filter(pk=newer.pk).update(state="open")
    place = followed(client, "/watch")
    assert place == "/watch/{}/{}".format(*largest(older))
    html = client.get(place).content.decode()
    address = html.split('data-watch-next href="')[1].split('"')[0].replace("&amp;", "&")
    assert followed(client, address) == place, "no other round has been opened"
    BoardSet.objects.filter(pk=newer.pk).update(state="closed")
    assert followed(client, address) == "/watch/{}/{}".format(*largest(newer))
    assert followed(client, "/watch") == "/watch/{}/{}".format(*largest(newer))


@pytest.mark.parametrize(
    "change",
    [
        lambda fixture: Fixture.objects.filter(pk=fixture.pk).update(state="open"),
        lambda fixture: Fixture.objects.filter(pk=fixture.pk).update(state="forfeited"),
        lambda fixture: BoardSet.objects.filter(pk=fixture.board_set_id).update(state="open"),
        lambda fixture: Tournament.objects.filter(pk=fixture.tournament_id).update(visibility="private"),
        lambda fixture: Tournament.objects.filter(pk=fixture.tournament_id).update(state="draft"),
    ],
)
def test_only_what_the_access_rule_opens(
    client: Client, event: Tournament, swings: list[BoardSet], change: Any
) -> None:
    latest = latest_board()
    assert latest is not None
    fixture = Fixture.objects.get(public_id=latest.fixture)
    change(fixture)
    assert latest_board() != latest
    for user in (None, event.organiser):
        if user:
            client.force_login(user)
        for at in ("", "b2", "nonsense"):
            assert client.get(f"/watch/{latest.fixture}/2", {"at": at}).status_code in (404, 423)
        assert client.get("/watch").get("Location") != f"/watch/{latest.fixture}/2"


def test_boards_without_two_tables_to_show_are_left_out(swings: list[BoardSet]) -> None:
    newer, older = swings
    Table.objects.filter(fixture__board_set=newer).update(view_sha256="")
    latest = latest_board()
    assert latest is not None
    assert latest.closed_seq == older.closed_seq
    BoardSet.objects.update(event_seq=None)
    assert latest_board() is None


def test_only_rounds_of_tournaments_have_a_position(event: Tournament) -> None:
    board_sets = BoardSet.objects.filter(state="closed")
    assert board_sets
    assert all(board_set.event_seq == board_set.closed_seq for board_set in board_sets)
    challenge = begun(2)
    Tournament.objects.filter(pk=challenge.pk).update(kind="challenge")
    board_set = BoardSet.objects.get(round__stage__tournament=challenge)
    board_set_close(board_set)
    board_set.refresh_from_db()
    assert board_set.closed_seq
    assert board_set.event_seq is None


def test_nothing_opened_yet(client: Client) -> None:
    # The rows that the module's tests share are there if one of them has run before.
    BoardSet.objects.update(event_seq=None)
    answer = client.get("/watch")
    assert answer.status_code == 200
    assert 'href="/play"' in answer.content.decode()
    assert client.get("/watch", {"after": "3", "newest": "9"}).status_code == 200


@pytest.mark.parametrize("value", ["", "x", "-1", "9" * 40, "1.5", "\N{SUPERSCRIPT TWO}"])
def test_other_numbers_lead_to_the_latest(client: Client, swings: list[BoardSet], value: str) -> None:
    assert followed(client, f"/watch?after={value}&newest={value}") == "/watch/{}/{}".format(
        *largest(swings[0])
    )


def test_the_notes_name_the_costliest_play(client: Client, table: Table, swings: list[BoardSet]) -> None:
    analysed()
    costs = {}
    for each in tables_of(table.tournament):
        for play in (row.costly_plays.all() for row in each.analyses.all()):
            costs.update({(each.fixture.public_id, one.board): one for one in play})
    fixture, board = next(iter(costs))
    html = client.get(f"/watch/{fixture}/{board}").content.decode()
    assert f"?at={costs[fixture, board].position.split('t')[0]}" in html


def test_queries_do_not_grow_with_rounds(client: Client, swings: list[BoardSet]) -> None:
    newest = swings[0].closed_seq
    assert newest is not None
    for call in (latest_board, lambda: board_before(newest)):
        with CaptureQueriesContext(connection) as seen:
            assert call() is not None
        assert len(seen) == 1
    with CaptureQueriesContext(connection) as seen:
        following_board(newest, newest)
    assert len(seen) == 2
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            query = [entry["sql"] for entry in seen.captured_queries][-1]
            cursor.execute(f"EXPLAIN QUERY PLAN {query}")
            plan = json.dumps(cursor.fetchall())
            assert "SCAN" not in plan, plan


def test_the_page_lists_the_latest_rounds_and_running_tournaments_of_a_game(
    client: Client, event: Tournament, swings: list[BoardSet]
) -> None:
    Tournament.objects.filter(pk=event.pk).update(state="running")
    boards = ["/watch/{}/{}".format(*largest(board_set)) for board_set in swings]
    html = client.get(f"{boards[0]}?game={event.game}").content.decode()
    part = html.split('id="latest-title"')[1].split("</section>")[0]
    assert [part.index(f'href="{board}?game={event.game}"') for board in boards] == sorted(
        part.index(f'href="{board}') for board in boards
    )
    running = html.split('id="running-title"')[1].split("</section>")[0]
    assert f'href="{event.page}"' in running
    assert f"game={event.game}" in html.split('data-watch-next href="')[1].split('"')[0]
    other = client.get("/watch", {"game": "kakkuri"}).content.decode()
    assert boards[0] not in other
    assert event.page not in other
    assert followed(client, "/watch?game=nonsense") == boards[0]
    BoardSet.objects.filter(pk=swings[0].pk).update(state="open")
    html = client.get(boards[1]).content.decode()
    assert boards[0] not in html, "a sealed round is not listed"


def test_pages_lead_to_it(client: Client, swings: list[BoardSet]) -> None:
    html = client.get("/").content.decode()
    assert html.count('href="/watch"') == 2
    assert html.index('href="/watch"') < html.index('href="/tournaments"')


def test_the_event_page_says_which_round_is_finished_and_every_finished_round_has_a_replay(
    client: Client, event: Tournament, swings: list[BoardSet]
) -> None:
    html = client.get(f"/tournaments/{event.public_id}").content.decode()
    links = ["/fixtures/{}/boards/{}/compare".format(*largest(board_set)) for board_set in swings]
    button = html.split('class="button primary"')[1].split("</a>")[0]
    assert links[0] in button or "/watch/{}/{}".format(*largest(swings[0])) in button
    rounds = html.split('id="part-rounds"')[1]
    assert [rounds.count(f'href="{link}"') for link in links] == [1, 1]
    process_cache.clear()
    BoardSet.objects.filter(pk=swings[0].pk).update(state="open")
    html = client.get(f"/tournaments/{event.public_id}").content.decode()
    assert links[0] not in html
    assert links[1] in html


def test_the_page_of_a_bot_links_to_its_latest_board_that_can_be_watched(
    client: Client, event: Tournament
) -> None:
    fixture = Fixture.objects.filter(board_set__in=rounds(), sides__side=1).latest("pk")
    bot = fixture.sides.order_by("position")[0].entry.version.bot

    def link() -> str:
        process_cache.clear()
        page = client.get(f"/bots/{bot.public_id}").content.decode()
        found = re.search(r'href="(/watch/[^"]+)"', page)
        return found[1] if found else ""

    address = link()
    assert address.startswith(f"/watch/{fixture.public_id}/")
    assert client.get(address).status_code == 200
    Table.objects.filter(fixture=fixture).update(view_sha256="")
    earlier = link()
    assert fixture.public_id not in earlier
    Tournament.objects.filter(pk=event.pk).update(visibility="private")
    client.force_login(bot.owner.user)
    assert link() == ""
