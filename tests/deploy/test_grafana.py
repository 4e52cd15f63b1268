"""The Grafana dashboard: valid, complete, and every expression on metrics and labels that exist."""

from __future__ import annotations

import copy
import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from arena.common.metric_declarations import DECLARED, Declared, Kind
from tests.deploy.alerts import PROMTOOL, ROOT, promtool

__all__ = ["promtool"]
pytestmark = pytest.mark.full

DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy" / "grafana" / "rensho.json").read_text())
ROWS = ["State", "Play", "Faults", "Queues and ticks", "HTTP", "Database", "Disks", "Workers"]
UNITS = ("none", "s", "bytes", "reqps", "percentunit")
"""Units of Grafana that the panels use."""
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
ADDED_LABELS = {"instance", "job"}
"""By Prometheus, to whatever it scrapes."""
PROCESS_METRICS = {"process_cpu_seconds_total", "process_resident_memory_bytes"}


def _object(required: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": required, **more}


def _list(items: Any, least: int = 1) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least}


TEXT = {"type": "string", "minLength": 1}
WHOLE = {"type": "integer", "minimum": 0}
POSITION = _object({"x": WHOLE, "y": WHOLE, "w": {**WHOLE, "maximum": 24, "minimum": 1}, "h": WHOLE})
TARGET = _object(
    {"refId": {"pattern": "^[A-Z]$"}, "datasource": {"const": SOURCE}, "expr": TEXT, "legendFormat": {}}
)
PANEL = _object(
    {
        "id": WHOLE,
        "type": {"enum": ["stat", "timeseries"]},
        "title": TEXT,
        "datasource": {"const": SOURCE},
        "gridPos": POSITION,
        "fieldConfig": _object({"defaults": _object({"unit": {"enum": UNITS}}), "overrides": {}}),
        "options": {"type": "object"},
        "targets": _list(TARGET),
    }
)
ROW = _object({"id": WHOLE, "type": {"const": "row"}, "title": TEXT, "gridPos": POSITION, "panels": {}})
VARIABLE = _object(
    {"name": {"const": "datasource"}, "type": {"const": "datasource"}, "query": {"const": "prometheus"}}
)
SCHEMA = _object(
    {
        "title": TEXT,
        "uid": {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,40}$"},
        "schemaVersion": {"const": 39},
        "templating": _object({"list": _list(VARIABLE)}),
        "panels": _list({"oneOf": [ROW, PANEL]}),
    },
    **{"not": {"required": ["id"]}},
)
"""The part of Grafana's schema of dashboards (version 39) that this one uses."""


def exposed() -> dict[str, Declared]:
    suffixes = {Kind.HISTOGRAM: ("_bucket", "_sum", "_count")}
    return {
        f"{metric.exposed}{suffix}": metric
        for metric in DECLARED
        for suffix in suffixes.get(metric.kind, ("",))
    }


EXPOSED = exposed()


def targets(dashboard: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Title of the panel, expression and legend."""
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"], target["legendFormat"]


def problems(dashboard: dict[str, Any], folder: Path) -> list[str]:
    """All that is wrong with a dashboard."""
    found = [error.message[:200] for error in Draft202012Validator(SCHEMA).iter_errors(dashboard)]
    if found:
        return found
    return [*_layout(dashboard["panels"]), *_labels(dashboard), *_syntax(dashboard, folder)]


def _layout(panels: list[dict[str, Any]]) -> Iterator[str]:
    if [panel["title"] for panel in panels if panel["type"] == "row"] != ROWS:
        yield "rows"
    for key in ("id", "title"):
        values = Counter(panel[key] for panel in panels)
        yield from (f"{key} {value} is used twice" for value, number in values.items() if number > 1)
    for panel in panels:
        if panel["gridPos"]["x"] + panel["gridPos"]["w"] > 24:
            yield f"{panel['title']} is beyond the edge"
    for first, second in combinations(panels, 2):
        one, other = first["gridPos"], second["gridPos"]
        if all(
            one[at] < other[at] + other[size] and other[at] < one[at] + one[size]
            for at, size in (("x", "w"), ("y", "h"))
        ):
            yield f"{first['title']} lies over {second['title']}"


def _labels(dashboard: dict[str, Any]) -> Iterator[str]:
    for title, expression, legend in targets(dashboard):
        names = set(re.findall(r"\b(?:rensho|process)_\w+", expression))
        unknown = names - EXPOSED.keys() - PROCESS_METRICS
        yield from (f"{title}: there is no {name}" for name in unknown)
        if unknown or not names:
            yield f"{title}: no metric" if not names else f"{title}: unknown"
            continue
        yield from (f"{title}: {problem}" for problem in _selected(expression))
        labels = {label for name in names for label in _labels_of(name)}
        grouped = [set(re.findall(r"\w+", group)) for group in re.findall(r"\bby \(([^)]*)\)", expression)]
        for group in grouped:
            yield from (f"{title}: no label {label}" for label in group - labels)
        # Only labels that the outermost aggregation keeps are left for the legend.
        left = grouped[0] if grouped else (set() if re.search(r"\bmax\(", expression) else labels)
        shown = set(re.findall(r"{{(\w+)}}", legend))
        yield from (f"{title}: the legend has no {label}" for label in shown - left)


def _labels_of(name: str) -> set[str]:
    metric = EXPOSED.get(name)
    own = set(metric.labels) if metric else set()
    return own | ADDED_LABELS | ({"le"} if name.endswith("_bucket") else set())


def _selected(expression: str) -> Iterator[str]:
    """Problems of the label matchers."""
    for name, matchers in re.findall(r"(\w+){([^}]*)}", expression):
        for label, operator, value in re.findall(r'(\w+)(=~|=)"([^"]*)"', matchers):
            if label not in _labels_of(name):
                yield f"{name} has no label {label}"
                continue
            metric = EXPOSED.get(name)
            if metric and metric.known and operator == "=":
                known = {values[metric.labels.index(label)] for values in metric.known}
                if value not in known:
                    yield f"{name} has no {label} {value}"


def _syntax(dashboard: dict[str, Any], folder: Path) -> Iterator[str]:
    """What promtool says of the expressions, with the variables of Grafana replaced."""
    rules = [
        {"record": f"panel:{number}", "expr": expression.replace("$__rate_interval", "5m")}
        for number, (_, expression, _) in enumerate(targets(dashboard))
    ]
    file = folder / "dashboard.yml"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    command = [str(PROMTOOL), "check", "rules", "--lint=none", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        yield done.stdout + done.stderr


def test_the_dashboard_is_valid(promtool: Path, tmp_path: Path) -> None:
    assert problems(DASHBOARD, tmp_path) == []


def test_every_kind_of_fault_is_on_it() -> None:
    shown = {
        name for _, expression, _ in targets(DASHBOARD) for name in re.findall(r"rensho_\w+", expression)
    }
    left_out = {metric.name for metric in DECLARED} - {EXPOSED[name].name for name in shown}
    assert left_out == {
        "build_info",
        "ended_counts_age_seconds",
        "fixtures",
        "tournaments",
        "versions",
        "worker_heartbeat_age_seconds",
    }


def panel_of(dashboard: dict[str, Any], title: str) -> dict[str, Any]:
    return next(panel for panel in dashboard["panels"] if panel["title"] == title)


Plant = Callable[[dict[str, Any]], object]
PLANTED: dict[str, Plant] = {
    "one panel over another": lambda board: board["panels"][1]["gridPos"].update(x=4),
    "one id twice": lambda board: board["panels"][3].update(id=board["panels"][2]["id"]),
    "beyond the edge": lambda board: panel_of(board, "Disks in use")["gridPos"].update(x=20),
    "no unit": lambda board: panel_of(board, "Tables by state")["fieldConfig"]["defaults"].pop("unit"),
    "a fixed source": lambda board: panel_of(board, "Tables by state").update(datasource={"uid": "abc"}),
    "no variable": lambda board: board["templating"].update(list=[]),
    "an unknown metric": lambda board: rewrite(board, "Last tick", "max(rensho_tick_ages)"),
    "an unknown label": lambda board: rewrite(board, "Last tick", "max by (queue) (rensho_tick_age_seconds)"),
    "an unknown value": lambda board: rewrite(
        board, "Finished tables per hour", 'max(rate(rensho_table_attempts_total{outcome="done"}[5m]))'
    ),
    "no expression": lambda board: rewrite(board, "Last tick", "max(rensho_tick_age_seconds"),
    "a legend without its label": lambda board: panel_of(board, "Tables by state")["targets"][0].update(
        legendFormat="{{queue}}"
    ),
}


def rewrite(dashboard: dict[str, Any], title: str, expression: str) -> None:
    panel_of(dashboard, title)["targets"][0]["expr"] = expression


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name: str, promtool: Path, tmp_path: Path) -> None:
    dashboard = copy.deepcopy(DASHBOARD)
    PLANTED[name](dashboard)
    assert problems(dashboard, tmp_path) != []
