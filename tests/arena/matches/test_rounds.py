"""Opening a round: whatever its size in a fixed number of statements, with marks, runtimes and boards."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.common.errors import Conflict
from arena.competition.models import Entry, Round, Stage, Tournament
from arena.matches.models import Fixture, Table, TableSeat
from arena.matches.rounds import round_open
from arena.matches.selectors import mean_cpu_ms_per_board
from tests import factories
from tests.arena.play import begun, play_out, started
from tests.refusals import refusal


def statements_for(entries: int) -> int:
    """What it takes to open one more round of so many entries."""
    tournament = begun(entries, boards_per_round=1)
    stage = Stage.objects.select_related("tournament").get(tournament=tournament)
    names = [row.entry.public_id for row in stage.stage_entries.select_related("entry")]
    with CaptureQueriesContext(
        connection,
    ) as captured:
        round_open(stage, 2, list(zip(names[::2], names[1::2], strict=True)))
    assert Table.objects.filter(fixture__board_set__round__number=2, tournament=tournament).count() == entries
    return len(captured)


@pytest.mark.django_db
def test_a_larger_round_takes_no_more_statements() -> None:
    assert statements_for(8) == statements_for(4)


@pytest.mark.django_db
def test_two_of_one_owner_are_marked_where_they_meet() -> None:
    tournament = factories.an_open_tournament(boards_per_round=1, entries_per_player=2)
    for owner in (factories.aya(), factories.aya(), factories.ben()):
        factories.an_entry(tournament, owner)
    play_out(started(tournament))
    for fixture in Fixture.objects.filter(tournament=tournament):
        owners = [side.entry.player_id for side in fixture.sides.all()]
        assert fixture.same_owner == (len(owners) == 2 and len(set(owners)) == 1)
    assert Fixture.objects.filter(tournament=tournament, same_owner=True).count() == 1


@pytest.mark.django_db
def test_who_left_since_the_pairings_were_drawn_is_in_no_round(running: Tournament) -> None:
    stage = Stage.objects.select_related("tournament").get(tournament=running)
    names = [row.entry.public_id for row in stage.stage_entries.select_related("entry")]
    Entry.objects.filter(public_id=names[0]).update(status="left", left_stage=1, left_round=1)
    assert refusal(Conflict, round_open, stage, 2, [(names[0], names[1]), (names[2],)]).code == "entry_left"
    assert Round.objects.filter(stage=stage).count() == 1, "nothing of it stands"


@pytest.mark.django_db
def test_no_round_opens_in_a_tournament_that_was_paused_meanwhile(running: Tournament) -> None:
    stage = Stage.objects.select_related("tournament").get(tournament=running)
    names = [row.entry.public_id for row in stage.stage_entries.select_related("entry")]
    Tournament.objects.update(state="paused")
    refused = refusal(Conflict, round_open, stage, 2, [(names[0], names[1]), (names[2],)])
    assert (refused.code, refused.extra["state"]) == ("wrong_state", "paused")


@pytest.mark.django_db
def test_what_a_board_costs_is_told_by_the_tables_played() -> None:
    assert mean_cpu_ms_per_board("kakeya", "kakeya4", "deal") is None
    tournament = play_out(begun(3, boards_per_round=2))
    TableSeat.objects.filter(table__tournament=tournament).update(cpu_ms=30)
    # Four seats a table, two boards each.
    assert mean_cpu_ms_per_board("kakeya", "kakeya4", "deal") == 60
    assert mean_cpu_ms_per_board("kakeya", "kakeya4", "game") is None
    assert mean_cpu_ms_per_board("kakeya", "kakeya6", "deal") is None
