"""While a board set is open no page, fragment, stream or figure tells how anything on it went."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.models import BoardResult, Fixture, TableSeat
from arena.settings.metrics import MetricsAccess
from arena.standings.models import FixtureScore
from tests import factories
from tests.arena.play import play_table, waiting
from tests.arena.web.conftest import under_way
from tests.arena.web.streams import first_events

pytestmark = [pytest.mark.django_db, pytest.mark.sampled(2)]

TELLTALES = ("7351", "3675", "918273", "64737", "CRASHED", "forfeited", "void", "a reason that tells")


@pytest.fixture
def half_played() -> Tournament:
    """Four entries; one of the two fixtures of the round has ended, and the other has not."""
    tournament = under_way(4)
    fixture = Fixture.objects.filter(board_set__round__stage__tournament=tournament)[0]
    for table in waiting(tournament):
        if table.fixture_id == fixture.pk:
            play_table(table)
    tournament_advance(tournament)
    # Values that cannot stand anywhere by chance, in every place that could leak.
    results = BoardResult.objects.filter(table__fixture=fixture)
    results.update(stones=7351, verdict="CRASHED")
    winner = fixture.sides.order_by("position")[0].entry
    for table in fixture.tables.all():
        losing = table.seats.exclude(entry=winner).values_list("seat", flat=True)
        results.filter(table=table, seat__in=list(losing)).update(stones=-7351)
    TableSeat.objects.filter(table__fixture=fixture).update(
        verdict="CRASHED", forfeited=True, cpu_ms=918273, decisions=64737
    )
    fixture.tables.update(decisions=64737, reason="a reason that tells")
    Fixture.objects.filter(pk=fixture.pk).update(state="forfeited", reason="a reason that tells")
    for side in fixture.sides.all():
        FixtureScore.objects.create(fixture=fixture, entry=side.entry, numerator=7351, denominator=2)
    return tournament


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["anonymous", "aya", "ben", "odo", "sota"])
def test_no_result_of_an_open_board_set_is_in_any_page(
    client: Client, half_played: Tournament, name: str, settings: Any
) -> None:
    settings.METRICS_ACCESS = MetricsAccess(is_public=True)
    if name != "anonymous":
        client.force_login(getattr(factories, name)())
    address = f"/tournaments/{half_played.public_id}"
    of_event = ("", "/live", "/standings", "/standings?find=a", "/crosstable", "/entries", "/rounds/1/1")
    for path in ("/", "/tournaments", *(address + part for part in of_event), "/metrics"):
        html = client.get(path).content.decode()
        # The rules of the event and the labels of metrics may use these words; no fixture may.
        body = re.sub(r'state="(forfeited|void)"', "", html.split('<aside class="narrow">')[0])
        for telltale in TELLTALES:
            assert telltale not in body, (path, telltale)


def test_figures_for_operators_are_sealed_too(client: Client, half_played: Tournament, settings: Any) -> None:
    settings.METRICS_ACCESS = MetricsAccess(is_public=True)
    text = client.get("/metrics").content.decode()
    assert 'rensho_fixtures{state="done"} 1.0' in text
    assert 'rensho_fixtures{state="forfeited"} 0.0' in text


def test_an_ended_fixture_is_just_done(client: Client, half_played: Tournament) -> None:
    html = client.get(f"/tournaments/{half_played.public_id}").content.decode()
    assert html.count("fixture-done") == 1
    assert "1 of 2 fixtures done" in html


@pytest.mark.django_db(transaction=True)
def test_the_stream_tells_no_more_than_a_version(half_played: Tournament) -> None:
    events = first_events(half_played, count=1)
    assert len(events) == 1
    assert set(events[0]) == {"version"}
    assert len(events[0]["version"]) == 16


def test_scores_appear_when_the_set_closes(client: Client, half_played: Tournament) -> None:
    for table in waiting(half_played):
        play_table(table)
    tournament_advance(half_played)
    FixtureScore.objects.update(numerator=7351, denominator=2)
    cache.clear()
    assert "+3675.5" in client.get(f"/tournaments/{half_played.public_id}").content.decode()
