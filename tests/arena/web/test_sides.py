"""Pages of events where more than two entries meet."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from arena.jobs.flow import tournament_advance
from arena.matches.leases import table_heartbeat
from arena.matches.models import Fixture
from arena.web.tournaments.rounds import MAX_TABLES_LISTED
from tests import factories
from tests.arena.play import begun, claimed, play_table, seats_of, waiting
from tests.arena.web.visits import new_page, plain

pytestmark = [pytest.mark.django_db, pytest.mark.full]
SIX_OF_FIVE = {"preset": "kakkuri", "ruleset": {"seats": 5}, "boards_per_round": 2}


def fixture_of(html: str, fixture: Fixture) -> str:
    return html[html.index(f'id="f-{fixture.public_id}"') :].split("</li>")[0]


@pytest.mark.parametrize(
    ("fields", "size"),
    [
        ({}, "2"),
        ({"preset": "kakeya6"}, "3"),
        ({"preset": "kakkuri"}, "7"),
        ({"preset": "kakkuri", "ruleset": {"seats": 2}}, "2"),
    ],
)
def test_the_page_and_the_list_say_what_sits_round_a_table(
    client: Client, fields: dict[str, object], size: str
) -> None:
    tournament = factories.an_open_tournament(**fields)
    html = new_page(client, tournament.page)
    assert f"<span>{size} " in html
    assert f"<span>{size} " in client.get("/tournaments").content.decode()


def test_many_tables_are_summed_up_and_the_ones_being_played_shown(client: Client) -> None:
    tournament = begun(7, preset="kakkuri", boards_per_round=8)
    tables = waiting(tournament)
    assert len(tables) == 14 > MAX_TABLES_LISTED
    play_table(tables[0])
    lease = claimed(tables[1])
    assert table_heartbeat(lease.table_id, lease.fence, 3, 60)
    text = fixture_of(new_page(client, tournament.page), tables[0].fixture)
    assert re.search(r"\b7\D+56\D+1\D+14\b", plain(text))
    assert text.count("<progress") == 2
    assert re.search(r'aria-label="[^"0-9]+2[^"0-9]+3[^"0-9]+4', text)


def test_a_forfeit_is_shown_beside_the_entry(client: Client) -> None:
    tournament = begun(5, **SIX_OF_FIVE)
    tables = waiting(tournament)
    loser = tables[0].fixture.sides.all()[1].entry
    for table in tables:
        play_table(table, seats_of(table, loser))
    tournament_advance(tournament)
    text = fixture_of(new_page(client, tournament.page), tables[0].fixture)
    (line,) = [side for side in text.split("</div>") if loser.bot_name in side]
    assert "−" in line
