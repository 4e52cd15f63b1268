"""The page for staff about the state of the site: problems with remedies and links, at a constant cost."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from arena.common import metrics
from arena.common.features import HealthResult
from arena.common.metrics import Counts, count, flush
from arena.common.models import CompletedBackup
from arena.common.process_cache import process_cache
from arena.jobs.tasks import tick
from arena.matches.models import Table, TickState, Worker
from arena.matches.workers import worker_heartbeat
from arena.operations import health
from arena.operations.health import health_results
from arena.operations.runbook import SECTIONS
from arena.web.base.documents.collection import document
from arena.web.site import operate
from tests import factories
from tests.arena.queue_server import QueueServer, queue_server
from tests.arena.web.conftest import under_way
from tests.arena.web.japanese import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.full]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueueServer]:
    with queue_server(tmp_path_factory.mktemp("queue")) as started:
        yield started


@pytest.fixture
def staff(client: Client, settings: Settings, server: QueueServer, monkeypatch: pytest.MonkeyPatch) -> Client:
    """The client of a member of staff, on a site with a queue server, as units run it."""
    monkeypatch.setattr(metrics, "_counts", Counts())
    settings.REDIS_URL, settings.BROKER_IS_MANAGED = server.url, False
    client.force_login(factories.sota())
    return client


def page(client: Client, language: str = "en") -> str:
    process_cache.clear()
    response = client.get("/operate", headers={"accept-language": language})
    assert response.status_code == 200
    return str(response.content.decode())


def problems(client: Client) -> dict[str, str]:
    """The problems that the page shows, by title."""
    wrong = page(client).partition('id="wrong-title"')[2].partition("</section>")[0]
    cards = wrong.split('<article class="card">')[1:]
    return {re.findall(r"<h3>(.*?)</h3>", card)[0]: card for card in cards}


def test_a_site_that_works_has_no_problems(staff: Client) -> None:
    tick()
    worker_heartbeat("box:1", "FULL", {"python/1": "a" * 64}, 2)
    assert problems(staff) == {}
    assert "All parts work" in page(staff)


def test_each_problem_has_its_remedy_and_its_links(staff: Client) -> None:
    tournament = under_way(4)
    worker_heartbeat("box:1", "FULL", {"python/1": "a" * 64}, 2, "no space left", "disk")
    TickState.objects.update_or_create(
        pk=1, defaults={"ticked_at": timezone.now() - datetime.timedelta(hours=1)}
    )
    Table.objects.update(state=Table.State.QUARANTINED)
    CompletedBackup.objects.create(snapshot="s", completed_at=timezone.now() - datetime.timedelta(hours=27))
    for cause in ("disk", "disk", "store"):
        count("platform_faults", cause=cause)
    count("table_attempts", 9, outcome="failed", cause="disk")
    count("tick_failures", chore="rows_prune")
    flush()
    found = problems(staff)
    links = {
        "Worker": ("worker-refuses", "/admin/matches/worker/"),
        "Tick": ("tick-stopped", None),
        "Quarantined tables": ("platform-faults", "#quarantine"),
        "Backup": ("backup-late", None),
        "Platform faults": ("platform-faults", "#recent"),
        "Failed parts of the tick": ("tick-stopped", None),
    }
    assert found.keys() == links.keys()
    for title, (section, repair) in links.items():
        assert f'href="/docs/runbook#{section}"' in found[title]
        assert repair is None or f'href="{repair}"' in found[title]
    assert "no space left" in found["Worker"]
    assert "2 disk, 1 store" in found["Platform faults"]
    assert "rows_prune (1 times)" in found["Failed parts of the tick"]
    body = page(staff)
    assert f'href="/tournaments/{tournament.public_id}"' in body.partition('id="quarantine"')[2]


def test_without_queue_server_the_rest_is_shown(staff: Client, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    worker_heartbeat("box:1", "FULL", {"python/1": "a" * 64}, 2)
    tick_state = timezone.now()
    TickState.objects.update_or_create(pk=1, defaults={"ticked_at": tick_state, "ended_at": tick_state})
    assert problems(staff).keys() == {"Queue server"}
    body = page(staff)
    assert "The queue server does not respond" in body
    assert 'id="queues"' not in body
    assert "box:1" in body


def test_a_storage_that_cannot_be_written_to_is_a_problem(
    staff: Client, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    settings.STORAGES = {
        **settings.STORAGES,
        "blobs": {**settings.STORAGES["blobs"], "OPTIONS": {"location": tmp_path / "file" / "blobs"}},
    }
    found = problems(staff)
    assert str(storages["blobs"].location) in found["Blob storage"]  # type: ignore[attr-defined]
    assert 'href="/docs/runbook#storage-down"' in found["Blob storage"]


def test_a_full_disk_is_a_problem(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "FREE_BYTES", 1 << 60)
    assert 'href="#disks"' in problems(staff)["Disk space"]


def test_the_cost_is_constant(staff: Client, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    under_way(6)
    Table.objects.update(state=Table.State.QUARANTINED)
    for number in range(operate.MAX_WORKERS + 3):
        worker_heartbeat(f"box:{number}", "FULL", {"python/1": "a" * 64}, 2)
    Worker.objects.filter(name="box:7").update(heartbeat_at=timezone.now() - datetime.timedelta(hours=1))
    with django_assert_max_num_queries(80):
        body = page(staff)
    assert body.count("box:1") > 1
    assert ">box:7<" not in body, "the longest without a heartbeat is left out"
    assert "and 3 more" in body


def test_staff_poll_the_part_alone_and_share_the_results(
    staff: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    page(staff)
    with django_assert_max_num_queries(4):
        part = staff.get("/operate", headers={"hx-request": "true"})
    assert part.content.startswith(b'<div id="polled" hx-get="/operate" hx-trigger="every 10s"')


def test_the_page_is_in_japanese_save_for_the_words_of_the_checks(staff: Client) -> None:
    under_way(4)
    Table.objects.update(state=Table.State.QUARANTINED)
    worker_heartbeat("box:1", "FULL", {"python/1": "a" * 64}, 2, "no space left", "disk")
    count("platform_faults", cause="disk")
    body = re.sub(r'<(p|dd) lang="en">.*?</\1>', "", page(staff, "ja"), flags=re.DOTALL)
    sections = [heading.text for heading in document("runbook").headings]
    assert faults_of(body, [*sections, "box:1", "Open Swiss"]) == []


def test_every_check_that_can_fail_has_its_section_of_the_runbook(staff: Client, server: QueueServer) -> None:
    parts = {result.part for result in health_results(health.SITE_PARTS)}
    anchors = {heading.anchor for heading in document("runbook").headings}
    never_fail = {"replays"}
    assert parts - SECTIONS.keys() - never_fail == set()
    assert set(SECTIONS.values()) <= anchors
    assert SECTIONS.keys() <= operate.TITLES.keys()
    assert operate.REPAIRS.keys() <= SECTIONS.keys()
    for part in SECTIONS:
        finding = operate.finding_of(HealthResult(part, False, "", ""))
        assert finding.runbook is not None
