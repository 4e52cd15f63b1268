"""Parts of a tournament's page: places over the rounds, the largest swings, crosstables of groups."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.standings.models import PastStandings
from arena.standings.past_standings import ranks_by_round, standings_after_round
from arena.standings.selectors import ListedRow, top_rows
from arena.standings.swings import biggest_swings
from arena.web.tournaments import places as places_module
from arena.web.tournaments.event import load_event, results_context
from arena.web.tournaments.places import build_group_places, build_places, places_path
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out
from tests.arena.played_event import final, rows_of_an_event
from tests.arena.web.visits import text_of

__all__ = ["final", "rows_of_an_event"]
pytestmark = pytest.mark.django_db

rows_of_groups = made_once(
    lambda: play_out(begun(6, stages=[{"format": "groups", "options": {"groups": 2}}], boards_per_round=1)),
    serials=3000,
)


@pytest.fixture
def grouped(rows_of_groups: Tournament, db: None) -> Tournament:
    """Two groups of three, all played."""
    process_cache.clear()
    return given(rows_of_groups)


def test_the_plot_has_the_place_of_each_entry_after_each_round(final: Tournament) -> None:
    stage = final.stages.get()
    rows = top_rows([stage], 10)[stage.pk]
    with CaptureQueriesContext(connection) as seen:
        plot = build_places(stage, rows)
    assert len(seen) == 4
    assert plot is not None
    assert plot.rounds == (1, 2, 3)
    for row, line in zip(rows, plot.lines, strict=True):
        after = [
            next(past.rank for past in standings_after_round(stage, number) if past.entry == row.entry.key)
            for number in plot.rounds
        ]
        assert list(line.places) == after
        assert line.path == places_path(line.places, len(rows))
    assert [line.places[-1] for line in plot.lines] == [1, 2, 3, 4]
    assert not plot.is_cut


def test_groups_have_the_places_within_them(client: Client, grouped: Tournament) -> None:
    stage = grouped.stages.get(number=1)
    rows = top_rows([stage], 20)[stage.pk]
    groups: dict[int, list[ListedRow]] = {}
    for row in rows:
        groups.setdefault(int(row.values["group"]), []).append(row)
    with CaptureQueriesContext(connection) as seen:
        plots = build_group_places(stage, groups)
    assert len(seen) == 4
    assert set(plots) == set(groups)
    for number, plot in plots.items():
        assert [line.places[-1] for line in plot.lines] == [1, 2, 3]
        after = {
            past.entry: int(past.values["place"]) for past in standings_after_round(stage, plot.rounds[0])
        }
        assert [line.places[0] for line in plot.lines] == [after[row.entry.key] for row in groups[number]]
    page = client.get(f"/tournaments/{grouped.public_id}").content.decode()
    assert page.count('<details class="places">') == len(groups) == 2
    assert page.count('<path class="place-') == 6


def test_places_below_the_drawn_ones_share_a_line_beneath(
    final: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places_module, "MIN_ENTRIES", 1)
    stage = final.stages.get()
    rows = top_rows([stage], 10)[stage.pk]
    # The last entry alone: every place that it had is below the first.
    plot = build_places(stage, rows[3:])
    assert plot is not None
    assert plot.is_cut
    assert plot.height == 2
    assert set(plot.lines[0].places) <= {1, 2, 3, 4}


def test_rounds_that_are_not_stored_are_missing_and_of_many_some_are_drawn(final: Tournament) -> None:
    stage = final.stages.get()
    entries = [row.entry.key for row in top_rows([stage], 10)[stage.pk]]
    assert list(ranks_by_round(stage, entries, 2)) == [1, 3]
    PastStandings.objects.filter(round__number=3).update(key="")
    assert list(ranks_by_round(stage, entries, 9)) == [1, 2]
    assert build_places(stage, top_rows([stage], 10)[stage.pk][:2]) is None


def test_the_page_draws_one_path_per_entry_and_lists_the_largest_swings(
    client: Client, final: Tournament
) -> None:
    html = text_of(client, final.page)
    part = html[html.index('id="part-places"') :].split("</section>")[0]
    assert part.count("<path") == 4
    swings = html[html.index('id="part-swings"') :].split("</section>")[0]
    best = biggest_swings([final], 5)
    assert re.findall(r'href="/boards/(\w+)/(\d+)"', swings) == [
        (swing.board_set, str(swing.board)) for swing in best
    ]
    compared = re.findall(r'href="/fixtures/(\w+)/boards/(\d+)/compare"', swings)
    assert compared == [(swing.fixture, str(swing.board)) for swing in best if swing.is_comparable]
    assert compared


def test_each_group_has_its_crosstable_by_place_and_their_number_costs_no_query(client: Client) -> None:
    def grouped(groups: int) -> tuple[Tournament, int]:
        stages = [{"format": "groups", "options": {"groups": groups}}]
        tournament = play_out(begun(3 * groups, stages=stages, boards_per_round=1))
        process_cache.clear()
        with CaptureQueriesContext(connection) as seen:
            results = results_context(load_event(tournament))
        assert results["crosstable"] is None
        (ranking,) = results["rankings"]
        assert len(ranking.groups) == groups
        for group in ranking.groups:
            assert group.window.is_whole
            assert [head.rank for head in group.window.columns] == [1, 2, 3]
            assert [head.entry for head in group.window.columns] == [line.entry for line in group.lines]
            met = [cell.text for row in group.window.lines for cell in row.crossings if not cell.is_self]
            assert all(met)
        return tournament, len(seen)

    two, queries = grouped(2)
    html = text_of(client, two.page)
    assert html.count('<table class="cross"') == 2
    assert grouped(3)[1] == queries
