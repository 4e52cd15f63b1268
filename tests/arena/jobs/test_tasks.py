"""The tasks: may come twice, may come while the broker is gone; the row decides."""

import datetime
import logging

import pytest
from django.db import OperationalError
from django.utils import timezone

from arena.common.log_context import bound_log_fields
from arena.competition.models import Tournament
from arena.competition.services import tournament_lock, tournament_start
from arena.jobs import tasks
from arena.jobs.flow import tournament_advance
from arena.jobs.identity import kernel_id
from arena.jobs.tasks import table_play, tick, version_check
from arena.matches.leases import Lease, table_claim, tables_sweep
from arena.matches.models import LostLease, Table, TableSeat
from arena.matches.workers import worker_heartbeat
from arena.roster.models import BotVersion, CheckRun
from arena.tables.readiness import readiness_find
from tests import factories
from tests.arena.jobs.house_events import started, uploaded
from tests.arena.play import claimed, waiting
from tests.scores import all_results


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
def test_delivered_twice_a_table_is_played_once_and_the_event_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tournament = started(
        factories.passed(uploaded(factories.aya(), "kakeya_greedy")),
        factories.passed(uploaded(factories.ben(), "kakeya_random")),
    )
    first, second = waiting(tournament)
    caplog.clear()
    with caplog.at_level(logging.INFO, "arena"), bound_log_fields(request_id="q7x2k9mp4tzn"):
        table_play(first.pk)
    played = {"table": first.public_id, "tournament": tournament.public_id, "attempt": "1"}
    ours = [record for record in caplog.records if first.public_id in record.getMessage()]
    fields = [record.context_fields for record in ours]  # type: ignore[attr-defined]
    assert fields[:2] == [{"request_id": "q7x2k9mp4tzn", **played}] * 2, "claimed and finished"
    results = all_results()
    table_play(first.pk)
    first.refresh_from_db()
    assert (first.state, first.attempt) == (Table.State.FINISHED, 1)
    assert len(results) == 2 * 4
    assert all_results() == results
    assert set(TableSeat.objects.filter(table=first).values_list("verdict", flat=True)) == {"OK"}

    table_play(second.pk)
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINAL


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_swept", [False, True])
def test_a_claim_whose_commit_was_not_confirmed_is_returned_before_the_next_claim(
    running: Tournament, monkeypatch: pytest.MonkeyPatch, is_swept: bool
) -> None:
    """Otherwise a table that nobody plays would bar the other tables of its boards."""
    first, second, *_ = waiting(running)
    attempts = iter([first.pk, second.pk])
    played: list[int] = []

    def claim(_: int, worker: str, runtimes: object, kernel: str) -> tuple[Lease | None, list[int]]:
        table = next(attempts)
        lease = table_claim(table, worker, kernel=kernel)
        if table == first.pk:
            if is_swept:
                Table.objects.filter(pk=table).update(
                    lease_until=timezone.now() - datetime.timedelta(hours=1)
                )
                tables_sweep()
            raise OperationalError("server closed the connection unexpectedly")
        return lease, []

    def play(lease: Lease, selftest: object) -> bool:
        played.append(lease.table_id)
        return False

    monkeypatch.setattr(tasks, "table_claim_in_turn", claim)
    monkeypatch.setattr(tasks, "lease_play", play)
    table_play(first.pk)
    assert played == [second.pk]
    first.refresh_from_db()
    assert first.state == Table.State.WAITING
    assert not LostLease.objects.exists()
    assert not Table.objects.filter(state=Table.State.LEASED).exclude(pk=second.pk).exists()


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
def test_a_bundle_that_is_gone_is_our_fault_and_charged_to_nobody() -> None:
    tournament = started(
        factories.a_version(factories.a_bot(factories.aya())),
        factories.passed(uploaded(factories.ben(), "kakeya_random")),
    )
    table = waiting(tournament)[0]
    for attempt in (1, 2, 3):
        table_play(table.pk)
        table.refresh_from_db()
        assert table.attempt == attempt
        assert "blob" in table.reason
    assert table.state == Table.State.QUARANTINED
    assert not all_results()
    assert not TableSeat.objects.filter(forfeited=True).exists()


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
def test_a_house_bot_passes_its_check_once() -> None:
    version = uploaded(factories.aya(), "kakeya_greedy")
    check = version.checks.get()
    version_check(check.pk)
    version_check(check.pk)
    version.refresh_from_db()
    check.refresh_from_db()
    assert version.state == BotVersion.State.READY, version.reasons
    assert version.bot.active_version == version
    assert version.runtime_digest
    assert check.state == CheckRun.State.DONE
    assert all(step["ok"] for step in check.steps)
    assert version.checks.count() == 1


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
def test_a_check_whose_bundle_is_gone_is_tried_three_times() -> None:
    version = factories.an_upload(factories.a_bot(factories.aya()))
    for _ in range(4):
        for check in version.checks.filter(state=CheckRun.State.WAITING):
            version_check(check.pk)
    version.refresh_from_db()
    assert version.state == BotVersion.State.CHECKING, "not the bot's fault"
    assert list(version.checks.values_list("state", flat=True)) == [CheckRun.State.FAILED] * 3
    assert "blob" in version.checks.first().reason


@pytest.mark.django_db(transaction=True)
def test_below_the_required_level_nothing_is_taken(
    running: Tournament, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SANDBOX_MIN_LEVEL", "SUPERB")
    readiness_find(again=True)
    try:
        table = waiting(running)[0]
        check = factories.an_upload(factories.a_bot(factories.aya())).checks.get()
        table_play(table.pk)
        version_check(check.pk)
    finally:
        monkeypatch.undo()
        readiness_find(again=True)
    table.refresh_from_db()
    check.refresh_from_db()
    assert (table.state, table.attempt) == (Table.State.WAITING, 0)
    assert check.state == CheckRun.State.WAITING
    assert "SANDBOX_MIN_LEVEL" in caplog.text


def test_a_tick_without_a_broker_repairs_all_the_same(
    running: Tournament, caplog: pytest.LogCaptureFixture, django_capture_on_commit_callbacks
) -> None:
    worker_heartbeat("able", "FULL1", {"python/1": "d" * 64}, 1)
    lost = claimed(waiting(running)[0])
    Table.objects.filter(pk=lost.table_id).update(lease_until=timezone.now() - datetime.timedelta(seconds=1))
    with caplog.at_level(logging.WARNING), django_capture_on_commit_callbacks(execute=True):
        tick()
    table = Table.objects.get(pk=lost.table_id)
    assert table.state == Table.State.WAITING
    assert table.note == {"code": "heartbeat_lost"}
    assert "broker" in caplog.text
    assert "lease" in caplog.text


def test_one_event_that_cannot_go_on_does_not_hold_up_the_others(
    running: Tournament, caplog: pytest.LogCaptureFixture
) -> None:
    due = factories.an_open_tournament()
    for owner in (factories.aya(), factories.ben()):
        factories.an_entry(due, owner)
    Tournament.objects.filter(pk=due.pk).update(closes_at=timezone.now())
    running.stages.update(format="no such format")
    Table.objects.update(state=Table.State.FINISHED, record_sha256="0" * 64)
    tick()
    due.refresh_from_db()
    assert due.state == Tournament.State.LOCKED
    assert f"tick: tournament {running.public_id}" in caplog.text


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
def test_a_message_about_a_table_of_boards_in_play_here_brings_another_machine_to_it() -> None:
    tournament = factories.an_open_tournament()
    for owner in (factories.aya(), factories.ben()):
        factories.an_entry(tournament, owner)
    tournament_lock(tournament, tournament.organiser)
    tournament_start(tournament, tournament.organiser)
    tournament_advance(tournament)
    first, second = waiting(tournament)
    worker_heartbeat("here", "FULL1", {"python/1": "d" * 64}, 2, kernel=kernel_id())
    assert table_claim(first.pk, "test:1:1", {"python/1"}, kernel_id())
    table_play(second.pk)
    second.refresh_from_db()
    assert (second.state, second.attempt, second.waiting_for) == ("waiting", 0, "boards_in_play")
    worker_heartbeat("elsewhere", "FULL1", {"python/1": "d" * 64}, 2, kernel="another")
    table_play(second.pk)
    second.refresh_from_db()
    assert second.published_at is None, "no broker takes the message"
    assert second.waiting_for == ""
