"""Logs, times and events are deleted after the days of the settings; results and replays stay."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any

import pytest
from django.utils import timezone

from arena.accounts.events import events_prune, oldest_event_id
from arena.common.blobs import blob_get, blob_put
from arena.common.models import Blob, LostBlob
from arena.competition.models import Tournament
from arena.jobs.periodic import blobs_expire_due
from arena.matches.models import Table
from arena.settings.retention import Retention, retention_of
from arena.standings.audit import tournament_audit
from arena.tables.artifacts import TableArtifacts
from arena.tables.views import table_view_make
from tests.arena.api.conftest import caller
from tests.arena.play import claimed, played, waiting
from tests.factories import logged_events
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def table(shared_played: Tournament) -> Table:
    """A finished table whose first seat has a log."""
    table = Table.objects.filter(tournament=shared_played).exclude(timings_sha256="").order_by("pk")[0]
    seat = table.seats.order_by("seat")[0]
    seat.log_sha256 = blob_put(b"a log of a bot", Blob.Kind.LOG)
    seat.save()
    return table


def blobs_age(days: int) -> None:
    Blob.objects.update(created_at=timezone.now() - datetime.timedelta(days=days))


def test_expired_logs_and_times_have_a_code(table: Table, settings: Any) -> None:
    seat = table.seats.order_by("seat")[0]
    owner = caller(seat.version.bot.owner.user)
    addresses = [f"/api/v1/tables/{table.public_id}/{name}?seat={seat.seat}" for name in ("log", "timings")]
    assert [owner.get(address).status_code for address in addresses] == [200, 200]
    blobs_age(100)
    assert blobs_expire_due() == 0, "by default they are kept"
    settings.RETENTION = Retention(logs_days=101, timings_days=101)
    assert blobs_expire_due() == 0
    settings.RETENTION = Retention(logs_days=99, timings_days=99)
    assert blobs_expire_due() >= 2
    answers = [owner.get(address) for address in addresses]
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(404, "blob_expired")] * 2
    assert blob_get(table.record_sha256)
    assert table_view_make(table)
    assert tournament_audit(table.tournament) == []
    assert not LostBlob.objects.exists()


def test_a_log_stays_while_bots_write_the_same(shared_running: Tournament, settings: Any) -> None:
    settings.RETENTION = Retention(logs_days=30)
    old, repeated = (blob_put(text, Blob.Kind.LOG) for text in (b"an old log", b"a frequent log"))
    blobs_age(100)
    report = played(claimed(waiting(shared_running)[0]).order)
    first, *others = report.seats
    report = dataclasses.replace(report, seats=[dataclasses.replace(first, log_sha256=repeated), *others])
    artifacts = TableArtifacts()
    for data in (blob_get(repeated), blob_get(report.record_sha256), blob_get(report.timings_sha256)):
        artifacts.keep(data)
    artifacts.note(report)
    assert blobs_expire_due() == 1
    assert set(Blob.objects.filter(sha256__in=(old, repeated))) == {Blob.objects.get(sha256=repeated)}


def test_events_and_settings(shared_played: Tournament, settings: Any) -> None:
    logged_events().update(created_at=timezone.now() - datetime.timedelta(days=20))
    first = oldest_event_id()
    settings.RETENTION = retention_of({"RENSHO_KEEP_EVENTS_DAYS": "30"})
    assert events_prune() == 0
    settings.RETENTION = retention_of({})
    assert events_prune() > 0
    assert oldest_event_id() > first


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("RENSHO_KEEP_TIMINGS_DAYS", "59"),
        ("RENSHO_KEEP_EVENTS_DAYS", "0"),
        ("RENSHO_KEEP_LOGS_DAYS", "-1"),
        ("RENSHO_KEEP_RECORDS_DAYS", "30"),
    ],
)
def test_wrong_days_are_refused_by_name(name: str, text: str) -> None:
    assert name in str(refusal(SystemExit, retention_of, {name: text}))
