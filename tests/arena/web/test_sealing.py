"""While a board set is open its event's page and the operator's figures show an ended fixture as done."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.models import Fixture, Table
from arena.settings.metrics import MetricsAccess
from arena.standings.models import FixtureScore
from tests.arena.play import play_table, waiting
from tests.arena.web.conftest import under_way
from tests.arena.web.visits import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def half_played() -> Tournament:
    """Four entries; one of the two fixtures of the round was forfeited."""
    tournament = under_way(4)
    fixture = Fixture.objects.filter(tournament=tournament)[0]
    for table in waiting(tournament):
        if table.fixture_id == fixture.pk:
            play_table(table)
    tournament_advance(tournament)
    Fixture.objects.filter(pk=fixture.pk).update(state="forfeited")
    return tournament


def test_figures_for_operators_are_sealed_too(client: Client, half_played: Tournament, settings: Any) -> None:
    settings.METRICS_ACCESS = MetricsAccess(is_public=True)
    text = text_of(client, "/metrics")
    assert 'rensho_fixtures{state="done"} 1.0' in text
    assert 'rensho_fixtures{state="forfeited"} 0.0' in text


def test_scores_appear_when_the_set_closes(client: Client, half_played: Tournament) -> None:
    assert text_of(client, half_played.page).count("fixture-done") == 1
    for table in waiting(half_played):
        play_table(table)
    tournament_advance(half_played)
    FixtureScore.objects.update(numerator=7351, denominator=2)
    process_cache.clear()
    assert "+3675.5" in text_of(client, half_played.page)


def test_a_table_that_waits_for_another_one_links_to_it(client: Client) -> None:
    first, second = waiting(under_way())
    note = {"code": "table_in_play", "table": first.public_id, "since": "2026-01-01T00:00:00+00:00"}
    Table.objects.filter(pk=second.pk).update(waiting_for="boards_in_play", note=note)
    assert f'<a href="/tables/{first.public_id}">' in text_of(client, f"/fixtures/{second.fixture.public_id}")
    answer = client.get(f"/api/v1/tables/{second.public_id}").json()
    assert (answer["blocked_by"], answer["is_sealed"]) == (first.public_id, True)
    assert client.get(f"/api/v1/tables/{first.public_id}").json()["blocked_by"] is None
