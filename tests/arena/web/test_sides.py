"""Pages of events where more than two entries meet."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.leases import table_heartbeat
from arena.matches.models import Fixture
from arena.web.tournaments.rounds import TABLES_AT_MOST
from tests import factories
from tests.arena.play import begun, claimed, play_table, seats_of, waiting

pytestmark = [pytest.mark.django_db, pytest.mark.full]
SIX_OF_FIVE = {"preset": "kakkuri", "ruleset": {"seats": 5}, "boards_per_round": 2}


def text_of(client: Client, tournament: Tournament) -> str:
    process_cache.clear()
    response = client.get(f"/tournaments/{tournament.public_id}")
    assert response.status_code == 200
    return response.content.decode()


def fixture_of(html: str, fixture: Fixture) -> str:
    return html[html.index(f'id="f-{fixture.public_id}"') :].split("</li>")[0]


def plain(html: str) -> str:
    """The words alone."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


@pytest.mark.parametrize(
    ("fields", "size", "words"),
    [
        ({}, "2 pairs", "a bye counts as a win"),
        ({"preset": "kakeya6"}, "3 pairs", "gets the points of 2 draws"),
        ({"preset": "etori.simple6"}, "3 pairs", "gets the points of 2 draws"),
        ({"preset": "kakkuri"}, "7 seats", "gets the points of 6 draws"),
        ({"preset": "kakkuri", "ruleset": {"seats": 2}}, "2 seats", "a bye counts as a win"),
    ],
)
def test_the_page_and_the_list_say_what_sits_round_a_table(
    client: Client, fields: dict[str, object], size: str, words: str
) -> None:
    tournament = factories.an_open_tournament(**fields)
    html = text_of(client, tournament)
    assert f"<span>{size}</span>" in html
    assert words in html
    assert f"<span>{size}</span>" in client.get("/tournaments").content.decode()


def test_who_has_no_fixture_sits_out(client: Client) -> None:
    html = plain(text_of(client, begun(6, **SIX_OF_FIVE)))
    assert html.count("sits out") == 2, "in the round, and in the rules"
    assert "has a bye" not in html
    assert "0 of 1 fixture done" in html


def test_many_tables_are_summed_up_and_the_ones_being_played_shown(client: Client) -> None:
    tournament = begun(7, preset="kakkuri", boards_per_round=8)
    tables = waiting(tournament)
    assert len(tables) == 14 > TABLES_AT_MOST
    play_table(tables[0])
    lease = claimed(tables[1])
    assert table_heartbeat(lease.table_id, lease.fence, 3, 60)
    text = fixture_of(text_of(client, tournament), tables[0].fixture)
    assert "7 of 56 boards, 1 of 14 tables finished" in plain(text)
    assert text.count("<progress") == 2
    assert 'aria-label="Table 2: 3 of 4 boards"' in text


def test_a_forfeit_is_shown_beside_the_entry(client: Client) -> None:
    tournament = begun(5, **SIX_OF_FIVE)
    tables = waiting(tournament)
    loser = tables[0].fixture.sides.all()[1].entry
    for table in tables:
        play_table(table, seats_of(table, loser))
    tournament_advance(tournament)
    text = fixture_of(text_of(client, tournament), tables[0].fixture)
    (line,) = [side for side in text.split("</div>") if "forfeited a table" in side]
    assert loser.bot_name in line
    assert "−" in line
