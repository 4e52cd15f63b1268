"""The expected CPU of a board follows the versions that are entered, where they have been measured."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.common.process_cache import process_cache
from arena.competition.cost import cost_estimate
from arena.competition.models import Tournament
from arena.competition.services import tournament_touch
from arena.matches.clock_use import mean_cpu_for, mean_cpu_ms_of_field
from arena.matches.models import BoardSet, Table, TableSeat
from arena.matches.selectors import mean_cpu_ms_per_board
from arena.web.tournaments.progress import Progress, remaining_minutes
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out

pytestmark = pytest.mark.django_db

BOARDS = 2
SEATS = 4

rows_of_an_event = made_once(lambda: play_out(begun(2, boards_per_round=BOARDS)), serials=2000)


@pytest.fixture
def measured(rows_of_an_event: Tournament, db: None) -> Tournament:
    """An event of two versions: a seat of the first takes 10 ms per board, of the second 30 ms."""
    process_cache.clear()
    event = given(rows_of_an_event)
    first, second = event.entries.order_by("pk")
    for entry, cpu_ms in ((first, 10), (second, 30)):
        TableSeat.objects.filter(version=entry.version).update(cpu_ms=cpu_ms * BOARDS)
    Tournament.objects.filter(pk=event.pk).update(cpu_ms_spent=1)
    assert mean_cpu_ms_per_board(event.game, event.preset, event.board_kind) == SEATS * 20
    return event


def entered(measured: Tournament, entries: int) -> Tournament:
    """An open event with the first of these versions."""
    event = factories.an_open_tournament(preset=measured.preset, boards_per_round=BOARDS)
    for entry in measured.entries.order_by("pk")[:entries]:
        factories.entry_create(event, entry.version, entry.player.user)
    return event


def test_the_estimate_uses_the_clock_of_the_entered_versions(measured: Tournament) -> None:
    assert mean_cpu_ms_of_field(entered(measured, 1)) == SEATS * 10
    both = entered(measured, 2)
    with CaptureQueriesContext(connection) as seen:
        assert mean_cpu_ms_of_field(both) == SEATS * 20
        mean_cpu_ms_of_field(both)
    assert len(seen) <= 6
    costs = [
        cost_estimate(event, entries=2, mean_cpu_ms=mean_cpu_for(event)).cpu_s_expected
        for event in (entered(measured, 1), both)
    ]
    assert costs[0] is not None
    assert costs[1] == pytest.approx(2 * costs[0])


def test_versions_without_measurements_count_as_the_mean_of_the_preset(measured: Tournament) -> None:
    event = entered(measured, 1)
    factories.an_entry(event, factories.chie())
    process_cache.clear()
    assert mean_cpu_ms_of_field(event) == SEATS * (10 + 20) / 2
    assert mean_cpu_ms_of_field(factories.an_open_tournament(preset=measured.preset)) == SEATS * 20


def test_open_board_sets_and_other_presets_say_nothing(measured: Tournament) -> None:
    event = entered(measured, 1)
    BoardSet.objects.update(state=BoardSet.State.OPEN)
    tournament_touch(event)
    event.refresh_from_db()
    assert mean_cpu_ms_of_field(event) is None
    BoardSet.objects.update(state=BoardSet.State.CLOSED)
    Table.objects.update(state=Table.State.VOID)
    process_cache.clear()
    assert mean_cpu_ms_of_field(event) is None


def test_the_remaining_minutes_count_boards_of_this_round_and_later_ones() -> None:
    progress = Progress(stage=1, stages=1, round=2, rounds=3, closed=1, boards_done=40, boards=100, playing=2)
    # 60 boards of this round and 100 of the next, of 30 s each, two at a time.
    assert remaining_minutes(progress, 30_000.0, 2) == 40
    assert remaining_minutes(progress, 1.0, 2) == 1
    assert remaining_minutes(progress, None, 2) is None
    assert remaining_minutes(progress, 30_000.0, None) is None
