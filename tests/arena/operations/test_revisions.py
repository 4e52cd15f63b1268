"""Older code does not touch a newer database; revisions of workers and tables are known."""

from __future__ import annotations

import datetime
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from celery.exceptions import WorkerShutdown
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from arena.common import revisions
from arena.common.models import Compatibility
from arena.common.revisions import compatibility_record, database_refusal, release, revision
from arena.competition.models import Tournament
from arena.jobs.worker import Pulse, _MainProcess, _on_worker_init
from arena.matches.models import Table, Worker
from arena.matches.reruns import table_rerun
from arena.matches.workers import worker_heartbeat
from arena.operations.health import PARTS
from arena.settings.metrics import MetricsAccess
from tests import factories
from tests.arena.play import play_table, waiting
from tests.refusals import refusal

pytestmark = pytest.mark.django_db

NEWER = "99.1.0"


@pytest.fixture(params=["release", "migration", "app"])
def newer(request: pytest.FixtureRequest, db: None) -> None:
    """The database as newer code left it."""
    if request.param == "release":
        Compatibility.objects.update_or_create(
            pk=1, defaults={"oldest_release": NEWER, "migrated_by": "newer", "migrated_at": timezone.now()}
        )
    else:
        app = "matches" if request.param == "migration" else "an_app_to_come"
        MigrationRecorder(connection).record_applied(app, "0999_to_come")
        Compatibility.objects.update(migrated_at=timezone.now())


@pytest.fixture
def outdated(newer: None) -> Iterator[None]:
    """This process as a worker that started before; afterwards it has forgotten that."""
    before, _MainProcess.migrated_at = _MainProcess.migrated_at, timezone.now() - datetime.timedelta(days=1)
    yield
    _MainProcess.migrated_at = before


def test_a_database_that_this_code_migrated_is_used(db: None) -> None:
    call_command("migrate", verbosity=0)
    assert database_refusal() == ""
    (row,) = Compatibility.objects.all()
    assert row.oldest_release == revisions.OLDEST_COMPATIBLE
    assert row.migrated_by


def test_the_oldest_release_is_not_after_this_one() -> None:
    assert not revisions.is_older_release(release(), revisions.OLDEST_COMPATIBLE)


def test_older_code_does_not_migrate(newer: None) -> None:
    before = list(Compatibility.objects.values())
    assert "deploy/README.md" in str(refusal(CommandError, call_command, "migrate", verbosity=0))
    assert list(Compatibility.objects.values()) == before


def test_doctor_and_readyz_are_red(newer: None, client: Client) -> None:
    (result,) = PARTS["migrations"]("migrations")
    assert (result.is_ok, bool(result.remedy)) == (False, True)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["parts"]["migrations"]["ok"]) == (503, False)


def test_a_worker_of_older_code_does_not_start(newer: None) -> None:
    error = refusal(SystemExit, _on_worker_init, SimpleNamespace(hostname="tables@test"))
    assert is_one_line(error.code)


@pytest.mark.parametrize("service", ["play_serve", "analysis_serve"])
def test_the_services_do_not_start_either(newer: None, service: str) -> None:
    assert is_one_line(str(refusal(CommandError, call_command, service)))


def test_the_web_server_does_not_start_either(newer: None, tmp_path: Path, settings: Any) -> None:
    settings.STATIC_ROOT = tmp_path / "static"
    error = refusal(CommandError, call_command, "serve", "--uds", str(tmp_path / "web.sock"))
    assert is_one_line(str(error))
    assert list(tmp_path.iterdir()) == []


def is_one_line(text: object) -> bool:
    """Whether this is one line that names the remedy."""
    return isinstance(text, str) and "deploy/README.md" in text and "\n" not in text


def test_a_worker_ends_when_newer_code_has_migrated(outdated: None) -> None:
    refusal(WorkerShutdown, Pulse(None)._beat, SimpleNamespace(hostname="tables@test", concurrency=1))


def test_a_worker_goes_on_after_a_migration_it_knows(db: None) -> None:
    before = _MainProcess.migrated_at
    try:
        compatibility_record()
        moment = revisions.migrated_at()
        Pulse(None)._beat(SimpleNamespace(hostname="tables@test", concurrency=1))
        assert _MainProcess.migrated_at == moment
    finally:
        _MainProcess.migrated_at = before


def test_the_oldest_release_never_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revisions, "OLDEST_COMPATIBLE", "1.2.0")
    compatibility_record()
    monkeypatch.setattr(revisions, "OLDEST_COMPATIBLE", "1.1.0")
    compatibility_record()
    assert Compatibility.objects.get().oldest_release == "1.2.0"


def test_a_database_of_development_code_is_refused(db: None) -> None:
    Compatibility.objects.update(oldest_release="0.1.0")
    assert revisions.FIRST_RELEASE in database_refusal()
    refusal(CommandError, call_command, "migrate", verbosity=0)
    assert Compatibility.objects.get().oldest_release == "0.1.0"


def test_a_database_from_before_this_was_recorded_is_used(db: None) -> None:
    Compatibility.objects.all().delete()
    assert database_refusal() == ""


# Names of revisions


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def test_a_revision_is_what_git_describes(tmp_path: Path) -> None:
    assert revisions._git_describe(tmp_path) == "", "no repository"
    git(tmp_path, "init", "-q")
    assert revisions._git_describe(tmp_path) == "", "no commit"
    (tmp_path / "a").write_text("a")
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "-qm", "a")
    named = revisions._git_describe(tmp_path)
    assert len(named) == 12
    git(tmp_path, "tag", "v1.2")
    assert revisions._git_describe(tmp_path) == "v1.2"
    (tmp_path / "a").write_text("b")
    assert revisions._git_describe(tmp_path) == "v1.2-dirty"


def test_a_table_names_the_revision_that_played_it(running: Tournament, client: Client) -> None:
    table = waiting(running)[0]
    assert client.get(f"/api/v1/tables/{table.public_id}").json()["revision"] == ""
    play_table(table)
    assert client.get(f"/api/v1/tables/{table.public_id}").json()["revision"] == revision()


def test_a_table_that_is_played_again_has_no_revision_meanwhile(running: Tournament) -> None:
    play_table(waiting(running)[0])
    table = Table.objects.exclude(revision="").get()
    table_rerun(table, factories.sota(), "to see")
    table.refresh_from_db()
    assert table.revision == ""


def revisions_shown(client: Client) -> tuple[bool, set[str]]:
    """What doctor thinks of them, and the figures."""
    (result,) = (found for found in PARTS["worker"]("worker") if found.part == "revision")
    lines = client.get("/metrics").content.decode().splitlines()
    return result.is_ok, {line for line in lines if line.startswith("rensho_workers{")}


def test_doctor_and_metrics_show_mixed_revisions(client: Client, settings) -> None:
    settings.METRICS_ACCESS = MetricsAccess(is_public=True)
    for name in ("tables@a", "tables@b"):
        worker_heartbeat(name, "FULL", {"python/1": "d"}, 1)
    own = f'rensho_workers{{revision="{revision()}"}}'
    assert revisions_shown(client) == (True, {f"{own} 2.0"})
    Worker.objects.filter(name="tables@b").update(revision="another")
    assert revisions_shown(client) == (False, {f"{own} 1.0", 'rensho_workers{revision="another"} 1.0'})
