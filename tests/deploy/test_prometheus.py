"""The alert rules: valid, on metrics that exist, silent on a healthy site, and each fires at its incident."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from arena.common.metric_declarations import DECLARED, Kind
from arena.common.metrics import count, flush
from arena.jobs.tasks import tick
from arena.matches.workers import worker_heartbeat
from arena.settings.metrics import MetricsAccess
from tests.arena.queue_server import QueueServer, queue_server
from tests.deploy.alerts import ALERTS, ROOT, RULES, UP, Series, names_in_rules, promtool, refutation, scraped

__all__ = ["promtool"]

pytestmark = pytest.mark.full

AWAY = "_x200"

INCIDENTS: dict[str, Series] = {
    "RenshoWebDown": {UP: "0x200"},
    "RenshoDatabaseDown": {"rensho_database_up": "0x200"},
    "RenshoQueueDown": {"rensho_queue_up": "0x200"},
    "RenshoStorageDown": {"rensho_storage_up": "0x200"},
    "RenshoTickStopped": {"rensho_tick_age_seconds": "0+60x200"},
    "RenshoDeadlineOverdue": {
        'rensho_oldest_age_seconds{state="heartbeat",what="table"}': "0+60x200",
    },
    "RenshoNoWorkers": {'rensho_worker_ready{cause="",level="FULL",worker="box:1"}': AWAY},
    "RenshoWorkerRefuses": {'rensho_worker_ready{cause="sandbox",level="FULL",worker="box:2"}': "0x200"},
    "RenshoRuntimeUnavailable": {'rensho_runtime_unavailable{what="table"}': "3x200"},
    "RenshoPlatformFaults": {
        'rensho_table_attempts_total{cause="store",outcome="failed"}': "0+5x200",
        'rensho_table_attempts_total{cause="",outcome="finished"}': "0+5x200",
    },
    "RenshoTablesQuarantined": {'rensho_tables{state="quarantined"}': "2x200"},
    "RenshoDiskFull": {'rensho_disk_free_bytes{place="data"}': "1000x200"},
    "RenshoBlobsLost": {'rensho_blobs_lost{problem="missing"}': "1x200"},
    "RenshoRevisionsDiffer": {
        'rensho_workers{revision="v1"}': "1x200",
        'rensho_workers{revision="v2"}': "1x200",
    },
    "RenshoBackupLate": {"rensho_last_backup_age_seconds": "90000+60x200"},
    "RenshoMailFails": {'rensho_oldest_age_seconds{what="mail",state="waiting"}': "0+60x200"},
    "RenshoServerErrors": {
        'rensho_http_requests_total{method="GET",route="web:home",status="500"}': "0+1x200",
        'rensho_http_requests_total{method="GET",route="web:home",status="200"}': "0+9x200",
    },
    "RenshoConnectionsExhausted": {
        'rensho_database_connections{what="used"}': "95x200",
        'rensho_database_connections{what="limit"}': "100x200",
    },
}


@pytest.fixture(scope="module")
def queue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueueServer]:
    with queue_server(tmp_path_factory.mktemp("queue")) as server:
        yield server


@pytest.mark.django_db
def test_each_alert_fires_at_its_incident_alone(
    client: Client, settings: Settings, queue: QueueServer, promtool: Path, tmp_path: Path
) -> None:
    settings.METRICS_ACCESS = MetricsAccess(is_public=True)
    settings.REDIS_URL = queue.url
    worker_heartbeat("box:1", "FULL", {"python/1": "0"}, 2)
    count("table_attempts", outcome="finished", cause="")
    tick()
    flush()
    healthy = {key: f"{value:.0f}x200" for key, value in scraped(client).items()}
    assert INCIDENTS.keys() == ALERTS.keys()
    assert refutation(healthy, (), tmp_path) == ""
    problems = {
        name: refutation({**healthy, **series}, [name], tmp_path) for name, series in INCIDENTS.items()
    }
    assert {name: problem for name, problem in problems.items() if problem} == {}


def test_the_rules_are_valid(promtool: Path) -> None:
    done = subprocess.run(
        [promtool, "check", "rules", RULES], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def exposed_names() -> set[str]:
    suffixes = {Kind.HISTOGRAM: ("_bucket", "_sum", "_count")}
    return {f"{metric.exposed}{suffix}" for metric in DECLARED for suffix in suffixes.get(metric.kind, ("",))}


def test_rules_use_metrics_that_exist() -> None:
    assert names_in_rules() - exposed_names() == set()


def test_every_alert_has_its_section_in_the_runbook() -> None:
    runbook = (ROOT / "docs" / "runbook.md").read_text()
    sections = {title.lower().replace(" ", "-") for title in re.findall(r"^## (.+)$", runbook, re.MULTILINE)}
    for name, rule in ALERTS.items():
        path, _, section = rule["annotations"]["runbook"].partition("#")
        assert (path, section in sections, f"`{name}`" in runbook) == ("docs/runbook.md", True, True), name
