"""Health, readiness and metrics."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator

import pytest
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries, Settings

from arena.competition.models import Round, Tournament
from arena.matches.models import Table, Worker
from arena.matches.workers import worker_heartbeat
from arena.operations.broker import broker_argv, broker_binary_find, broker_wait
from arena.operations.child_process import Child, ChildSpec
from arena.roster.models import CheckRun
from arena.roster.services import version_suspend
from arena.settings.broker import broker_socket_of
from arena.settings.metrics import MetricsAccess
from tests import factories
from tests.arena.play import claimed, waiting
from tests.arena.web.conftest import under_way

pytestmark = pytest.mark.full


def test_healthz_looks_at_the_process_alone(client: Client) -> None:
    # Without the db fixture any query would fail the test.
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.fixture(scope="module")
def broker_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real broker on a socket of its own."""
    folder = tmp_path_factory.mktemp("broker")
    argv = tuple(broker_argv(broker_binary_find(), folder))
    child = Child(ChildSpec("broker", argv, dict(os.environ), folder, folder / "log"))
    child.start()
    url = f"unix://{broker_socket_of(folder)}?db=0"
    try:
        broker_wait(url, 20.0)
        yield url
    finally:
        child.stop()


@pytest.fixture
def broker(settings: Settings, broker_url: str) -> None:
    """The installation's broker is that one."""
    settings.REDIS_URL = broker_url


@pytest.mark.django_db
def test_ready_when_every_part_is(client: Client, broker: None) -> None:
    response = client.get("/readyz")
    assert response.json() == {
        "status": "ok",
        "parts": {"database": {"ok": True}, "migrations": {"ok": True}, "broker": {"ok": True}},
    }
    assert response.status_code == 200
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.django_db
def test_a_silent_broker_is_named(client: Client) -> None:
    response = client.get("/readyz")
    assert response.status_code == 503
    parts = response.json()["parts"]
    assert {name for name, part in parts.items() if not part["ok"]} == {"broker"}


@pytest.mark.django_db
def test_a_missing_migration_is_named(client: Client) -> None:
    (latest,) = MigrationLoader(connection).graph.leaf_nodes("matches")
    MigrationRecorder(connection).record_unapplied(*latest)
    response = client.get("/readyz")
    assert response.status_code == 503
    assert f"matches.{latest[1]}" in response.json()["parts"]["migrations"]["reason"]


@pytest.mark.django_db
def test_a_dead_database_is_named_without_its_address(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dead(*args: object, **kwargs: object) -> None:
        raise OperationalError("connection to db.internal as rensho failed")

    monkeypatch.setattr(connection, "cursor", dead)
    response = client.get("/readyz")
    assert response.status_code == 503
    assert not response.json()["parts"]["database"]["ok"]
    assert "db.internal" not in response.content.decode()


@pytest.fixture(autouse=True)
def anybody_may_read(settings: Settings) -> None:
    settings.METRICS_ACCESS = MetricsAccess(is_public=True)


def figures(client: Client) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    text = client.get("/metrics").content.decode()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def figure(client: Client, name: str, **labels: str) -> float:
    return figures(client)[name, frozenset(labels.items())]


@pytest.mark.django_db
def test_an_empty_house_reports_zeros(client: Client) -> None:
    assert figure(client, "rensho_tables", state="waiting") == 0
    assert figure(client, "rensho_oldest_age_seconds", what="table", state="waiting") == 0


@pytest.mark.django_db
def test_tables_are_counted_and_aged_by_state(client: Client) -> None:
    tournament = under_way(4)
    lease = claimed(waiting(tournament)[0])
    hour, minute = (
        timezone.now() - datetime.timedelta(hours=1),
        timezone.now() - datetime.timedelta(minutes=1),
    )
    Table.objects.filter(state="waiting").update(state_at=hour)
    Table.objects.filter(pk=lease.table_id).update(heartbeat_at=minute)
    Round.objects.update(opened_at=hour)
    assert figure(client, "rensho_tables", state="waiting") == 3
    assert figure(client, "rensho_tables", state="leased") == 1
    assert figure(client, "rensho_tournaments", state="running") == 1
    ages = {
        "waiting": figure(client, "rensho_oldest_age_seconds", what="table", state="waiting"),
        "heartbeat": figure(client, "rensho_oldest_age_seconds", what="table", state="heartbeat"),
        "round": figure(client, "rensho_oldest_age_seconds", what="round", state="open"),
    }
    assert ages["waiting"] >= 3600 > ages["heartbeat"] >= 60
    assert ages["round"] >= 3600


@pytest.mark.django_db
def test_tables_that_wait_for_a_pause_to_end_do_not_age(client: Client) -> None:
    under_way()
    Table.objects.update(state_at=timezone.now() - datetime.timedelta(hours=1))
    Tournament.objects.update(state="paused")
    assert figure(client, "rensho_oldest_age_seconds", what="table", state="waiting") == 0
    assert figure(client, "rensho_tables", state="waiting") == 2


@pytest.mark.django_db
def test_checks_age(client: Client) -> None:
    factories.an_upload(factories.a_bot(factories.aya()))
    CheckRun.objects.update(created_at=timezone.now() - datetime.timedelta(hours=2))
    assert figure(client, "rensho_oldest_age_seconds", what="check", state="waiting") >= 7200
    assert figure(client, "rensho_versions", state="uploaded") == 1


@pytest.mark.django_db
def test_what_no_worker_can_run_is_counted_and_aged(client: Client) -> None:
    assert figure(client, "rensho_runtime_unavailable", what="table") == 0
    assert figure(client, "rensho_oldest_age_seconds", what="table", state="runtime_unavailable") == 0
    under_way(4)
    factories.an_upload(factories.a_bot(factories.aya()), runtime="node/1")
    hours = datetime.timedelta(hours=3)
    note = {"code": "runtime_lacking", "runtimes": "node/1"}
    unserved = {"waiting_for": "runtime_unavailable", "note": note}
    stuck = Table.objects.order_by("id").first()
    Table.objects.filter(pk=stuck.pk).update(**unserved, state_at=timezone.now() - hours)
    CheckRun.objects.filter(state="waiting").update(**unserved, created_at=timezone.now() - hours)
    for what in ("table", "check"):
        assert figure(client, "rensho_runtime_unavailable", what=what) == 1
        assert figure(client, "rensho_oldest_age_seconds", what=what, state="runtime_unavailable") >= 10800
    # Another reason, or another state, is something else.
    Table.objects.filter(pk=stuck.pk).update(waiting_for="")
    CheckRun.objects.filter(**unserved).update(state="running", started_at=timezone.now())
    for what in ("table", "check"):
        assert figure(client, "rensho_runtime_unavailable", what=what) == 0
        assert figure(client, "rensho_oldest_age_seconds", what=what, state="runtime_unavailable") == 0


@pytest.mark.django_db
def test_suspended_versions_are_counted(client: Client) -> None:
    version = factories.a_version(factories.a_bot(factories.aya()))
    assert figure(client, "rensho_versions", state="suspended") == 0
    assert version_suspend(version, "it forfeited 14 of its last 50 tables")
    assert figure(client, "rensho_versions", state="suspended") == 1


@pytest.mark.django_db
def test_workers_are_listed_with_their_level(client: Client) -> None:
    worker_heartbeat("box:1", "FULL1", {}, 4)
    Worker.objects.update(heartbeat_at=timezone.now() - datetime.timedelta(minutes=5))
    labels = {"worker": "box:1", "level": "FULL1"}
    assert figure(client, "rensho_worker_capacity", **labels) == 4
    assert figure(client, "rensho_worker_heartbeat_age_seconds", **labels) >= 300


@pytest.mark.django_db
def test_a_scrape_costs_a_fixed_number_of_queries(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    under_way(6)
    with django_assert_max_num_queries(28):
        client.get("/metrics")
