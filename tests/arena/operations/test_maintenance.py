"""Maintenance mode: reading works, changes are refused, tables in play finish and no others start."""

from __future__ import annotations

import datetime
import io
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from arena.accounts.models import AuditEvent
from arena.accounts.services import token_create
from arena.common import maintenance as state
from arena.common.maintenance import maintenance_known, maintenance_read
from arena.common.models import Maintenance
from arena.competition.models import Round, Tournament
from arena.features.play.models import CasualTable
from arena.features.play.runner.kind import CASUAL
from arena.jobs.flow import table_done
from arena.jobs.publish import tables_offer
from arena.jobs.tasks import _check_claim, tick
from arena.matches.leases import table_claim
from arena.matches.models import Table
from arena.matches.results import table_finish
from arena.operations.health import PARTS
from arena.operations.maintenance import maintenance_begin, maintenance_end
from arena.roster.models import CheckRun
from arena.settings.metrics import MetricsAccess
from arena.tables.live.service import Service
from tests import factories
from tests.arena.features.play.casual_tables import in_process
from tests.arena.features.play.tables import a_table
from tests.arena.play import WORKER, claimed, play_table, played, waiting

pytestmark = pytest.mark.django_db
MESSAGE = "Back at 14:00 UTC."


@pytest.fixture
def maintained(db: None) -> None:
    maintenance_begin(None, MESSAGE)


def command(*words: str) -> str:
    out = io.StringIO()
    call_command("maintenance", *words, stdout=out)
    return out.getvalue()


def test_the_command_switches_it(db: None) -> None:
    assert "off" in command("status")
    assert MESSAGE in command("on", "--message", f"  {MESSAGE} ")
    assert maintenance_read() == maintenance_known()
    command("on", "--message", "Back at 15:00 UTC.")
    assert Maintenance.objects.get().message == "Back at 15:00 UTC."
    assert "off" in command("off")
    assert maintenance_read() is None
    assert maintenance_known() is None
    trail = AuditEvent.objects.filter(kind="maintenance").order_by("pk")
    assert list(trail.values_list("action", flat=True)) == ["begin", "change", "end"]


def test_the_api_can_be_read_but_not_changed(maintained: None, client: Client) -> None:
    aya = factories.aya()
    _, secret = token_create(aya, name="t", scopes=["read", "bots"], actor=aya)

    def sent(method: str) -> Any:
        return client.generic(
            method, "/api/v1/bots", b"{}", "application/json", headers={"authorization": f"Bearer {secret}"}
        )

    assert sent("GET").status_code == 200
    answer = sent("POST")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, str(state.RETRY_S))
    body = json.loads(answer.content)
    assert (body["code"], body["status"]) == ("maintenance", 503)
    assert MESSAGE in body["detail"]
    maintenance_end(None)
    assert sent("POST").status_code == 400


def test_pages_have_a_banner_and_refuse_forms(maintained: None, client: Client) -> None:
    page = client.get("/")
    assert (page.status_code, MESSAGE in page.content.decode()) == (200, True)
    client.force_login(factories.aya())
    refused = client.post("/me/email", {"email": "a@example.org"})
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, str(state.RETRY_S))
    assert MESSAGE in refused.content.decode()
    assert client.post("/sign-out").status_code == 200, "a question"
    assert client.post("/sign-in", {"username": "x", "password": "y"}).status_code != 503
    maintenance_end(None)
    assert MESSAGE not in client.get("/").content.decode()


def test_staff_begin_and_end_it(client: Client) -> None:
    client.force_login(factories.sota())
    assert client.post("/operate/maintenance", {"mode": "on", "message": MESSAGE}).status_code == 302
    assert Maintenance.objects.get().message == MESSAGE
    assert 'value="off"' in client.get("/operate").content.decode()
    client.post("/operate/maintenance", {"mode": "off"})
    assert not Maintenance.objects.exists()
    refused = client.post("/operate/maintenance", {"mode": "on", "message": "x" * 201})
    assert refused.status_code == 400
    assert not Maintenance.objects.exists(), "too long"
    client.force_login(factories.aya())
    assert client.post("/operate/maintenance", {"mode": "on"}).status_code == 404
    assert not Maintenance.objects.exists()


def test_running_tables_finish_and_no_others_start(running: Tournament) -> None:
    first, *others = waiting(running)
    lease = claimed(first)
    maintenance_begin(None)
    assert table_claim(others[0].pk, WORKER) is None
    assert table_finish(lease.table_id, lease.fence, played(lease.order))
    table_done(running.public_id)
    Table.objects.update(published_at=None)
    tables_offer()
    assert not Table.objects.filter(published_at__isnull=False).exists()
    others[0].refresh_from_db()
    assert others[0].state == Table.State.WAITING
    maintenance_end(None)
    tables_offer()
    assert Table.objects.filter(published_at__isnull=False).exists()
    assert table_claim(others[0].pk, WORKER) is not None


def test_no_round_opens_and_no_deadline_takes_effect(running: Tournament) -> None:
    soon = factories.an_open_tournament(name="Soon", closes_at=timezone.now() + datetime.timedelta(hours=1))
    *most, last = waiting(running)
    for table in most:
        play_table(table)
    lease = claimed(last)
    maintenance_begin(None)
    Tournament.objects.filter(pk=soon.pk).update(closes_at=timezone.now())
    assert table_finish(lease.table_id, lease.fence, played(lease.order))
    table_done(running.public_id)
    rounds = Round.objects.filter(stage__tournament=running)
    tick()
    assert rounds.count() == 1
    soon.refresh_from_db()
    assert soon.state == Tournament.State.OPEN
    maintenance_end(None)
    tick()
    assert rounds.count() == 2
    soon.refresh_from_db()
    assert soon.state == Tournament.State.CANCELLED, "without entries"


def test_no_check_starts(maintained: None) -> None:
    version = factories.an_upload(factories.a_bot(factories.aya()))
    check = version.checks.get()
    assert _check_claim(check.pk) is None
    check.refresh_from_db()
    assert check.state == CheckRun.State.WAITING


def test_the_play_service_takes_only_tables_that_have_begun(
    maintained: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []
    service = Service([CASUAL], in_process)
    monkeypatch.setattr(service, "_claim_one", lambda kind, pk: taken.append(pk))
    table = a_table()
    service._claim()
    assert taken == []
    CasualTable.objects.filter(pk=table.pk).update(state=CasualTable.State.PLAYING)
    service._claim()
    assert taken == [table.pk]


def test_doctor_readyz_and_metrics_show_it(client: Client, settings: Settings) -> None:
    settings.METRICS_ACCESS = MetricsAccess(is_public=True)

    def shown() -> tuple[bool, bool, bool]:
        (result,) = PARTS["maintenance"]("maintenance")
        figures = client.get("/metrics").content.decode().splitlines()
        is_in_figures = "rensho_maintenance 1.0" in figures
        return bool(result.remedy), client.get("/readyz").json()["maintenance"], is_in_figures

    assert shown() == (False, False, False)
    maintenance_begin(None)
    assert shown() == (True, True, True)
