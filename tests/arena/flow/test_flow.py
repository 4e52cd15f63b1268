"""A tournament from registration to final, by itself."""

from __future__ import annotations

import datetime

import pytest
from django.utils import timezone

from arena.common.blobs import blob_get
from arena.common.errors import Conflict
from arena.competition.models import Tournament
from arena.competition.services import tournament_pause, tournament_resume
from arena.jobs.flow import tournament_advance, tournament_cancel, tournament_finalise
from arena.matches.dispatch import tables_due
from arena.matches.leases import table_fail
from arena.matches.models import BoardSet, Fixture, Table, TableSeat
from arena.standings.audit import tournament_audit
from arena.standings.models import StandingRow
from league.fairness import commitment
from tests import factories
from tests.arena.play import begun, claimed, play_out, play_table, waiting
from tests.refusals import refusal
from tests.scores import board_scores, results_change

State = Tournament.State


@pytest.fixture
def running(shared_running: Tournament) -> Tournament:
    """The same for all tests here."""
    return shared_running


def test_a_round_robin_runs_to_final_and_agrees_with_its_records(running: Tournament) -> None:
    play_out(running)
    assert running.state == State.FINAL
    assert tournament_audit(running) == []
    stage = running.stages.get()
    assert stage.rounds.count() == 3
    rows = StandingRow.objects.filter(stage=stage)
    assert [row.rank for row in rows] == [1, 2, 3]
    # Three fixtures and three byes: every fixture gives two match points, every bye two more.
    assert sum(int(row.values["match_points"]) for row in rows) == 2 * 6
    assert sum(score.value for score in board_scores()) == 0


def test_a_later_stage_has_its_own_field_and_lots(db: None) -> None:
    tournament = play_out(begun(3, stages=[{"format": "round_robin", "options": {}}] * 2))
    assert tournament.state == State.FINAL
    assert tournament_audit(tournament) == []
    stages = list(tournament.stages.order_by("number"))
    assert [stage.rounds.count() for stage in stages] == [3, 3]
    assert all(stage.field_digest for stage in stages)
    assert all(stage.standings.count() == 3 for stage in stages)


def test_the_secret_is_shown_only_at_the_end_and_fits_its_commitment(running: Tournament) -> None:
    assert running.revealed_at is None
    assert running.commitment == commitment(bytes(running.secret))
    play_out(running)
    assert running.revealed_at is not None


def test_board_sets_close_in_order_when_all_their_tables_are_done(running: Tournament) -> None:
    first = BoardSet.objects.get(round__stage__tournament=running)
    tables = waiting(running)
    play_table(tables[0])
    tournament_advance(running)
    first.refresh_from_db()
    assert first.is_sealed
    play_table(tables[1])
    tournament_advance(running)
    first.refresh_from_db()
    assert not first.is_sealed
    play_out(running)
    sequence = BoardSet.objects.order_by("round__number").values_list("closed_seq", flat=True)
    assert list(sequence) == sorted(sequence)


def test_both_tables_of_a_fixture_play_the_same_boards_with_sides_exchanged(running: Tournament) -> None:
    first, second = waiting(running)
    orders = [claimed(first).order, claimed(second).order]
    assert orders[0].boards == orders[1].boards
    seats = [
        {seat.seat: seat.entry_id for seat in TableSeat.objects.filter(table=table)}
        for table in (first, second)
    ]
    assert seats[0][1] == seats[0][3] == seats[1][2] == seats[1][4]
    assert seats[0][2] == seats[0][4] == seats[1][1] == seats[1][3]


def test_a_forfeited_table_counts_two_stones_a_board(running: Tournament) -> None:
    table = waiting(running)[0]
    loser = TableSeat.objects.get(table=table, seat=2).entry
    play_table(table, frozenset({2, 4}))
    play_out(running)
    fixture = Fixture.objects.get(pk=table.fixture_id)
    assert fixture.state == Fixture.State.FORFEITED
    assert {score.value for score in board_scores(fixture=fixture, entry=loser)} == {-2}
    assert running.state == State.FINAL


def test_registration_that_ends_with_too_few_entries_cancels_the_event(db: None) -> None:
    tournament = factories.an_open_tournament(closes_at=timezone.now() + datetime.timedelta(hours=1))
    factories.an_entry(tournament, factories.aya())
    Tournament.objects.update(closes_at=timezone.now())
    tournament_advance(tournament)
    assert tournament.state == State.CANCELLED
    assert (tournament.state_note["code"], tournament.state_note["entries"]) == ("too_few_entries", 1)


def test_deadlines_lock_and_start_a_tournament(db: None) -> None:
    soon = timezone.now() + datetime.timedelta(hours=1)
    tournament = factories.an_open_tournament(closes_at=soon, starts_at=soon)
    for owner in (factories.aya(), factories.ben()):
        factories.an_entry(tournament, owner)
    Tournament.objects.update(closes_at=timezone.now(), starts_at=timezone.now())
    tournament_advance(tournament)
    assert tournament.state == State.RUNNING
    assert len(waiting(tournament)) == 2


def test_a_paused_tournament_starts_no_table_and_goes_on_when_resumed(running: Tournament) -> None:
    tournament_pause(running, running.organiser, "lunch")
    table = waiting(running)[0]
    assert tables_due() == []
    refusal(AssertionError, claimed, table)
    tournament_resume(running, running.organiser)
    assert table.pk in tables_due()
    play_out(running)
    assert running.state == State.FINAL


def test_thirty_days_of_pause_cancel_it(running: Tournament) -> None:
    tournament_pause(running, running.organiser)
    Tournament.objects.update(state_at=timezone.now() - datetime.timedelta(days=31))
    tournament_advance(running)
    assert running.state == State.CANCELLED


def test_cancelling_voids_what_is_open_and_unseals(running: Tournament) -> None:
    play_table(waiting(running)[0])
    tournament_cancel(running, running.organiser, "rain")
    assert not Fixture.objects.filter(state=Fixture.State.OPEN).exists()
    assert not BoardSet.objects.filter(state=BoardSet.State.OPEN).exists()
    assert running.revealed_at is not None
    tournament_advance(running)
    assert running.state == State.CANCELLED


def test_a_table_that_cannot_be_played_voids_its_fixture_and_the_event_still_ends(
    running: Tournament,
) -> None:
    Tournament.objects.update(quarantine_hours=0)
    table = waiting(running)[0]
    for _ in range(3):
        lease = claimed(table)
        table_fail(lease.table_id, lease.fence, "the sandbox did not start")
    table.refresh_from_db()
    assert table.state == Table.State.QUARANTINED
    play_out(running)
    assert running.state == State.FINAL
    fixture = Fixture.objects.get(pk=table.fixture_id)
    assert fixture.state == Fixture.State.VOID
    assert not fixture.totals.exists()


def test_a_changed_result_is_found_by_the_audit(running: Tournament) -> None:
    play_out(running)
    table = Table.objects.filter(state=Table.State.FINISHED).first()
    results_change(table, lambda result: result._replace(stones=-result.stones))
    Tournament.objects.update(state=State.PROVISIONAL, revealed_at=None)
    refused = refusal(Conflict, tournament_finalise, running, running.organiser)
    assert refused.code == "audit_failed"
    assert any(table.public_id in line for line in refused.extra["disagreements"])


def test_a_tampered_record_is_found_by_the_audit(running: Tournament) -> None:
    play_out(running)
    table = Table.objects.filter(state=Table.State.FINISHED).first()
    other = Table.objects.filter(state=Table.State.FINISHED).exclude(pk=table.pk).first()
    assert blob_get(other.record_sha256)
    Table.objects.filter(pk=table.pk).update(record_sha256=other.record_sha256)
    found = tournament_audit(running)
    assert any(table.public_id in line for line in found)


def test_finalising_early_says_what_it_waits_for(running: Tournament) -> None:
    refused = refusal(Conflict, tournament_finalise, running, running.organiser)
    assert refused.code == "wrong_state"
    assert refused.extra["state"] == State.RUNNING


def test_advancing_again_changes_nothing(running: Tournament) -> None:
    play_out(running)
    before = list(StandingRow.objects.values_list("entry", "rank", "values"))
    tournament_advance(running)
    assert list(StandingRow.objects.values_list("entry", "rank", "values")) == before
