"""Pages of fixtures, rounds and lists of deals: what they tell, and what they keep while boards are open."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import BoardSet, Fixture, TableSeat
from arena.standings.luck import luck_compute_due
from arena.standings.models import TournamentLuck
from arena.standings.swings import round_swings
from arena.tables.views import table_view_make
from arena.web.base.figures import format_column, format_exact
from arena.web.base.labels import BotLabel, EntryLabel
from arena.web.drawing.sides import sides_heading
from arena.web.tournaments import round_page as round_module
from league.luck import Luck
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out, play_table, seats_of, waiting
from tests.arena.web.visits import new_page, plain
from tests.scores import board_scores

pytestmark = pytest.mark.django_db


def main_of(html: str) -> str:
    return html[html.index("<main") : html.index("</main>")]


rows_of_a_duel = made_once(lambda: play_out(begun(2, boards_per_round=3)), serials=2000)
rows_of_four = made_once(lambda: play_out(begun(4, boards_per_round=2)), serials=3000)


@pytest.fixture
def duel(rows_of_a_duel: Tournament, db: None) -> Fixture:
    """The one fixture of an event that is over, of three boards."""
    return given(rows_of_a_duel).fixtures.get()


@pytest.fixture
def final(rows_of_four: Tournament, db: None) -> Tournament:
    """An event of four entries that is over."""
    return given(rows_of_four)


def test_a_closed_fixture_tells_totals_boards_and_tables(client: Client, duel: Fixture) -> None:
    html = new_page(client, f"/fixtures/{duel.public_id}")
    first = duel.sides.get(position=0).entry
    for score in board_scores(fixture=duel, entry=first):
        assert f'href="/boards/{duel.board_set.public_id}/{score.board}"' in html
    shown = re.findall(r'class="strip-score num">([^<]+)<', html)
    scores = board_scores(fixture=duel, entry=first)
    assert shown == format_column([score.value for score in scores], signed=True)
    (total,) = duel.totals.filter(entry=first)
    heading = html[html.index("<h1>") : html.index("</h1>")]
    assert format_exact(total.value, signed=True) in heading
    assert format_exact(-total.value, signed=True) in heading
    tables = duel.tables.order_by("rotation")
    matrix = html[html.index('class="strip-table"') :].split("</table>")[0]
    sums = []
    for table in tables:
        seat = table.seats.filter(entry=first).first()
        assert seat
        won = [result.stones for result in table.results if result.seat == seat.seat]
        for number, stones in enumerate(won, start=1):
            cell = matrix.split(f'href="/tables/{table.public_id}#b{number}"')[-1].split("</td>")[0]
            assert format_exact(Fraction(stones), signed=True) in cell
        sums.append(sum(won))
    assert Fraction(sum(sums), len(sums)) == total.value
    assert f"/ {len(sums)} " in plain(html)
    assert "data-stream" not in main_of(html)


def test_the_heading_names_the_sides_and_the_swing_leads_to_its_board(client: Client, duel: Fixture) -> None:
    html = new_page(client, f"/fixtures/{duel.public_id}")
    heading = html[html.index("<h1>") : html.index("</h1>")]
    names = [side.entry.version.bot.name for side in duel.sides.order_by("position")]
    assert re.findall("|".join(map(re.escape, names)), heading) == names
    best = max(board_scores(fixture=duel), key=lambda score: (score.value, -score.board))
    swing = html[html.index('class="meeting-swing"') :].split("</p>")[0]
    assert f'href="/boards/{duel.board_set.public_id}/{best.board}"' in swing
    assert best.entry.version.bot.name in swing
    assert format_exact(best.value, signed=True) in swing


def test_fixtures_of_a_round_lead_to_each_other_and_none_is_named_while_sealed(client: Client) -> None:
    tournament = begun(6, boards_per_round=1)
    first, second, third = tournament.fixtures.filter(board_set__round__number=1).order_by("number")
    page = new_page(client, f"/fixtures/{second.public_id}")
    assert f'rel="prev" href="/fixtures/{first.public_id}"' in page
    assert f'rel="next" href="/fixtures/{third.public_id}"' in page
    assert 'rel="prev"' not in new_page(client, f"/fixtures/{first.public_id}")
    for table in second.tables.all():
        play_table(table)
    assert 'class="meeting-swing"' not in new_page(client, f"/fixtures/{second.public_id}")


def test_a_closed_round_leads_to_the_standings_after_it(client: Client, final: Tournament) -> None:
    address = f"/tournaments/{final.public_id}/standings?stage=1&amp;round=2"
    assert f'href="{address}"' in new_page(client, f"/tournaments/{final.public_id}/rounds/1/2")
    swings = round_swings(
        list(BoardSet.objects.filter(round__stage__tournament=final).values_list("pk", flat=True))
    )
    swing = next(iter(swings.values()))
    board_set = BoardSet.objects.get(public_id=swing.board_set)
    html = new_page(client, f"/tournaments/{final.public_id}/rounds/1/{swing.round}")
    part = html[html.index('class="meeting-swing"') :].split("</p>")[0]
    assert f'href="/boards/{board_set.public_id}/{swing.board}"' in part
    assert f'href="/fixtures/{swing.fixture}/boards/{swing.board}/compare"' in part
    assert client.get(address.replace("&amp;", "&")).status_code == 200
    running = begun(4, boards_per_round=1)
    assert "/standings?" not in main_of(new_page(client, f"/tournaments/{running.public_id}/rounds/1/1"))


def test_a_heading_names_versions_only_if_names_are_equal_and_counts_the_rest_of_many_sides() -> None:
    def entry(name: str, version: int = 1, player: str = "aya") -> EntryLabel:
        return EntryLabel(f"{name}{version}{player}", (BotLabel(name, version, ""),), player, False, None)

    duel = [entry("rules")], [entry("pimc")]
    assert sides_heading(duel) == "rules – pimc"
    assert "v2" in sides_heading([[entry("rules")], [entry("rules", 2)]])
    assert "ben" in sides_heading([[entry("rules")], [entry("rules", player="ben")]])
    many = [[entry(f"bot{number}")] for number in range(8)]
    heading = sides_heading(many)
    assert all(f"bot{number}" in heading for number in range(3))
    assert "bot3" not in heading
    assert "5" in heading
    assert sides_heading(many[:4]).count("bot") == 4


def test_more_than_two_sides_have_a_row_each(client: Client) -> None:
    tournament = play_out(begun(3, preset="kakkuri", ruleset={"seats": 3}, boards_per_round=2))
    fixture = tournament.fixtures.order_by("pk")[0]
    html = new_page(client, f"/fixtures/{fixture.public_id}")
    table = html[html.index('class="strip-table"') :].split("</table>")[0]
    shown = [
        re.findall(r'<td\s+class="n is-\w+">([^<]*)<', row)
        for row in table.split("<tbody>")[1].split("<tr>")[1:]
    ]
    totals = sorted(fixture.totals.all(), key=lambda total: -total.value)
    for row, total in zip(shown, totals, strict=True):
        options = [
            [format_exact(value, signed=True) for value in other.boards.values()]
            for other in totals
            if other.value == total.value
        ]
        assert row in options


def test_void_and_forfeited_fixtures_say_why_and_who_ruled(client: Client) -> None:
    tournament = begun(4, boards_per_round=1)
    first, second = tournament.fixtures.order_by("number")[:2]
    loser = first.sides.all()[1].entry
    for table in waiting(tournament):
        play_table(table, seats_of(table, loser) if table.fixture_id == first.pk else frozenset())
    fixture_adjudicate(second, factories.odo(), "void", [], "the hall <burned> down")
    tournament_advance(tournament)
    assert new_page(client, f"/fixtures/{first.public_id}")
    html = new_page(client, f"/fixtures/{second.public_id}")
    assert "the hall &lt;burned&gt; down" in html
    assert "odo" in plain(html)


def test_faults_are_named_as_the_replay_does_counted_and_linked(client: Client) -> None:
    tournament = begun(2, boards_per_round=2)
    for table in waiting(tournament):
        play_table(table, faulty=frozenset({2}) if table.rotation == 0 else frozenset())
    tournament_advance(tournament)
    seat = TableSeat.objects.get(table__tournament=tournament, table__rotation=0, seat=2)
    seat.faults = [{**seat.faults[0], "board": number} for number in (2, 2)]
    seat.save()
    table = seat.table
    assert table_view_make(table)
    html = new_page(client, f"/fixtures/{table.fixture.public_id}")
    assert re.search(r" 2, [^:]+: [^:]+ ×2 ", plain(html))
    (address,) = re.findall(rf'href="(/tables/{table.public_id}\?[^"]*)"', html)
    assert address == f"/tables/{table.public_id}?at=b2f2"
    assert client.get(address).status_code == 200
    assert address in new_page(client, f"/boards/{table.fixture.board_set.public_id}/1")


def test_a_round_is_paged_and_links_boards_and_fixtures(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = begun(6, boards_per_round=2)
    for _ in range(2):
        for table in waiting(tournament):
            play_table(table)
        tournament_advance(tournament)
    monkeypatch.setattr(round_module, "MAX_ELEMENTS", 70)
    address = f"/tournaments/{tournament.public_id}/rounds/1/2"
    fixtures = list(tournament.fixtures.filter(board_set__round__number=2))
    found: list[str] = []
    for number in (1, 2):
        html = main_of(new_page(client, f"{address}?page={number}"))
        found += re.findall(r'href="/fixtures/(\w+)"', html)
        assert f"/boards/{fixtures[0].board_set.public_id}/2" in html
        assert "round 1" in plain(html)
        assert "round 3" in plain(html)
    assert sorted(found) == sorted(fixture.public_id for fixture in fixtures)


def test_the_lists_of_deals_say_how_much_luck_the_same_cards_took_out(
    client: Client, final: Tournament
) -> None:
    address = f"/tournaments/{final.public_id}/deals"
    assert "luck-title" not in new_page(client, address)
    luck_compute_due()
    few = luck_of(client, address)
    assert few[:2] == ["32", "12"]
    assert f"{2 * final.stages.get().rounds.count()}" in few
    found = Luck(2.529, 2.1, 3.046, 1.234, 1.962, 6, 96)
    TournamentLuck.objects.update(has_factor=True, values=found._asdict())
    assert luck_of(client, address)[:7] == ["2.53", "95", "2.10", "3.05", "1.23", "1.96", "96"]


def luck_of(client: Client, address: str) -> list[str]:
    """The figures of the part of luck."""
    return re.findall(r"\d+(?:\.\d+)?", plain(new_page(client, address).partition('id="luck-title"')[2]))
