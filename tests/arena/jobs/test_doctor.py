"""``manage.py doctor`` and what the first sentence of a broken installation says."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from arena.jobs.health import Finding, findings
from arena.jobs.readiness import readiness_find
from arena.matches.workers import worker_seen
from referee.sandbox import Level, probe

MANAGE = Path(settings.REPOSITORY) / "manage.py"
ANY_EXIT = (0, 1)


def doctor() -> tuple[int, dict[str, dict[str, object]]]:
    """Exit status and the findings by part (the last of each)."""
    out = io.StringIO()
    status = 0
    try:
        call_command("doctor", "--json", stdout=out)
    except SystemExit as end:
        status = int(end.code or 0)
    return status, {found["part"]: found for found in json.loads(out.getvalue())}


@pytest.mark.django_db
@pytest.mark.sandbox
def test_a_whole_installation_is_green(monkeypatch: pytest.MonkeyPatch, settings) -> None:
    settings.BROKER_IS_OURS = True
    status, parts = doctor()
    assert {part for part, found in parts.items() if not found["is_ok"]} == set()
    assert status == 0
    assert {
        "python",
        "database",
        "migrations",
        "broker",
        "bubblewrap",
        "sandbox",
        "runtime",
        "disk space",
        "clock",
    } <= set(parts)


@pytest.mark.django_db
def test_what_is_red_has_a_remedy_and_a_status(settings) -> None:
    settings.BROKER_IS_OURS = False
    settings.REDIS_URL = "redis://:secret@127.0.0.1:1/0"
    worker_seen("tables@elsewhere", "NONE", {}, 1, "bwrap was not found. apt-get install bubblewrap.")
    status, parts = doctor()
    assert status == 1
    for part in ("broker", "worker"):
        assert not parts[part]["is_ok"]
        assert parts[part]["remedy"]
    assert "secret" not in json.dumps(parts)


@pytest.mark.django_db
def test_a_sandbox_below_the_required_level_is_red(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_MIN_LEVEL", "SUPERB")
    found = [finding for finding in findings() if finding.part == "sandbox"]
    assert found == [
        Finding("sandbox", False, "SANDBOX_MIN_LEVEL is 'SUPERB'", "Set it to COMPAT, FULL1 or FULL.")
    ]


@pytest.mark.django_db
@pytest.mark.sandbox
def test_a_sandbox_is_judged_by_the_level_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for level in (Level.COMPAT, Level.FULL1, Level.FULL):
        monkeypatch.setenv("SANDBOX_MIN_LEVEL", level.name)
        (finding,) = (finding for finding in findings() if finding.part == "sandbox")
        assert finding.is_ok == (probe().level >= level), finding
        readiness = readiness_find(again=True)
        assert readiness.is_ready == finding.is_ok
        assert finding.is_ok or (finding.remedy and level.name in readiness.detail)
    monkeypatch.undo()
    readiness_find(again=True)


def test_a_data_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    env = {
        **os.environ,
        "RENSHO_DATA": str(tmp_path / "file" / "data"),
        "DJANGO_SETTINGS_MODULE": "arena.settings.base",
    }
    done = subprocess.run(
        [sys.executable, str(MANAGE), "up"], env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "RENSHO_DATA" in done.stderr
    assert "Not a directory" in done.stderr
