"""Pages of a large event: their size, their queries, their pages of lines. The event is written in bulk."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.accounts.models import User
from arena.common.process_cache import process_cache
from arena.competition.models import Entry, Tournament
from arena.matches.models import Fixture
from arena.standings.models import StandingRow
from tests.arena.once import made_once
from tests.large import large_event
from tests.large_tables import fixtures_played, tables_add, views_add

pytestmark = pytest.mark.full

MOST_BYTES = 100_000
MOST_ELEMENTS = 1500
ENTRIES, ROUNDS = 142, 141
PARTS = ("", "/standings", "/standings?page=2", "/crosstable", "/crosstable?row=21&column=41", "/entries")
HOSTILE = ("0", "-1", "99999999999999999999", "x", "1e3", "%00", "２", "1' OR '1", "")


class Events:
    """A small event and one of 10,011 fixtures."""

    def __init__(self) -> None:
        self.large = large_event(ENTRIES, ROUNDS)
        self.small = large_event(60, 17, organiser=self.large.organiser)
        views = views_add(4, 4)
        for event in (self.large, self.small):
            tables_add(event, fixtures_played(event, event.entries.earliest("pk").pk)[0], views)


events = made_once(Events)
"""Both for all tests of this module, and gone after it."""


@pytest.fixture
def large(events: Events, db: None) -> Tournament:
    return events.large


def page_of(client: Client, tournament: Tournament, rest: str = "", **headers: str) -> str:
    response = client.get(f"/tournaments/{tournament.public_id}{rest}", headers=headers)
    assert response.status_code == 200, (rest, response.content.decode()[-800:])
    return response.content.decode()


def elements(html: str) -> int:
    return len(re.findall(r"<[a-zA-Z]", html))


def ranks(html: str) -> list[int]:
    return [int(rank) for rank in re.findall(r'<td class="n rank">(\d+)</td>', html)]


@pytest.mark.parametrize("part", PARTS)
def test_a_page_of_ten_thousand_fixtures_is_small(client: Client, large: Tournament, part: str) -> None:
    assert Fixture.objects.filter(tournament=large).count() > 10_000
    html = page_of(client, large, part)
    assert len(html.encode()) <= MOST_BYTES
    assert elements(html) <= MOST_ELEMENTS


FILES = ("/feed.atom", "/standings.csv", "/rounds.csv?round=2", "/board-scores.csv?round=2")


@pytest.mark.parametrize("part", [*PARTS, "/live", "/standings?find=tsubame", *FILES])
def test_a_large_event_needs_no_more_queries_than_a_small_one(
    client: Client, events: Events, db: None, part: str
) -> None:
    def queries(tournament: Tournament) -> int:
        process_cache.clear()
        with CaptureQueriesContext(connection) as seen:
            page_of(client, tournament, part)
        return len(seen)

    assert queries(events.large) == queries(events.small)


OPENED = ("watch", "picture", "position embed", "board embed", "board oembed", "table oembed")


@pytest.mark.parametrize("page", ["fixture", "board", "table", "bot", "version", "player", *OPENED])
def test_pages_of_what_a_large_event_played_need_no_more_queries(
    client: Client, events: Events, db: None, page: str
) -> None:
    def queries(tournament: Tournament) -> int:
        entry = (
            Entry.objects.filter(tournament=tournament)
            .select_related("player", "version__bot")
            .earliest("pk")
        )
        fixture = Fixture.objects.filter(tournament=tournament, tables__view_sha256__gt="").earliest("pk")
        board = f"/boards/{fixture.board_set.public_id}/2"
        table = f"/tables/{fixture.tables.all()[0].public_id}"
        addresses = {
            "fixture": f"/fixtures/{fixture.public_id}",
            "board": board,
            "table": table,
            "watch": f"/watch/{fixture.public_id}/2",
            "picture": f"/pictures{board}.png",
            "position embed": f"/embed{table}",
            "board embed": f"/embed{board}",
            "board oembed": f"/oembed?url=http://testserver{board}",
            "table oembed": f"/oembed?url=http://testserver{table}",
            "bot": f"/bots/{entry.version.bot.public_id}",
            "version": f"/versions/{entry.version.public_id}",
            "player": f"/players/{entry.player.handle}",
        }
        process_cache.clear()
        with CaptureQueriesContext(connection) as seen:
            assert client.get(addresses[page]).status_code == 200
        return len(seen)

    assert queries(events.large) == queries(events.small)


def test_a_second_reader_costs_two_queries(client: Client, large: Tournament) -> None:
    page_of(client, large)
    with CaptureQueriesContext(connection) as seen:
        page_of(client, large)
    assert len(seen) == 2


def test_standings_come_fifty_a_page(client: Client, large: Tournament) -> None:
    assert ranks(page_of(client, large)) == list(range(1, 11))
    pages = [ranks(page_of(client, large, f"/standings?page={number}")) for number in (1, 2, 3)]
    assert [rank for page in pages for rank in page] == list(range(1, ENTRIES + 1))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_page_number_is_a_fault(client: Client, large: Tournament, text: str) -> None:
    for part in ("standings", "entries"):
        status = client.get(f"/tournaments/{large.public_id}/{part}?page={text}").status_code
        assert status == (400 if text else 200)
    for name in ("row", "column", "stage", "round"):
        for part in ("crosstable", "standings", "rounds"):
            status = client.get(f"/tournaments/{large.public_id}/{part}?{name}={text}").status_code
            assert status in (200, 302, 400, 404), (part, name)


def test_a_bot_is_found_with_its_rank(client: Client, large: Tournament) -> None:
    row = (
        StandingRow.objects.filter(stage__tournament=large, rank=97)
        .select_related("entry__version__bot")
        .get()
    )
    name = row.entry.version.bot.name
    html = page_of(client, large, f"/standings?find={name.upper().replace(' ', '+')}")
    assert 97 in ranks(html)
    assert all(name.lower() in line.lower() for line in html.split("<tr id=")[1:])
    window = page_of(client, large, f"/crosstable?find={name.replace(' ', '+')}&column=26")
    assert heads_of(window) == ["81", "100", "21", "40", "142"]


def test_my_bots_stand_alone(client: Client, large: Tournament) -> None:
    row = (
        StandingRow.objects.filter(stage__tournament=large, rank=88)
        .select_related("entry__player__user")
        .get()
    )
    owner: User = row.entry.player.user
    client.force_login(owner)
    found = ranks(page_of(client, large, "/standings?mine=1"))
    assert 88 in found
    assert (
        len(found) == StandingRow.objects.filter(stage__tournament=large, entry__player__user=owner).count()
    )
    client.logout()
    assert ranks(page_of(client, large, "/standings?mine=1")) == list(range(1, 51))


def test_own_rows_of_a_large_field_are_on_the_page(client: Client, large: Tournament) -> None:
    rows = StandingRow.objects.filter(stage__tournament=large)
    last = rows.select_related("entry__player__user").get(rank=ENTRIES)
    client.force_login(last.entry.player.user)
    own = rows.filter(entry__player=last.entry.player, rank__gt=10).order_by("rank")
    page = page_of(client, large).partition('id="live-own"')[2].partition('id="live-enter"')[0]
    assert ranks(page) == [row.rank for row in own]
    first = rows.select_related("entry__player__user").get(rank=1)
    if not rows.filter(entry__player=first.entry.player, rank__gt=10).exists():
        client.force_login(first.entry.player.user)
        page = page_of(client, large).partition('id="live-own"')[2].partition('id="live-enter"')[0]
        assert ranks(page) == []


def test_a_page_kept_for_one_visitor_is_not_shown_to_another(client: Client, large: Tournament) -> None:
    owner = User.objects.filter(player__entries__tournament=large)[0]
    client.force_login(owner)
    assert "mine=1" in page_of(client, large, "/standings")
    client.logout()
    assert "mine=1" not in page_of(client, large, "/standings")


def heads_of(html: str) -> list[str]:
    """The figures of what a window of the crosstable shows."""
    return re.findall(r"\d+", html.partition('class="wait">')[2].partition("</p>")[0])


def test_the_crosstable_moves_in_windows(client: Client, large: Tournament) -> None:
    html = page_of(client, large, "/crosstable?row=141&column=30")
    assert heads_of(html) == ["141", "142", "21", "40", "142"]
    assert re.findall(r'href="\?stage=1&amp;row=(\d+)&amp;column=(\d+)"', html) == [
        ("121", "21"),
        ("141", "1"),
        ("141", "41"),
    ]
    assert html.count('class="self"') == 0
    top = page_of(client, large, "/crosstable")
    assert top.count('class="self"') == 20
    cells = re.findall(r"<td[^>]*>([^<]+)</td>", top)
    assert len(cells) == 20 * 19
    # One round is open: whom somebody meets in it is not in the table yet.
    assert 0 < cells.count("·") <= 19


def test_cells_of_a_window_are_those_of_the_whole_table(client: Client, events: Events, db: None) -> None:
    whole = page_of(client, events.small, "/crosstable?row=21&column=21")
    across = page_of(client, events.small, "/crosstable?row=21&column=1")
    back = page_of(client, events.small, "/crosstable?row=1&column=21")
    opposite = {"+": "−", "−": "+"}

    def table(html: str) -> list[list[str]]:
        rows = html.split("<tbody>")[1].split("</tbody>")[0].split("<tr>")[1:]
        return [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in rows]

    mirrored = [
        [opposite[cell[0]] + cell[1:] if cell[0] in opposite else cell for cell in row] for row in table(back)
    ]
    assert table(across) == [list(column) for column in zip(*mirrored, strict=True)]
    assert len(table(whole)) == 20


def test_rounds_are_picked_by_number(client: Client, large: Tournament) -> None:
    html = page_of(client, large)
    assert html.count(f'href="/tournaments/{large.public_id}/rounds/1/') < 15
    assert f'action="/tournaments/{large.public_id}/rounds"' in html
    answer = client.get(f"/tournaments/{large.public_id}/rounds?stage=1&round=26")
    assert answer.headers["Location"] == f"/tournaments/{large.public_id}/rounds/1/26"
    assert html.count('<li class="fixture') == 6


def test_followers_are_sent_what_changed_alone(client: Client, large: Tournament) -> None:
    whole = page_of(client, large)
    have = re.findall(r'name="have" value="([^"]+)"', whole)
    assert len(have) == 7
    nothing = page_of(client, large, "/live?" + "&".join(f"have={part}" for part in have))
    assert "hx-swap-oob" not in nothing
    table = large.tables.filter(state="leased").first()
    assert table is not None
    type(table).objects.filter(pk=table.pk).update(boards_done=3)
    changed = page_of(client, large, "/live?" + "&".join(f"have={part}" for part in have))
    assert re.findall(r'id="live-([a-z]+)" hx-swap-oob', changed) == ["head", "rounds"]
    assert elements(changed) < 450
    assert changed.count('name="have"') == 2
    everything = page_of(client, large, "/live")
    assert len(re.findall("hx-swap-oob", everything)) == 7
    assert "hx-swap-oob" not in whole
