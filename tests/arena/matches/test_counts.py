"""Attempts, waits and faults of tables as they are counted for the metrics."""

from __future__ import annotations

import pytest
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from arena.common import metrics
from arena.common.causes import Cause
from arena.common.metrics import Counts
from arena.competition.models import Tournament
from arena.jobs.play import lease_play
from arena.matches.common_boards import board_waits_end
from arena.matches.leases import Lease, table_claim, table_fail, tables_sweep
from arena.matches.models import Table
from arena.matches.row_counts import ended_rows_count, row_counts
from arena.matches.workers import worker_heartbeat
from tests import factories
from tests.arena.jobs.player import engine_player
from tests.arena.play import started

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Tournament:
    """A fixture of Aya and Ben: two rotations of the same boards."""
    worker_heartbeat("tables@aaaa", "FULL1", {"python/1": "d"}, 2, kernel="aaaa")
    tournament = factories.an_open_tournament()
    for owner in (factories.aya(), factories.ben()):
        factories.an_entry(tournament, owner)
    return started(tournament)


def rotations(event: Tournament) -> list[Table]:
    return list(Table.objects.filter(tournament=event).order_by("rotation", "first_board"))


def claim(table: Table) -> Lease | None:
    return table_claim(table.pk, "aaaa:1:1", {"python/1"}, "aaaa")


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counts:
    fresh = Counts()
    monkeypatch.setattr(metrics, "_counts", fresh)
    return fresh


def test_a_wait_for_boards_is_counted_once_and_observed_at_its_end(
    counts: Counts, event: Tournament, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    first, second = rotations(event)
    with django_capture_on_commit_callbacks(execute=True):
        lease = claim(first)
        assert lease is not None
        for _ in range(2):
            assert claim(second) is None
    assert counts.pending("board_waits") == {(): 1}
    assert counts.pending("board_wait_seconds") == {}
    assert sum(counts.pending("table_wait_seconds").values()) > 0
    assert lease_play(lease, engine_player)
    board_waits_end()
    (bucket,) = set(counts.pending("board_wait_seconds")) - {("sum",)}
    assert counts.pending("board_wait_seconds")[bucket] == 1
    assert counts.pending("table_attempts") == {("finished", ""): 1}
    assert sum(counts.pending("sandbox_starts").values()) == len(lease.order.seats)


def test_released_tables_are_counted_by_cause(
    counts: Counts, event: Tournament, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    first, _ = rotations(event)
    with django_capture_on_commit_callbacks(execute=True):
        lease = claim(first)
        assert lease is not None
        assert table_fail(lease.table_id, lease.fence, "the disk is full", cause=Cause.DISK)
        assert not table_fail(lease.table_id, lease.fence, "the disk is full", cause=Cause.DISK)
        assert claim(first)
        Table.objects.filter(pk=first.pk).update(lease_until=timezone.now())
        tables_sweep()
    attempts = {series: amount for series, amount in counts.pending("table_attempts").items() if amount}
    assert attempts == {("failed", "disk"): 1, ("lost", "heartbeat_lost"): 1}
    assert counts.pending("leases_expired") == {(): 1}


def test_rows_in_final_states_are_counted_by_the_tick(event: Tournament) -> None:
    first, second = rotations(event)
    Table.objects.filter(pk=first.pk).update(state=Table.State.VOID)
    assert row_counts().age_s is None
    assert ended_rows_count()
    Table.objects.filter(pk=second.pk).update(state=Table.State.VOID)
    assert not ended_rows_count(), "at most once a minute"
    counts = row_counts()
    assert (counts.by_kind["tables"]["void"], counts.by_kind["tables"]["waiting"]) == (1, 0)
    assert counts.age_s is not None
