"""Claims, fences, heartbeats and the sweep: at-least-once delivery, counted once."""

from __future__ import annotations

import dataclasses
import datetime

import pytest
from django.utils import timezone

from arena.common.causes import Cause
from arena.common.errors import Conflict, Forbidden
from arena.competition.models import Tournament
from arena.matches.dispatch import tables_due
from arena.matches.leases import (
    table_claim,
    table_fail,
    table_heartbeat,
    table_retry,
    tables_sweep,
)
from arena.matches.models import Table
from arena.matches.results import ReportMismatch, table_finish
from referee.contract import machine_delay_limit_s
from tests import factories
from tests.arena.play import WORKER, begun, claimed, played, waiting
from tests.refusals import refusal
from tests.scores import all_results

State = Table.State


@pytest.fixture
def running(shared_running: Tournament) -> Tournament:
    """The same for all tests here."""
    return shared_running


def test_a_table_is_claimed_once(running: Tournament) -> None:
    table = waiting(running)[0]
    claimed(table)
    assert table_claim(table.pk, "test:2:2") is None


def test_a_stale_fence_is_refused_and_leaves_no_result(running: Tournament) -> None:
    table = waiting(running)[0]
    first = claimed(table)
    table_fail(table.pk, first.fence, "worker lost")
    second = claimed(table)
    assert first.fence != second.fence
    assert not table_finish(table.pk, first.fence, played(first.order))
    assert not all_results()
    assert table_finish(table.pk, second.fence, played(second.order))


def test_repeating_an_accepted_report_is_harmless(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    report = played(lease.order)
    assert table_finish(lease.table_id, lease.fence, report)
    assert table_finish(lease.table_id, lease.fence, report)
    assert len(all_results()) == 2 * 4


def test_a_second_attempt_gets_the_same_order(running: Tournament) -> None:
    table = waiting(running)[0]
    first = claimed(table)
    table_fail(table.pk, first.fence, "worker lost")
    second = claimed(table)
    assert dataclasses.replace(second.order, attempt=1) == first.order


def test_a_heartbeat_renews_the_lease_and_notes_progress(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    Table.objects.update(lease_until=timezone.now())
    assert table_heartbeat(lease.table_id, lease.fence, 1, 30)
    table = Table.objects.get(pk=lease.table_id)
    assert (table.boards_done, table.decisions) == (1, 30)
    assert table.lease_until > timezone.now()


def test_a_lost_lease_is_told_at_the_next_heartbeat(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    table_fail(lease.table_id, lease.fence, "worker lost")
    assert not table_heartbeat(lease.table_id, lease.fence, 1, 30)


def test_the_sweep_takes_back_a_lease_that_ran_out(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    Table.objects.filter(pk=lease.table_id).update(lease_until=timezone.now() - datetime.timedelta(seconds=1))
    tables_sweep()
    table = Table.objects.get(pk=lease.table_id)
    assert (table.state, table.fence) == (State.WAITING, "")
    assert table.note == {"code": "heartbeat_lost"}


def test_the_sweep_takes_back_a_table_that_makes_no_progress(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    long_ago = timezone.now() - datetime.timedelta(days=1)
    Table.objects.filter(pk=lease.table_id).update(progress_at=long_ago)
    tables_sweep()
    assert Table.objects.get(pk=lease.table_id).state == State.WAITING


@pytest.mark.parametrize(
    ("machine_delay_s", "in_play_s", "is_left"),
    [(0.0, 1e6, False), (11.0, 1e6, True), (11.0, 5.0, False), (1e9, 1e6, True), (-1.0, 1e6, False)],
)
def test_what_a_busy_machine_took_gives_a_table_as_much_more_time(
    running: Tournament, machine_delay_s: float, in_play_s: float, is_left: bool
) -> None:
    lease = claimed(waiting(running)[0])
    table = Table.objects.get(pk=lease.table_id)
    assert table_heartbeat(lease.table_id, lease.fence, 0, 0, machine_delay_s)
    now = timezone.now()
    still_since = now - datetime.timedelta(seconds=table.wall_limit_s + 10)
    began = now - datetime.timedelta(seconds=in_play_s)
    Table.objects.filter(pk=table.pk).update(progress_at=still_since, started_at=began)
    tables_sweep()
    assert (Table.objects.get(pk=table.pk).fence == lease.fence) is is_left


def test_however_much_it_took_there_is_a_limit(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    table_heartbeat(lease.table_id, lease.fence, 0, 0, 1e9)
    limit = datetime.timedelta(
        seconds=machine_delay_limit_s(lease.order.wall_limit_s) + lease.order.wall_limit_s
    )
    past = timezone.now() - limit - datetime.timedelta(seconds=1)
    Table.objects.update(progress_at=past, started_at=past)
    tables_sweep()
    assert Table.objects.get(pk=lease.table_id).state == State.WAITING


def test_a_new_attempt_begins_without_what_the_last_was_held_up(running: Tournament) -> None:
    table = waiting(running)[0]
    lease = claimed(table)
    table_heartbeat(table.pk, lease.fence, 1, 30, 12.0)
    table_fail(table.pk, lease.fence, "worker lost")
    claimed(table)
    table.refresh_from_db()
    assert table.machine_delay_s == 0


def test_the_sweep_leaves_a_living_lease_alone(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    tables_sweep()
    assert Table.objects.get(pk=lease.table_id).fence == lease.fence


def test_the_third_failure_quarantines_and_the_organiser_may_send_it_back(running: Tournament) -> None:
    table = waiting(running)[0]
    for _ in range(3):
        table_fail(table.pk, claimed(table).fence, "the sandbox did not start")
    table.refresh_from_db()
    assert table.state == State.QUARANTINED
    assert table_claim(table.pk, WORKER) is None
    refusal(Forbidden, table_retry, table, factories.chie())
    table_retry(table, running.organiser)
    assert claimed(table).order.attempt == 1
    refusal(Conflict, table_retry, table, running.organiser)


def test_a_platform_fault_in_a_report_is_charged_to_nobody(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    report = dataclasses.replace(played(lease.order), platform_fault="engine error")
    assert not table_finish(lease.table_id, lease.fence, report)
    table = Table.objects.get(pk=lease.table_id)
    assert (table.state, table.reason) == (State.WAITING, "engine error")
    assert not table.seats.exclude(verdict="").exists()


def test_a_report_for_other_boards_is_our_fault_and_stores_nothing(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    report = played(lease.order)
    short = dataclasses.replace(report, results=report.results[:-1])
    refusal(ReportMismatch, table_finish, lease.table_id, lease.fence, short)
    assert Table.objects.get(pk=lease.table_id).state == State.LEASED
    assert not all_results()


def test_a_table_has_one_live_message_at_a_time(running: Tournament) -> None:
    table = waiting(running)[0]
    assert tables_due() == []  # the flow has nudged workers about both when it opened the round
    table_fail(table.pk, claimed(table).fence, "worker lost")
    assert tables_due() == [table.pk]
    assert tables_due() == []
    Table.objects.update(published_at=timezone.now() - datetime.timedelta(minutes=2))
    assert table.pk in tables_due()


def test_a_table_nobody_takes_for_a_day_is_quarantined(running: Tournament) -> None:
    long_ago = timezone.now() - datetime.timedelta(hours=25)
    Table.objects.update(state_at=long_ago)
    tables_sweep()
    assert not Table.objects.filter(state=State.QUARANTINED).exists()  # the tournament is young
    Tournament.objects.update(state_at=long_ago)
    tables_sweep()
    quarantined = Table.objects.filter(state=State.QUARANTINED)
    assert list(quarantined.values_list("cause", flat=True)) == 2 * [Cause.NOT_TAKEN]


def test_a_claimed_table_whose_order_cannot_be_built_returns_as_after_a_platform_fault(db: None) -> None:
    tournament = begun(2, boards_per_round=1)
    table = waiting(tournament)[0]
    Tournament.objects.update(preset="unknown.preset")
    assert table_claim(table.pk, WORKER) is None
    table.refresh_from_db()
    assert (table.state, table.cause, table.attempt) == (Table.State.WAITING, Cause.INTERNAL, 1)
    assert not table.seats.exclude(verdict="").exists(), "no bot is charged"
