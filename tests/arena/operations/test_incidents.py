"""The incidents of docs/runbook.md, each caused on real parts and noticed by its alert rule.

``/metrics`` is scraped before and after. The series between are made of both scrapes: the fault lasts, and
counters grow each minute by as much as it added.
"""

from __future__ import annotations

import asyncio
import datetime
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.asgi import get_asgi_application
from django.core.files.storage import storages
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from arena.common import metrics
from arena.common.blobs import blob_path, blob_put
from arena.common.metrics import Counts, flush
from arena.common.models import CompletedBackup
from arena.competition.models import Tournament
from arena.jobs.blob_scrub import blobs_scrub
from arena.jobs.identity import process_name
from arena.jobs.orphaned_work import orphaned_work_release
from arena.jobs.play import lease_play
from arena.jobs.publish import waiting_publish
from arena.jobs.selftest import Selftest
from arena.jobs.tasks import tick
from arena.matches.leases import table_claim, tables_sweep
from arena.matches.models import Table, TickState, Worker
from arena.matches.workers import worker_heartbeat
from arena.operations.backup.saving import backup_make
from arena.roster.models import CheckRun
from arena.roster.services import check_claim
from arena.server.request_metrics import MeasuredApplication
from arena.settings.metrics import MetricsAccess
from arena.web.site import docs_views
from tests import factories
from tests.arena.play import claimed, waiting
from tests.arena.queue_server import QueueServer, queue_server
from tests.arena.small_disk import SmallDisk, blobs_on_it, small_disk
from tests.deploy.alerts import MINUTES, Series, promtool, refutation, scraped

__all__ = ["blobs_on_it", "promtool", "small_disk"]
pytestmark = [pytest.mark.full, pytest.mark.django_db]

WORKER = "tables@box"
HEALTHY_MINUTES = 20
Committed = Callable[..., AbstractContextManager[list[Any]]]


@pytest.fixture(scope="module")
def queue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueueServer]:
    with queue_server(tmp_path_factory.mktemp("queue")) as server:
        yield server


@pytest.fixture
def running(shared_running: Tournament) -> Tournament:
    return shared_running


class Site:
    """A site that works, scraped once; then something happens to it."""

    def __init__(self, client: Client, folder: Path) -> None:
        self._client = client
        self._folder = folder
        worker_heartbeat(WORKER, "FULL", {"python/1": "0" * 64}, 2)
        tick()
        self._healthy = self.scrape()

    def scrape(self) -> dict[str, float]:
        flush()
        return scraped(self._client)

    def notices(self, *alerts: str, scrape: dict[str, float] | None = None) -> str:
        """Empty if just these alerts fire while the fault lasts, else what promtool says."""
        return refutation(self._series(scrape or self.scrape()), alerts, self._folder)

    def _series(self, after: dict[str, float]) -> Series:
        series = {}
        for key in self._healthy | after:
            first, last = self._healthy.get(key), after.get(key)
            before = f"_x{HEALTHY_MINUTES}" if first is None else f"{first:f}x{HEALTHY_MINUTES}"
            growth = (last or 0) - (first or 0) if key.partition("{")[0].endswith("_total") else 0
            later = f"_x{MINUTES}" if last is None else f"{last:f}+{growth:f}x{MINUTES}"
            series[key] = f"{before} {later}"
        return series


@pytest.fixture
def site(
    client: Client,
    settings: Settings,
    queue: QueueServer,
    promtool: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Site:
    settings.METRICS_ACCESS = MetricsAccess(is_public=True)
    settings.REDIS_URL = queue.url
    monkeypatch.setattr(metrics, "_counts", Counts())
    return Site(client, tmp_path)


@pytest.fixture
def mortal() -> Iterator[subprocess.Popen[bytes]]:
    """A process that may be killed."""
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


def later(model: type[Model], column: str, seconds: float) -> None:
    """As if so much time had passed since then."""
    since = timezone.now() - datetime.timedelta(seconds=seconds)
    assert model._default_manager.exclude(**{column: None}).update(**{column: since})


def test_a_site_that_works_is_left_alone(site: Site) -> None:
    assert site.notices() == ""


def test_a_worker_that_was_killed_while_it_played(
    site: Site,
    running: Tournament,
    mortal: subprocess.Popen[bytes],
    django_capture_on_commit_callbacks: Committed,
) -> None:
    tables = waiting(running)
    for table in tables:
        assert table_claim(table.pk, process_name(mortal.pid))
    mortal.kill()
    os.waitid(os.P_PID, mortal.pid, os.WEXITED | os.WNOWAIT)
    with django_capture_on_commit_callbacks(execute=True):
        orphaned_work_release()
    assert not Table.objects.filter(state=Table.State.LEASED).exists()
    later(Worker, "heartbeat_at", 120)
    assert site.notices("RenshoNoWorkers", "RenshoPlatformFaults") == ""


def test_leases_that_expire(
    site: Site, running: Tournament, django_capture_on_commit_callbacks: Committed
) -> None:
    for table in waiting(running):
        assert table_claim(table.pk, f"elsewhere:{table.pk}:1")
    later(Table, "heartbeat_at", 600)
    later(Table, "lease_until", 60)
    # No tick takes the tables back for as long as it has stopped.
    assert site.notices("RenshoDeadlineOverdue") == ""
    with django_capture_on_commit_callbacks(execute=True):
        tables_sweep()
    assert site.notices("RenshoPlatformFaults") == ""


def test_tables_that_fail_again_and_again(
    site: Site, running: Tournament, settings: Settings, django_capture_on_commit_callbacks: Committed
) -> None:
    settings.TABLE_ATTEMPTS_MAX = 1

    def broken(*_: object) -> Any:
        raise RuntimeError("a fault of the platform")

    for table in waiting(running):
        with django_capture_on_commit_callbacks(execute=True):
            lease_play(claimed(table), broken)
    assert Table.objects.filter(state=Table.State.QUARANTINED).exists()
    assert site.notices("RenshoPlatformFaults", "RenshoTablesQuarantined") == ""


def test_the_queue_server_stops(site: Site, queue: QueueServer) -> None:
    queue.stop()
    try:
        assert site.notices("RenshoQueueDown") == ""
    finally:
        queue.start()


def test_the_database_is_away(site: Site) -> None:
    found = {}

    def scrape() -> None:
        # The connection of this thread leads to a server that is not there.
        away = "/nowhere/test.sqlite3" if connection.vendor == "sqlite" else "nowhere"
        connection.settings_dict = connection.settings_dict | {"NAME": away, "HOST": "/nowhere"}
        found.update(site.scrape())

    thread = threading.Thread(target=scrape)
    thread.start()
    thread.join()
    assert site.notices("RenshoDatabaseDown", scrape=found) == ""


def test_the_blobs_are_on_a_disk_that_is_not_mounted(site: Site, settings: Settings, tmp_path: Path) -> None:
    blobs = {**django_settings.STORAGES["blobs"], "OPTIONS": {"location": tmp_path / "unmounted" / "blobs"}}
    settings.STORAGES = {**django_settings.STORAGES, "blobs": blobs}
    assert site.notices("RenshoStorageDown") == ""


def test_the_blobs_are_read_only(site: Site, blobs_on_it: SmallDisk) -> None:
    remount = ["mount", "-o", "remount,ro", str(blobs_on_it.folder)]
    subprocess.run(remount, check=True)
    fault = Selftest().fault(fresh=True)
    assert fault is not None
    worker_heartbeat(WORKER, "FULL", {"python/1": "0" * 64}, 2, fault.text, fault.cause)
    assert site.notices("RenshoNoWorkers", "RenshoStorageDown", "RenshoWorkerRefuses") == ""


def test_the_disk_is_full(site: Site, blobs_on_it: SmallDisk) -> None:
    blobs_on_it.fill()
    fault = Selftest().fault(fresh=True)
    assert fault is not None
    worker_heartbeat(WORKER, "FULL", {"python/1": "0" * 64}, 2, fault.text, fault.cause)
    alerts = ("RenshoDiskFull", "RenshoNoWorkers", "RenshoStorageDown", "RenshoWorkerRefuses")
    assert site.notices(*alerts) == ""


def test_no_tick_ends(site: Site) -> None:
    later(TickState, "ended_at", 120)
    assert site.notices("RenshoTickStopped") == ""


def test_a_check_hangs(site: Site) -> None:
    version = factories.an_upload(factories.a_bot(factories.aya()))
    assert check_claim(version.checks.get().pk, "elsewhere:1:1")
    later(CheckRun, "started_at", django_settings.CHECK_DEADLINE_S + 120)
    assert site.notices("RenshoDeadlineOverdue") == ""


def test_no_worker_has_the_runtime(site: Site) -> None:
    factories.an_upload(factories.a_bot(factories.aya()), runtime="node/1")
    waiting_publish()
    assert site.notices("RenshoRuntimeUnavailable") == ""


def test_a_page_fails(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> Any:
        raise RuntimeError("a bug")

    monkeypatch.setattr(docs_views, "render", broken)
    application: Any = MeasuredApplication(get_asgi_application())
    statuses, messages = [], [{"type": "http.request", "body": b""}]

    async def receive() -> Any:
        return messages.pop() if messages else await asyncio.Future()

    async def send(message: Any) -> None:
        statuses.append(message.get("status"))

    scope = {"type": "http", "path": "/rules", "raw_path": b"/rules", "method": "GET", "query_string": b""}
    scope |= {"headers": [(b"host", b"testserver")], "client": ("127.0.0.1", 1), "server": ("testserver", 80)}
    asyncio.run(application(scope, receive, send))
    assert statuses[0] == 500
    assert site.notices("RenshoServerErrors") == ""


def test_backups_stop(site: Site, tmp_path: Path) -> None:
    backup_make(tmp_path / "backups")
    later(CompletedBackup, "completed_at", 27 * 3600)
    assert site.notices("RenshoBackupLate") == ""


def test_a_blob_is_lost(site: Site) -> None:
    storages["blobs"].delete(blob_path(blob_put(b"a record", "record")))
    blobs_scrub()
    assert site.notices("RenshoBlobsLost") == ""


def test_a_machine_was_not_updated(site: Site) -> None:
    worker_heartbeat("tables@other", "FULL", {"python/1": "0" * 64}, 2)
    Worker.objects.filter(name="tables@other").update(revision="v0.9.9")
    assert site.notices("RenshoRevisionsDiffer") == ""
