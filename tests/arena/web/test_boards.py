"""The page of a board: every table on the same cards, and nothing of it before its round is over."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import BoardSet, Fixture, Table
from arena.roster.models import Bot
from arena.tables.views import table_view_make
from arena.web.base.figures import format_exact
from arena.web.boards import board as board_module
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out, play_table, seats_of, waiting
from tests.arena.web.visits import new_page, plain
from tests.scores import board_scores

pytestmark = pytest.mark.django_db


def views_make(tournament: Tournament) -> None:
    """Views of its finished tables."""
    for table in Table.objects.filter(tournament=tournament, state=Table.State.FINISHED):
        assert table_view_make(table)


def played(entries: int, **fields: Any) -> Tournament:
    """An event that is over, its tables to be looked at."""
    tournament = play_out(begun(entries, **fields))
    views_make(tournament)
    return tournament


def round_played(tournament: Tournament) -> BoardSet:
    """The boards of its open round, which is over now, its tables to be looked at."""
    board_set = first_set(tournament)
    for table in waiting(tournament):
        play_table(table)
    tournament_advance(tournament)
    views_make(tournament)
    board_set.refresh_from_db()
    return board_set


def first_set(tournament: Tournament) -> BoardSet:
    return BoardSet.objects.filter(round__stage__tournament=tournament).order_by("pk")[0]


rows_of_a_duel = made_once(lambda: played(2, boards_per_round=1), serials=1000)


@pytest.fixture
def duel(rows_of_a_duel: Tournament, db: None) -> Tournament:
    """Two entries met over one board."""
    return given(rows_of_a_duel)


def rows_of(html: str) -> list[str]:
    """The rows of the list of tables."""
    part = html[html.index('class="board-tables') :].split("</table>")[0]
    return [row for row in part.split("<tr")[2:] if 'scope="row"' in row]


def test_every_table_is_listed_with_its_stones_and_a_link_to_the_board(client: Client) -> None:
    board_set = round_played(begun(4, boards_per_round=2))
    html = new_page(client, f"/boards/{board_set.public_id}/2")
    rows = rows_of(html)
    tables = Table.objects.filter(fixture__board_set=board_set).order_by("fixture__number", "rotation")
    assert len(rows) == len(tables) == 4
    for row, table in zip(rows, tables, strict=True):
        assert f'href="/tables/{table.public_id}#b2"' in row
        stones = table.results_on(2)[0].stones
        assert f"<b>{format_exact(stones, signed=True)}</b>" in row
        assert 'class="pictures"' in row
        places = re.findall(r'class="seat-bots" data-label="([^"]*)"', row)
        assert places == ["Seats 1 &amp; 3", "Seats 2 &amp; 4"]
        assert re.search(r" seat [1-4]: \w+[♠♥♦♣]", plain(row))
    scores = board_scores(2, fixture__board_set=board_set)
    assert scores
    for score in scores:
        if score.entry == score.fixture.sides.get(position=0).entry:
            assert format_exact(score.value, signed=True) in html


def test_the_mat_holds_every_card_of_the_deal_once(client: Client, duel: Tournament) -> None:
    html = new_page(client, f"/boards/{first_set(duel).public_id}/1")
    seats = html.split('class="mat-seat ')[1:]
    cards = [card for seat in seats for card in re.findall(r'data-card="(..)"', seat)]
    assert len(cards) == len(set(cards)) == 52


@pytest.mark.parametrize(
    ("entries", "fields", "cards", "sides"),
    [
        (3, {"preset": "kakeya6"}, 52, 3),
        (2, {"preset": "kakkuri", "ruleset": {"seats": 2}}, None, 2),
        pytest.param(8, {"preset": "kakkuri", "ruleset": {"seats": 8}}, None, 8, marks=pytest.mark.full),
        pytest.param(3, {"preset": "etori.simple6"}, 52, 3, marks=pytest.mark.full),
    ],
)
def test_every_number_of_sides_has_its_columns_and_plots(
    client: Client, entries: int, fields: dict[str, Any], cards: int | None, sides: int
) -> None:
    board_set = round_played(begun(entries, boards_per_round=1, **fields))
    html = new_page(client, f"/boards/{board_set.public_id}/1")
    rows = rows_of(html)
    tables = Table.objects.filter(fixture__board_set=board_set)
    assert len(rows) == len(tables) == sides
    # The scores of a single fixture of two sides are a sentence.
    assert html.count('class="plot"') == (0 if sides == 2 else sides)
    if cards:
        seats = html.split('class="mat-seat ')[1:]
        assert sum(len(re.findall(r'data-card="', seat)) for seat in seats) == cards
    else:
        assert "card-komatsu" in html
    for row, table in zip(rows, tables.order_by("rotation"), strict=True):
        results = table.results_on(1)
        shown = re.findall(r'class="num is-\w+">([^<]+)<', row)
        if sides > 2:
            assert shown == [format_exact(result.stones, signed=True) for result in results[:sides]]


def test_a_game_board_lists_its_deals(client: Client) -> None:
    tournament = played(2, board_kind="game", boards_per_round=1, ruleset={"hand_cap": 3})
    board_set = first_set(tournament)
    html = new_page(client, f"/boards/{board_set.public_id}/1")
    assert 'class="mat' not in html
    part = html[html.index('id="game-title"') :]
    for table in Table.objects.filter(tournament=tournament):
        assert f'href="/tables/{table.public_id}#b1d1"' in part
        assert f'href="/tables/{table.public_id}#b1d3"' in part
    assert "deals" in plain(rows_of(html)[0])


def test_forfeits_and_rulings_are_told(client: Client) -> None:
    tournament = begun(4, boards_per_round=1)
    tables = waiting(tournament)
    fixtures = list(tournament.fixtures.order_by("number")[:2])
    loser = fixtures[0].sides.get(position=0).entry
    for table in tables:
        mine = table.fixture_id == fixtures[0].pk
        play_table(table, seats_of(table, loser) if mine and table.rotation == 0 else frozenset())
    fixture_adjudicate(fixtures[1], factories.odo(), "void", [], "the <hall> burned down")
    tournament_advance(tournament)
    views_make(tournament)
    html = new_page(client, f"/boards/{fixtures[0].board_set.public_id}/1")
    tags = re.findall(r'<span\s+class="tag">(\w+)</span>', html)
    assert {"forfeited", "void"} <= set(tags)
    assert "<hall>" not in html


def test_hostile_names_are_text(client: Client, duel: Tournament) -> None:
    hostile = '"><script>alert(1)</script>'
    Bot.objects.filter(versions__entries__tournament=duel).update(name=hostile)
    Tournament.objects.filter(pk=duel.pk).update(name=hostile)
    fixture = duel.fixtures.get()
    event = f"/tournaments/{duel.public_id}"
    for address in (
        f"/boards/{fixture.board_set.public_id}/1",
        f"/fixtures/{fixture.public_id}",
        *(event + part for part in ("", "/deals", "/standings", "/crosstable", "/entries")),
    ):
        html = new_page(client, address)
        assert "<script>alert" not in html
        assert "&lt;script&gt;" in html


def test_a_private_event_has_no_board_for_strangers(client: Client, duel: Tournament) -> None:
    Tournament.objects.filter(pk=duel.pk).update(visibility="private")
    fixture = duel.fixtures.get()
    for address in (
        f"/boards/{fixture.board_set.public_id}/1",
        f"/fixtures/{fixture.public_id}",
        f"/tournaments/{fixture.tournament.public_id}/deals",
        f"/tables/{fixture.tables.all()[0].public_id}",
        f"/tables/{fixture.tables.all()[0].public_id}/view",
    ):
        new_page(client, address, 404)
    client.force_login(factories.odo())
    new_page(client, f"/boards/{fixture.board_set.public_id}/1")


def test_more_tables_than_fit_are_paged_and_drawn_as_bars(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    board_set = round_played(begun(6, boards_per_round=1))
    monkeypatch.setattr(board_module, "CELLS_PER_PAGE", 20)
    address = f"/boards/{board_set.public_id}/1"
    first, second = new_page(client, address), new_page(client, f"{address}?page=2")
    assert len(rows_of(first)) == 4
    assert len(rows_of(second)) == 2
    assert re.search(r'<rect class="plot-(plus|minus|zero)"', first)
    counts = [int(count) for count in re.findall(r"<title>[^<]*: (\d+) tables?</title>", first)]
    assert sum(counts) == 6, "all tables of the round, not those of the page alone"
    plot = first[first.index('class="plot"') :].split("</svg>")[0]
    above = re.findall(r'<text class="plot-tick"[^>]*>(\d+)</text>', plot.rpartition("</rect>")[2])
    assert str(max(counts)) in above


def test_partners_that_change_are_both_named(client: Client) -> None:
    tournament = begun(4, accepts_partners=True, boards_per_round=1, stages=[{"format": "movement"}])
    play_out(tournament)
    views_make(tournament)
    fixture = Fixture.objects.filter(tournament=tournament)[0]
    names = [side.entry.bot_name for side in fixture.sides.all()]
    assert len(names) == 4
    row = rows_of(new_page(client, f"/boards/{fixture.board_set.public_id}/1"))[0]
    assert all(name in row for name in names)
    text = new_page(client, f"/fixtures/{fixture.public_id}")
    assert all(name in text for name in names)
