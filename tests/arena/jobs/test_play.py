"""Playing a lease: reported once, never charged for our faults, stopped when the lease is lost."""

import datetime
import time

import pytest
from django.utils import timezone

from arena.competition.models import Tournament
from arena.jobs.play import HeartbeatThread, LeaseLost, lease_play
from arena.matches.leases import table_claim, tables_sweep
from arena.matches.models import LostLease, Table, TableSeat
from referee.contract import TableOrder, TableReport
from tests.arena.jobs.player import Blobs, Keep, Progress, engine_player
from tests.arena.play import claimed, played, waiting
from tests.scores import all_results

PATIENCE_S = 60.0


def test_a_played_table_is_finished_and_playing_it_again_changes_nothing(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    assert lease_play(lease, engine_player)
    results = all_results()
    assert Table.objects.get(pk=lease.table_id).state == Table.State.FINISHED
    assert len(results) == 2 * 4

    assert lease_play(lease, engine_player), "the same report, delivered twice"
    assert all_results() == results


def test_an_exception_sends_the_table_back_and_charges_nobody(running: Tournament) -> None:
    def broken(order: TableOrder, blob_get: Blobs, keep: Keep, progress: Progress) -> TableReport:
        raise RuntimeError("the disk is full")

    lease = claimed(waiting(running)[0])
    assert not lease_play(lease, broken)
    table = Table.objects.get(pk=lease.table_id)
    assert table.state == Table.State.WAITING
    assert "the disk is full" in table.reason
    assert not all_results()
    assert set(TableSeat.objects.values_list("forfeited", flat=True)) == {False}


def test_a_report_that_does_not_fit_sends_the_table_back(running: Tournament) -> None:
    def careless(order: TableOrder, blob_get: Blobs, keep: Keep, progress: Progress) -> TableReport:
        report = played(order)
        return TableReport(**{**vars(report), "results": report.results[1:]})

    lease = claimed(waiting(running)[0])
    assert not lease_play(lease, careless)
    assert Table.objects.get(pk=lease.table_id).state == Table.State.WAITING
    assert not all_results()


def test_a_stale_worker_counts_for_nothing(running: Tournament) -> None:
    table = waiting(running)[0]
    stale = claimed(table)
    Table.objects.filter(pk=table.pk).update(state=Table.State.WAITING, fence="")
    fresh = claimed(table)
    assert not lease_play(stale, engine_player)
    assert lease_play(fresh, engine_player)
    assert len(all_results()) == 2 * 4


@pytest.mark.django_db(transaction=True)
def test_the_heart_renews_the_lease_with_the_latest_progress(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    long_ago = timezone.now() - datetime.timedelta(hours=1)
    Table.objects.filter(pk=lease.table_id).update(lease_until=long_ago)
    with HeartbeatThread(lease, 0.02) as heartbeat:
        heartbeat.progress(1, 17, 2.5)
        deadline = time.monotonic() + PATIENCE_S
        while (table := Table.objects.get(pk=lease.table_id)).decisions != 17:
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert (table.boards_done, table.machine_delay_s) == (1, 2.5)
    assert table.lease_until is not None
    assert table.lease_until > timezone.now()


@pytest.mark.django_db(transaction=True)
def test_a_lost_lease_stops_the_play_and_reports_nothing(running: Tournament, settings) -> None:
    settings.TABLE_HEARTBEAT_INTERVAL_S = 0.02
    stopped = []

    def robbed(order: TableOrder, blob_get: Blobs, keep: Keep, progress: Progress) -> TableReport:
        Table.objects.filter(pk=lease.table_id).update(state=Table.State.WAITING, fence="")
        deadline = time.monotonic() + PATIENCE_S
        try:
            while time.monotonic() < deadline:
                progress(1, 1, 0.0)
                time.sleep(0.01)
        except LeaseLost:
            stopped.append(True)
            raise
        return played(order)

    lease = claimed(waiting(running)[0])
    assert not lease_play(lease, robbed)
    assert stopped
    assert Table.objects.get(pk=lease.table_id).reason == "", "the loser says nothing about the table"
    assert not all_results()


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_lost_its_lease_says_when_it_has_stopped(running: Tournament, settings) -> None:
    settings.TABLE_HEARTBEAT_INTERVAL_S = 0.02
    table = waiting(running)[0]
    lease = table_claim(table.pk, "test:1:1", kernel="aaaa")
    assert lease is not None
    found = []

    def robbed(order: TableOrder, blob_get: Blobs, keep: Keep, progress: Progress) -> TableReport:
        Table.objects.filter(pk=table.pk).update(lease_until=timezone.now() - datetime.timedelta(hours=1))
        while LostLease.objects.count() == 0:
            # The heartbeat may renew the lease first.
            Table.objects.filter(pk=table.pk).update(lease_until=timezone.now() - datetime.timedelta(hours=1))
            tables_sweep()
        found.append(LostLease.objects.get().fence)
        return played(order)

    assert not lease_play(lease, robbed)
    assert found == [lease.fence]
    assert not LostLease.objects.exists()
