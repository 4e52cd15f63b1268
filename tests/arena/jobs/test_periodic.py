"""Old rows are deleted, what must end has an age and a limit, and no task of the tick stops the others."""

from __future__ import annotations

import datetime

import pytest
from django.db import connection, transaction
from django.utils import timezone

from arena.accounts.events import event_add
from arena.accounts.models import IdempotencyKey
from arena.common.outage import Outage
from arena.competition.models import Round, Tournament
from arena.jobs import tasks
from arena.jobs.periodic import rows_prune
from arena.matches.models import Fixture, Table, Worker
from arena.matches.workers import worker_heartbeat
from arena.operations.staleness import oldest_rows
from tests import factories
from tests.arena.play import begun, claimed, waiting

DAY = datetime.timedelta(days=1)


def overdue() -> set[tuple[str, str]]:
    return {(age.what, age.state) for age in oldest_rows() if age.is_overdue}


@pytest.mark.django_db
def test_events_go_after_two_weeks_and_keys_after_a_day() -> None:
    aya = factories.aya()
    tournament = factories.a_tournament()
    for days in (15, 13, 0):
        event_add("tournament.opened", tournament, tournament=tournament.public_id)
        event = factories.logged_events().latest("id")
        factories.logged_events().filter(pk=event.pk).update(created_at=timezone.now() - days * DAY)
    for key, hours in (("new", 0), ("old", 23), ("over", 26)):
        IdempotencyKey.objects.create(user=aya, key=key, fingerprint="f" * 64)
        at = timezone.now() - datetime.timedelta(hours=hours)
        IdempotencyKey.objects.filter(key=key).update(created_at=at)
    assert ("event", "kept") in overdue()
    assert ("idempotency_key", "kept") in overdue()
    events = factories.logged_events().filter(tournament=tournament.public_id).count()
    rows_prune()
    assert factories.logged_events().filter(tournament=tournament.public_id).count() == events - 1
    assert set(IdempotencyKey.objects.values_list("key", flat=True)) == {"new", "old"}
    assert overdue() == set()


@pytest.mark.django_db
def test_workers_go_a_week_after_their_last_heartbeat() -> None:
    for name, days in (("killed@gone", 8), ("killed@lately", 6)):
        worker_heartbeat(name, "FULL", {}, 1)
        Worker.objects.filter(name=name).update(heartbeat_at=timezone.now() - days * DAY)
    rows_prune()
    assert [worker.name for worker in Worker.objects.all()] == ["killed@lately"]


@pytest.mark.django_db
def test_the_tick_prunes_and_a_chore_that_breaks_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    IdempotencyKey.objects.create(user=factories.aya(), key="over", fingerprint="f" * 64)
    IdempotencyKey.objects.update(created_at=timezone.now() - 2 * DAY)

    def broken() -> int:
        raise RuntimeError("the network is down")

    monkeypatch.setattr(tasks, "series_due", broken)
    tasks.tick()
    assert not IdempotencyKey.objects.exists()


@pytest.mark.django_db
def test_the_tick_logs_one_line_while_a_table_is_missing(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unmigrated() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM a_table_of_a_newer_release")

    monkeypatch.setattr(tasks, "series_due", unmigrated)
    monkeypatch.setattr(tasks, "trials_expire", unmigrated)
    monkeypatch.setattr(tasks, "_database_outage", Outage(tasks.log, "the database"))
    tasks.tick()
    records = [record for record in caplog.records if "a_table_of_a_newer_release" in record.getMessage()]
    assert [(record.levelname, record.exc_info) for record in records] == [("WARNING", None)]
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.django_db
def test_every_state_that_must_end_has_an_age_and_none_is_late_at_first() -> None:
    tournament = begun(4)
    claimed(waiting(tournament)[0])
    known = {(age.what, age.state) for age in oldest_rows()}
    assert known >= {
        ("table", "waiting"),
        ("table", "unclaimed"),
        ("table", "playing"),
        ("table", "heartbeat"),
        ("table", "quarantined"),
        ("fixture", "open"),
        ("round", "open"),
        ("tournament", "open"),
        ("tournament", "locked"),
        ("tournament", "running"),
        ("tournament", "paused"),
        ("tournament", "provisional"),
        ("entry", "pending"),
        ("check", "waiting"),
        ("check", "running"),
        ("version", "uploaded"),
        ("version", "checking"),
        ("series", "overdue"),
        ("idempotency_key", "kept"),
        ("event", "kept"),
    }
    present = {(age.what, age.state) for age in oldest_rows() if age.seconds}
    assert {("table", "waiting"), ("table", "heartbeat"), ("fixture", "open"), ("round", "open")} <= present
    assert overdue() == set()


@pytest.mark.django_db
def test_a_deadline_that_was_missed_shows() -> None:
    tournament = begun(4)
    claimed(waiting(tournament)[0])
    long_ago = timezone.now() - 40 * DAY
    Table.objects.update(state_at=long_ago, heartbeat_at=long_ago)
    assert overdue() == {("table", "heartbeat")}, "the event has not been running for so long"
    Tournament.objects.update(state_at=long_ago)
    assert overdue() == {("table", "heartbeat"), ("table", "unclaimed")}
    Tournament.objects.update(state="paused")
    assert overdue() == {("table", "heartbeat"), ("tournament", "paused")}
    Tournament.objects.update(state="provisional")
    assert ("tournament", "provisional") in overdue()
    Table.objects.update(state="void")
    Fixture.objects.update(state="void")
    Round.objects.update(state="closed")
    Tournament.objects.update(state="final")
    assert overdue() == set()
