"""Health, readiness and metrics."""

from __future__ import annotations

import asyncio
import datetime
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, RequestFactory
from django.urls import resolve
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries, Settings

from arena.common import metrics
from arena.common.metric_declarations import DECLARED
from arena.common.metrics import Counts, count, observe
from arena.common.serving import ROUTE_KEY, route_name
from arena.competition.models import Round, Tournament
from arena.jobs.tasks import tick
from arena.matches.models import Table, Worker
from arena.matches.workers import worker_heartbeat
from arena.operations.broker import broker_argv, broker_binary_find, broker_wait
from arena.operations.child_process import Child, ChildSpec
from arena.operations.disks import storage_problem
from arena.roster.models import CheckRun
from arena.roster.services import version_suspend
from arena.server.request_metrics import MeasuredApplication, process_registry
from arena.settings.broker import broker_socket_of
from arena.settings.metrics import MetricsAccess
from arena.web.site.metric_families import database
from tests import factories
from tests.arena.play import claimed, waiting
from tests.arena.web.conftest import under_way

pytestmark = pytest.mark.full

OPERATORS = Path(__file__).parents[3] / "docs" / "operators.md"


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
def broker(settings: Settings, broker_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The installation's broker is that one, and no test before has met another that was away."""
    settings.REDIS_URL = broker_url
    monkeypatch.setattr(metrics, "_counts", Counts())


@pytest.mark.django_db
def test_ready_when_every_part_is(client: Client, broker: None) -> None:
    response = client.get("/readyz")
    assert response.json() == {
        "status": "ok",
        "maintenance": False,
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
    with django_assert_max_num_queries(42):
        client.get("/metrics")


@pytest.mark.django_db
def test_every_process_counts_for_every_scrape(client: Client, broker: None) -> None:
    count("table_attempts", outcome="finished", cause="")
    observe("claim_seconds", 0.02)
    values = figures(client)
    assert values["rensho_queue_up", frozenset()] == 1
    labels = {("outcome", "finished"), ("cause", "")}
    assert values["rensho_table_attempts_total", frozenset(labels)] >= 1
    assert values["rensho_claim_seconds_bucket", frozenset({("le", "0.025")})] >= 1
    assert values["rensho_claim_seconds_count", frozenset()] >= 1
    assert values["rensho_platform_faults_total", frozenset({("cause", "disk")})] >= 0
    assert values["rensho_queue_messages", frozenset({("queue", "housekeeping")})] == 0


def test_without_database_and_queue_the_rest_is_reported(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*args: object, **kwargs: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(database, "statements_within", away)
    values = figures(client)
    names = {name for name, _ in values}
    assert values["rensho_database_up", frozenset()] == 0
    assert values["rensho_queue_up", frozenset()] == 0
    assert values["rensho_disk_free_bytes", frozenset({("place", "data")})] > 0
    assert {"rensho_storage_up", "rensho_build_info", "process_cpu_seconds_total"} <= names
    assert not {"rensho_tables", "rensho_queue_messages", "rensho_verdicts_total"} & names


@pytest.mark.django_db
def test_the_figures_of_a_slow_database_are_left_out(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "MAX_S", 0.0)
    assert figure(client, "rensho_database_up") == 0


@pytest.mark.django_db
def test_a_tick_has_an_age_and_a_length(client: Client, broker: None) -> None:
    tick()
    values = figures(client)
    tick()
    assert figure(client, "rensho_tick_age_seconds") < 60
    assert figure(client, "rensho_tick_seconds_count") == values["rensho_tick_seconds_count", frozenset()] + 1
    assert figure(client, "rensho_tick_failures_total", chore="tables_sweep") == 0


def test_the_documentation_lists_every_metric_with_its_labels() -> None:
    documented: dict[str, tuple[str, ...]] = {}
    for line in OPERATORS.read_text().splitlines():
        if line.startswith("| `rensho_"):
            names, labels, *_ = line.removeprefix("| ").split(" | ")
            documented |= dict.fromkeys(re.findall(r"`(\w+)`", names), tuple(re.findall(r"`(\w+)`", labels)))
    assert documented == {metric.exposed: metric.labels for metric in DECLARED}


@pytest.mark.django_db
def test_only_declared_metrics_are_exposed(client: Client, broker: None) -> None:
    text = client.get("/metrics").content.decode()
    exposed = {family.name for family in text_string_to_metric_families(text)}
    declared = {metric.exposed.removesuffix("_total") for metric in DECLARED}
    assert {name for name in exposed if name.startswith("rensho_")} <= declared


def test_a_new_site_has_a_storage_and_a_lost_disk_has_none(settings: Settings, tmp_path: Path) -> None:
    for location, is_up in ((tmp_path / "blobs", True), (tmp_path / "unmounted" / "blobs", False)):
        options = {"location": location}
        storage = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}
        settings.STORAGES = settings.STORAGES | {"blobs": storage}
        assert (storage_problem() is None) is is_up


def test_requests_are_counted_by_route_never_by_path() -> None:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        scope[ROUTE_KEY] = {"/tables/x1": "web:a-test"}.get(scope["path"], "")
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> Any:
        raise AssertionError

    async def send(_: Any) -> None:
        pass

    for path, method in (("/tables/x1", "GET"), ("/wp-login.php", "BREW")):
        scope = {"type": "http", "path": path, "method": method}
        asyncio.run(MeasuredApplication(application)(scope, receive, send))
    samples = {
        tuple(sample.labels.values()): sample.value
        for family in process_registry.collect()
        for sample in family.samples
        if sample.name == "rensho_http_requests_total"
    }
    assert samples["GET", "web:a-test", "200"] == 1
    assert samples["other", "unknown", "200"] == 1


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/tournaments/abcdefgh2345", "web:tournament"),
        ("/admin/accounts/user/", "admin"),
        ("/static/x.css", "static"),
        ("/nothing", ""),
    ],
)
def test_routes_are_named_by_their_pattern(rf: RequestFactory, path: str, route: str) -> None:
    request = rf.get(path)
    if route not in ("static", ""):
        request.resolver_match = resolve(path)
    assert route_name(request) == route
