"""Results on the desk: place, best board and faults of each entry, by the day on which play ended."""

from __future__ import annotations

import datetime
import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from arena.accounts.models import Notice, User
from arena.accounts.services import notice_create
from arena.common.process_cache import process_cache
from arena.competition.models import Entry, Tournament
from arena.matches.models import TableSeat
from arena.standings.models import StandingRow
from arena.web.site.desk_results import ResultLine, result_days
from tests import factories
from tests.arena.once import made_once
from tests.arena.play import play_out
from tests.arena.web.conftest import in_state, under_way
from tests.scores import board_scores

pytestmark = pytest.mark.django_db

played = made_once(lambda: play_out(under_way(3)), serials=70)


@pytest.fixture
def event(played: Tournament) -> Tournament:
    return Tournament.objects.get(pk=played.pk)


def own_entry(event: Tournament, user: User) -> Entry:
    return Entry.objects.get(tournament=event, player__user=user)


def only_line(user: User) -> ResultLine:
    [[line]] = [day.lines for day in result_days(user, 5)]
    return line


def test_a_result_has_the_place_and_the_largest_board_score(event: Tournament) -> None:
    entry = own_entry(event, factories.aya())
    line = only_line(factories.aya())
    rank = StandingRow.objects.get(entry=entry).rank
    assert re.match(rf"{rank}(st|nd|rd) of 3$", line.place)
    assert line.best is not None
    assert line.best.score == max(score.value for score in board_scores(entry=entry))
    best = board_scores(line.best.board, entry=entry)
    assert line.best.score in {score.value for score in best}
    assert (line.faulty_tables, line.has_left) == (0, False)


def test_only_tables_with_faults_of_own_bots_count(event: Tournament) -> None:
    seats = TableSeat.objects.filter(entry=own_entry(event, factories.aya()))
    table = seats.order_by("table", "seat")[0].table_id
    seats.filter(table=table).update(faults=[{"verdict": "ILLEGAL"}])
    line = only_line(factories.aya())
    assert line.faulty_tables == 1
    assert line.faulty_version == own_entry(event, factories.aya()).version.public_id
    assert only_line(factories.ben()).faulty_tables == 0
    partner = own_entry(event, factories.ben()).version
    seats.filter(table=table).update(version=partner)
    process_cache.clear()
    assert only_line(factories.aya()).faulty_tables == 0, "the bot of the partner"


def test_results_are_grouped_by_the_day_on_which_play_ended(event: Tournament) -> None:
    other = play_out(under_way(2))
    earlier = datetime.datetime(2026, 3, 1, 23, 59, tzinfo=datetime.UTC)
    Tournament.objects.filter(pk=other.pk).update(provisional_at=earlier)
    days = result_days(factories.aya(), 5)
    assert [[line.tournament.pk for line in day.lines] for day in days] == [[event.pk], [other.pk]]
    assert days[1].day == datetime.date(2026, 3, 1)


def test_the_desk_links_the_tournament_and_the_board(event: Tournament, client: Client) -> None:
    client.force_login(factories.aya())
    page = client.get("/desk").content.decode()
    part = page.partition('id="desk-results"')[2].partition("</section>")[0]
    best = only_line(factories.aya()).best
    assert best is not None
    assert f'href="{event.page}"' in part
    assert f'href="/boards/{best.board_set}/{best.board}"' in part
    client.force_login(factories._user("sota"))
    assert 'id="desk-results"' not in client.get("/desk").content.decode()


def test_home_has_a_brief_desk_that_polls_briefly(event: Tournament, client: Client) -> None:
    notice = {"code": "typed", "text": "Kitsune is ready"}
    notice_create(factories.aya(), Notice.Kind.READY, notice, "/bots")
    client.force_login(factories.aya())
    home, desk = client.get("/").content.decode(), client.get("/desk").content.decode()
    assert 'hx-get="/desk?brief=1"' in home
    assert 'hx-get="/desk"' in desk
    for title, on_home in (("results", True), ("news", False)):
        assert (f'id="desk-{title}"' in home, f'id="desk-{title}"' in desk) == (on_home, True)
    htmx = {"HX-Request": "true"}
    part = client.get("/desk?brief=1", headers=htmx).content.decode()
    assert 'hx-get="/desk?brief=1"' in part
    assert 'id="desk-news"' not in part


def test_tournaments_without_final_standings_have_no_result() -> None:
    in_state(Tournament.State.CANCELLED)
    in_state(Tournament.State.RUNNING)
    assert result_days(factories.aya(), 5) == []


def test_queries_do_not_depend_on_the_number_of_results(
    event: Tournament, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    aya = factories.aya()
    for events in (1, 2):
        process_cache.clear()
        with django_assert_num_queries(5):
            assert sum(len(day.lines) for day in result_days(aya, 5)) == events
        with django_assert_num_queries(1):
            result_days(aya, 5)
        if events == 1:
            play_out(under_way(2))
