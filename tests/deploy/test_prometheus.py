"""The alert rules: valid, on metrics that exist, silent on a healthy site, and each fires at its incident."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from arena.common.metric_declarations import DECLARED, Kind
from arena.common.metrics import count, flush
from arena.jobs.tasks import tick
from arena.matches.workers import worker_heartbeat
from arena.settings.metrics import MetricsAccess
from tests.arena.queue_server import QueueServer, queue_server

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deploy" / "prometheus"
RULES = FOLDER / "rensho.rules.yml"
PROMTOOL = ROOT / ".tools" / "promtool" / "promtool"
ALERTS = {
    rule["alert"]: rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]
}
pytestmark = pytest.mark.full

Series = dict[str, str]
"""Values by series, in the notation of promtool."""
HOURS = 150
"""Minutes that the series last: longer than every ``for``."""
AWAY = "_x200"

INCIDENTS: dict[str, Series] = {
    "RenshoWebDown": {'up{job="rensho",instance="web"}': "0x200"},
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
    "RenshoServerErrors": {
        'rensho_http_requests_total{method="GET",route="web:home",status="500"}': "0+1x200",
        'rensho_http_requests_total{method="GET",route="web:home",status="200"}': "0+9x200",
    },
    "RenshoConnectionsExhausted": {
        'rensho_database_connections{what="used"}': "95x200",
        'rensho_database_connections{what="limit"}': "100x200",
    },
}


@pytest.fixture
def promtool() -> Path:
    if not PROMTOOL.exists():
        pytest.skip("no promtool: run make promtool")
    return PROMTOOL


@pytest.fixture(scope="module")
def queue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueueServer]:
    with queue_server(tmp_path_factory.mktemp("queue")) as server:
        yield server


def names_in_rules() -> set[str]:
    return {name for rule in ALERTS.values() for name in re.findall(r"\brensho_\w+", rule["expr"])}


def healthy_series(client: Client) -> Series:
    """What a site exposes whose parts all work, as constant series."""
    series = {'up{job="rensho",instance="web"}': "1x200"}
    used = names_in_rules()
    for family in text_string_to_metric_families(client.get("/metrics").content.decode()):
        for sample in family.samples:
            if sample.name not in used:
                continue
            labels = ",".join(f"{name}={json.dumps(sample.labels[name])}" for name in sorted(sample.labels))
            series[f"{sample.name}{{{labels}}}" if labels else sample.name] = f"{sample.value:.0f}x200"
    return series


def firing(cases: dict[str, Series], folder: Path) -> dict[str, str]:
    """Run promtool on all cases; return what it says of those in which other alerts fire than the case's."""
    problems = {}
    for name, series in cases.items():
        expected = [{"labels": f'{{alertname="{name}"}}', "value": 1}] if name in ALERTS else []
        test = {
            "rule_files": [str(RULES)],
            "evaluation_interval": "1m",
            "tests": [
                {
                    "interval": "1m",
                    "input_series": [{"series": key, "values": values} for key, values in series.items()],
                    "promql_expr_test": [
                        {
                            "expr": 'group by (alertname) (ALERTS{alertstate="firing"})',
                            "eval_time": f"{HOURS}m",
                            "exp_samples": expected,
                        }
                    ],
                }
            ],
        }
        file = folder / f"{name}.yml"
        file.write_text(json.dumps(test))
        done = subprocess.run(
            [PROMTOOL, "test", "rules", file], capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode:
            problems[name] = done.stdout + done.stderr
    return problems


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
    healthy = healthy_series(client)
    assert INCIDENTS.keys() == ALERTS.keys()
    cases = {"healthy": healthy, **{name: {**healthy, **series} for name, series in INCIDENTS.items()}}
    assert firing(cases, tmp_path) == {}


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
