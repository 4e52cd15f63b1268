"""The page after a deal: the reason of the result, and what the person's own plays cost."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client
from django.utils import timezone

from analysis.notes import notes_bytes, notes_of_record
from analysis.shapes import Limits, Notes
from arena.common.blobs import blob_get
from arena.features.analysis.casual import casual_claim, casual_fail, casual_finish, casual_notes, limits_of
from arena.features.analysis.heartbeat import Queue, heartbeat
from arena.features.analysis.models import CasualAnalysis
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.services import open_table
from tests import factories
from tests.arena.features.play.casual_tables import serve
from tests.arena.features.play.tables import a_seat
from tests.arena.once import given, made_once

pytestmark = pytest.mark.django_db
LIMITS: Limits = {"nodes": 100_000, "deals": 0}


def a_played_table() -> CasualTable:
    user = factories.aya()
    return serve(a_seat(user), person=Person(user, "", "192.0.2.8"))


rows_of_the_table = made_once(a_played_table)


@pytest.fixture
def table(rows_of_the_table: CasualTable, db: None) -> CasualTable:
    """A finished table of Aya's."""
    return given(rows_of_the_table)


@pytest.fixture
def own(client: Client, table: CasualTable) -> Client:
    client.force_login(factories.aya())
    return client


def page_of(client: Client, table: CasualTable, query: str = "") -> str:
    answer = client.get(f"/play/{table.public_id}{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def noted(table: CasualTable) -> Notes:
    return notes_of_record(blob_get(table.record_sha256), LIMITS)


def analyse(table: CasualTable, notes: Notes) -> None:
    casual_notes(table, True)
    row = casual_claim()
    assert row is not None
    assert row.table_id == table.pk
    assert casual_finish(row, notes_bytes(notes), 0.5)


def costliest(notes: Notes, table: CasualTable) -> float:
    own = [note for note in notes["deals"][0]["steps"].values() if note["seat"] == table.seat]
    return max((note.get("cost", 0) for note in own), default=0)


def test_the_page_requests_notes_and_waits_for_them_without_script(own: Client, table: CasualTable) -> None:
    CasualAnalysis.objects.get(table=table, state="waiting").delete()  # requested at the end of the table
    assert "data-polls" not in page_of(own, table), "no process is there to wait for"
    heartbeat(Queue.INTERACTIVE)
    page = page_of(own, table)
    assert "data-polls" in page
    assert '<meta http-equiv="refresh"' in page
    assert list(CasualAnalysis.objects.values_list("table", "state")) == [(table.pk, "waiting")]
    assert "replay-notes" not in page


def test_own_costs_and_the_replay_after_the_analysis(own: Client, table: CasualTable) -> None:
    notes = noted(table)
    assert costliest(notes, table) > 0, "the test needs a table at which the person loses a stone"
    analyse(table, notes)
    page = page_of(own, table)
    assert "data-polls" not in page
    costs = page.partition('id="costs"')[2].partition("</section>")[0]
    key = re.search(r'href="\?at=(b1t(\d+)p\d+)#replay"', costs)
    assert key is not None
    assert "replay-notes" in page
    replay = page_of(own, table, f"?at={key[1]}&retry=1")
    assert "data-retry-position" in replay
    assert own.get(f"/play/{table.public_id}?at={key[1]}&retry=ZZ").status_code == 400
    part = own.get(f"/play/{table.public_id}?part=deal&at=b1").content.decode()
    assert "replay-notes" in part


def test_the_reason_of_the_result_is_on_the_page(own: Client, table: CasualTable) -> None:
    view = json.loads(blob_get(table.view_sha256))
    more, fewer = sorted(view["boards"][0]["deals"][0]["end"]["pictures"], reverse=True)
    page = page_of(own, table)
    assert f"{more} pictures to {fewer}." in page.partition('class="play-reasons"')[2].partition("</p>")[0]


def test_the_link_shows_costs_and_strangers_see_none(own: Client, table: CasualTable) -> None:
    analyse(table, noted(table))
    assert Client().get(f"/play/{table.public_id}").status_code == 404
    own.post(f"/play/{table.public_id}/share")
    table.refresh_from_db()
    shared = Client().get(f"/play/shared/{table.share_token}").content.decode()
    assert 'id="costs"' in shared
    assert "replay-notes" in shared
    assert "our costliest" not in shared


def test_a_failed_analysis_ends_the_waiting(own: Client, table: CasualTable) -> None:
    heartbeat(Queue.INTERACTIVE)
    casual_notes(table, True)
    for _ in range(3):
        row = casual_claim()
        assert row is not None
        casual_fail(row, "no", 0.1)
    assert casual_claim() is None
    page = page_of(own, table)
    assert "data-polls" not in page
    assert 'id="costs"' in page


def test_a_running_table_and_one_finished_by_a_bot_have_no_own_costs(own: Client, table: CasualTable) -> None:
    CasualTable.objects.filter(pk=table.pk).update(ended_at=None)
    table.refresh_from_db()
    CasualAnalysis.objects.all().delete()
    assert casual_notes(table, True) is None
    assert not CasualAnalysis.objects.exists()
    ended = timezone.now()
    CasualTable.objects.filter(pk=table.pk).update(state=CasualTable.State.ABANDONED, ended_at=ended)
    assert 'id="costs"' not in page_of(own, table)


def test_limits_have_averages_only_in_kakkuri(table: CasualTable) -> None:
    limits = limits_of(table)
    assert limits is not None
    assert limits["deals"] == 0
    table.game = "kakkuri"
    assert limits_of(table) is None


def test_kakkuri_shows_average_losses(client: Client) -> None:
    user = factories.aya()
    bot = factories.a_version(factories.a_bot(factories.ben(), game="kakkuri")).public_id
    person = Person(user, "", "192.0.2.8")
    opened = open_table(person, preset="kakkuri", seats=3, opponents="public", versions=[bot])
    table = serve(opened, person=person)
    analyse(table, notes_of_record(blob_get(table.record_sha256), {"nodes": None, "deals": 500}))
    client.force_login(user)
    page = page_of(client, table)
    costs = page.partition('id="costs"')[2].partition("</section>")[0]
    assert "#replay" in costs, "random play has costs"
    assert "retry=" not in costs
