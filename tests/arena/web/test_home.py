"""The first page: a hand of cards from a closed board, what is alive, how to begin."""

from __future__ import annotations

import datetime
import re
import shlex

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.jobs.flow import table_done
from arena.matches.daily import daily_board
from arena.matches.models import BoardSet, Table
from arena.tables.views import table_view_make
from arena.web.site.daily import daily_deal
from arena.web.site.home import FIRST_STEPS
from bots.kit import cli
from tests.arena.play import play_out, play_table, waiting
from tests.arena.web.conftest import in_state, under_way, with_entries
from tests.arena.web.visits import CAST, text_of, visit
from viewer.cards import komatsu_value

pytestmark = pytest.mark.django_db
State = Tournament.State
DAYS = [datetime.date(2031, 1, 1) + datetime.timedelta(days=number) for number in range(40)]
MOST_BYTES = 100_000
MOST_ELEMENTS = 1_500


def with_views(tournament: Tournament) -> Tournament:
    """The same, with the views of its finished tables."""
    for table in Table.objects.filter(tournament=tournament, state=Table.State.FINISHED):
        table_view_make(table)
    return tournament


def first_round_played(**fields: object) -> Tournament:
    """Running: every table of its first round is played, one of the second."""
    tournament = under_way(**fields)
    for table in waiting(tournament):
        play_table(table)
        table_done(tournament.public_id)
    play_table(waiting(tournament)[0])
    return with_views(tournament)


def test_an_empty_house_says_how_to_begin(client: Client) -> None:
    page = text_of(client, "/")
    assert "make demo" in page


def test_what_is_played_and_what_comes_stands_there_for_everybody_alike(client: Client) -> None:
    running, coming = under_way(), with_entries(1)
    private, draft = under_way(visibility="private"), in_state(State.DRAFT)
    for name in CAST:
        process_cache.clear()
        visit(client, name)
        page = text_of(client, "/").partition('id="home-live"')[2]
        assert f'id="t-{running.public_id}"' in page
        assert f'id="t-{coming.public_id}"' in page
        assert private.name not in page
        assert draft.name not in page


def test_htmx_gets_the_live_part_alone(client: Client) -> None:
    under_way()
    part = client.get("/", headers={"hx-request": "true"}).content.decode()
    assert part.startswith('<div id="home-live"')
    assert "<html" not in part


def test_the_deal_of_the_day_is_one_that_was_played_and_closed(client: Client) -> None:
    assert daily_board(DAYS[0]) is None
    tournament = first_round_played()
    closed = BoardSet.objects.get(state="closed")
    for day in DAYS:
        found = daily_board(day)
        assert found is not None
        assert found.board_set == closed
        assert 1 <= found.number <= closed.boards
        assert {table.fixture_id for table in found.tables} <= set(
            tournament.fixtures.filter(board_set=closed).values_list("pk", flat=True)
        )


def test_no_open_board_is_ever_shown(client: Client) -> None:
    tournament = under_way()
    play_table(waiting(tournament)[0])
    with_views(tournament)
    assert all(daily_board(day) is None for day in DAYS)
    assert 'name="lead"' not in text_of(client, "/")


def test_nothing_of_a_private_event_is_shown(client: Client) -> None:
    with_views(play_out(under_way(2, visibility="private")))
    assert all(daily_board(day) is None for day in DAYS)
    page = text_of(client, "/")
    assert 'id="swings-title"' not in page
    assert 'name="lead"' not in page


def test_the_deal_stays_the_same_while_other_boards_close() -> None:
    play_out(under_way())
    tomorrow = timezone.now().date() + datetime.timedelta(days=1)
    days = [tomorrow + datetime.timedelta(days=number) for number in range(10)]

    def chosen() -> list[tuple[BoardSet, int] | None]:
        return [found and (found.board_set, found.number) for found in map(daily_board, days)]

    before = chosen()
    assert len({found[0].pk for found in before if found}) > 1
    later = play_out(under_way(2))
    late = timezone.now() + datetime.timedelta(days=30)
    BoardSet.objects.filter(round__stage__tournament=later).update(closed_at=late)
    assert [found and found[:2] for found in map(daily_board, days)] == [
        found and found[:2] for found in before
    ]


def test_the_hand_tells_what_the_tables_began_with(client: Client) -> None:
    first_round_played()
    day = timezone.now().date()
    deal = daily_deal(day)
    assert deal is not None
    assert deal.trump
    page = text_of(client, "/")
    assert len(re.findall(r'<input[^>]* name="lead"', page)) == len(deal.cards) == 13
    for opening in deal.openings:
        assert set(opening.cards) <= set(deal.cards)
        for choice in opening.choices:
            table = Table.objects.get(public_id=choice.table)
            sat = table.seats.get(seat=deal.seat)
            assert choice.bot.name == sat.version.bot.name
            result = table.results_on(deal.board.number)[deal.seat - 1].stones
            assert choice.stones == f"{result:+d}".replace("-", "\N{MINUS SIGN}").replace("+0", "0")
            assert f">{choice.stones}</b>" in page
    assert sum(card.tables for suit in deal.suits for card in suit) == deal.tables


def test_kakkuri_lets_only_that_be_chosen_which_may_be_played(client: Client) -> None:
    with_views(play_out(under_way(preset="kakkuri", ruleset={"seats": 3})))
    deal = daily_deal(timezone.now().date())
    assert deal is not None
    lies = komatsu_value(deal.turned)
    values = {12: set(range(1, 13)), 1: {1, 2}, 2: {2, 3}}.get(lies, {lies + 1})
    follow = {card for card in deal.cards if card in ("AC", "2D") or komatsu_value(card) in values}
    page = text_of(client, "/")
    radios = re.findall(r'<input[^>]* name="lead" value="(\w\w)"[^>]*>', page)
    disabled = re.findall(r'<input[^>]* name="lead" value="(\w\w)"[^>]* disabled>', page)
    assert radios == deal.cards
    assert set(radios) - set(disabled) == follow
    assert {card for opening in deal.openings for card in opening.cards} <= follow
    passed = sum(len(opening.choices) for opening in deal.openings if not opening.cards)
    assert deal.tables_passed == passed


def test_swings_lead_to_their_boards(client: Client) -> None:
    tournament = play_out(under_way())
    page = text_of(client, "/")
    swings = page[page.index('id="swings-title"') :]
    assert tournament.name in swings
    assert swings.count('<span class="home-swing') == 2


def test_the_page_is_made_once_for_everybody(client: Client) -> None:
    first_round_played()
    text_of(client, "/")
    with CaptureQueriesContext(connection) as seen:
        text_of(client, "/")
    assert len(seen) == 0


@pytest.mark.full
def test_more_of_everything_needs_no_more_queries_and_no_larger_page(client: Client) -> None:
    def asked() -> int:
        process_cache.clear()
        with CaptureQueriesContext(connection) as seen:
            page = text_of(client, "/")
        assert len(page.encode()) < MOST_BYTES
        assert page.count("<") - page.count("</") < MOST_ELEMENTS
        return len(seen)

    def more() -> None:
        first_round_played(boards_per_round=1)
        with_entries(2)
        with_views(play_out(under_way(2)))

    more()
    before = asked()
    for _ in range(2):
        more()
    assert asked() == before


def test_the_first_steps_are_commands_of_the_kit() -> None:
    first, *others = FIRST_STEPS.splitlines()
    assert first == "pip install ."
    assert len(others) == 3
    for line in others:
        command, *arguments = shlex.split(line)
        assert command == "rensho"
        cli.parser_for(arguments).parse_args(arguments)
