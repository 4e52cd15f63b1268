"""Pages of events where more than two entries meet."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.matches.leases import table_heartbeat
from arena.matches.models import Fixture
from arena.web.rounds import TABLES_AT_MOST
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import begun, claimed, play_out, play_table, waiting

pytestmark = [pytest.mark.django_db, pytest.mark.full]
SIX_OF_FIVE = {"preset": "kakkuri", "ruleset": {"seats": 5}, "boards_per_round": 2}


rows_of_five = made_once(lambda: play_out(begun(5, **SIX_OF_FIVE)), serials=1000)


@pytest.fixture
def five(rows_of_five: Tournament, db: None) -> Tournament:
    """All five entries met at each table; it is over."""
    return given(rows_of_five)


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


def test_a_closed_fixture_lists_its_entries_by_score(client: Client, five: Tournament) -> None:
    fixture = five.fixtures.order_by("-board_set__round__number")[0]
    text = fixture_of(text_of(client, five), fixture)
    totals = {side.entry: 0 for side in fixture.sides.all()}
    for score in fixture.scores.all():
        totals[score.entry] += score.value
    ranked = sorted(totals.values(), reverse=True)
    assert re.findall(r'class="place n">(\d)<', text) == [str(1 + ranked.index(total)) for total in ranked]
    assert 'class="stone"' not in text
    best = max(totals, key=lambda entry: totals[entry])
    if ranked[0] > ranked[1]:
        assert best.bot_name in text.split("</div>")[0]


def test_the_crosstable_has_everybody_against_everybody(client: Client, five: Tournament) -> None:
    html = text_of(client, five)
    cross = html[html.index('id="part-crosstable"') :].split("</table>")[0]
    rows = cross.split("<tr>")[2:]
    standings = list(five.stages.get().standings.order_by("rank"))
    assert len(rows) == len(standings) == 5
    cells = [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in rows]
    for place, (row, standing) in enumerate(zip(rows, standings, strict=True)):
        assert standing.entry.bot_name in row
        assert row.count("stones a board over") == 4
        assert cells[place][place] == ""
        for other in range(5):
            signs = cells[place][other][:1] + cells[other][place][:1]
            assert signs in ("", "+−", "−+", "00")


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
