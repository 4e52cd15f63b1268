"""While a board set is open no page, fragment, stream or figure tells how anything on it went."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.settings.metrics import MetricsAccess
from arena.standings.models import FixtureScore
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import play_table, waiting
from tests.arena.web.sealed import half_played_event, stands_in

pytestmark = pytest.mark.django_db

TELLTALES = ("7351", "3675", "918273", "64737", "CRASHED", "forfeited", "void", "a reason that tells")


rows_of_a_round = made_once(half_played_event, serials=1000)


@pytest.fixture
def half_played(rows_of_a_round: Tournament, db: None) -> Tournament:
    """See ``half_played_event``."""
    return given(rows_of_a_round)


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
            assert not stands_in(body, telltale), (path, telltale)


def test_figures_for_operators_are_sealed_too(client: Client, half_played: Tournament, settings: Any) -> None:
    settings.METRICS_ACCESS = MetricsAccess(is_public=True)
    text = client.get("/metrics").content.decode()
    assert 'rensho_fixtures{state="done"} 1.0' in text
    assert 'rensho_fixtures{state="forfeited"} 0.0' in text


def test_an_ended_fixture_is_just_done(client: Client, half_played: Tournament) -> None:
    html = client.get(f"/tournaments/{half_played.public_id}").content.decode()
    assert html.count("fixture-done") == 1
    assert "1 of 2 fixtures done" in html


def test_scores_appear_when_the_set_closes(client: Client, half_played: Tournament) -> None:
    for table in waiting(half_played):
        play_table(table)
    tournament_advance(half_played)
    FixtureScore.objects.update(numerator=7351, denominator=2)
    process_cache.clear()
    assert "+3675.5" in client.get(f"/tournaments/{half_played.public_id}").content.decode()
