"""The alert rules, evaluated by promtool on series that a test gives or scrapes."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest
import yaml
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy" / "prometheus" / "rensho.rules.yml"
PROMTOOL = ROOT / ".tools" / "promtool" / "promtool"
ALERTS = {
    rule["alert"]: rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]
}
UP = 'up{job="rensho",instance="web"}'
"""What Prometheus itself says of a web process that it could scrape."""
MINUTES = 150
"""When the rules are evaluated: later than every ``for``."""

Series = Mapping[str, str]
"""Values by series, one a minute, in the notation of promtool."""


@pytest.fixture
def promtool() -> Path:
    if not PROMTOOL.exists():
        pytest.skip("no promtool: run make promtool")
    return PROMTOOL


def names_in_rules() -> set[str]:
    return {name for rule in ALERTS.values() for name in re.findall(r"\brensho_\w+", rule["expr"])}


def scraped(client: Client) -> dict[str, float]:
    """What a scrape says of the metrics in the rules, by series."""
    used, values = names_in_rules(), {UP: 1.0}
    for family in text_string_to_metric_families(client.get("/metrics").content.decode()):
        for sample in family.samples:
            if sample.name in used:
                labels = ",".join(
                    f"{name}={json.dumps(sample.labels[name])}" for name in sorted(sample.labels)
                )
                values[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return values


def refutation(series: Series, alerts: Collection[str], folder: Path) -> str:
    """What promtool says if other alerts than these fire on the series; empty if just these do."""
    expected = [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in sorted(alerts)]
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
                        "eval_time": f"{MINUTES}m",
                        "exp_samples": expected,
                    }
                ],
            }
        ],
    }
    file = folder / "test.yml"
    file.write_text(json.dumps(test))
    command = [str(PROMTOOL), "test", "rules", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr if done.returncode else ""
