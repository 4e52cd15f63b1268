"""Solver notes on remote tables: who requests them, who sees them, and what a seat's plays cost."""

from __future__ import annotations

import re

import pytest
from django.db import IntegrityError
from django.test import Client

from analysis.notes import notes_bytes, notes_of_record
from analysis.shapes import Notes
from arena.accounts.models import User
from arena.common.blobs import blob_get
from arena.features.analysis.casual import casual_claim, casual_fail, casual_finish
from arena.features.analysis.heartbeat import Queue, heartbeat
from arena.features.analysis.models import CasualAnalysis
from arena.features.remote.models import RemoteTable
from arena.features.remote.prune import tables_prune
from tests.arena.features.remote.rows import a_table, a_version, aged, finished
from tests.arena.features.remote.runner.play import a_remote_table, seat_of, serve
from tests.arena.once import given, made_once
from tests.factories import aya, ben

pytestmark = pytest.mark.django_db
SEAT = 3


def a_played_table() -> RemoteTable:
    table = a_remote_table(versions=(SEAT,))
    serve(table)
    return table


rows_of_the_table = made_once(a_played_table)


@pytest.fixture
def table(rows_of_the_table: RemoteTable, db: None) -> RemoteTable:
    """A finished table of Aya's bot, which played the first legal actions."""
    heartbeat(Queue.INTERACTIVE)
    return given(rows_of_the_table)


def page_of(table: RemoteTable, user: User | None, query: str = "") -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    response = client.get(f"/remote/tables/{table.public_id}{query}")
    assert response.status_code == 200
    return response.content.decode()


def analysed(table: RemoteTable) -> Notes:
    page_of(table, aya())
    row = casual_claim()
    assert row is not None
    assert row.live_table == table
    notes = notes_of_record(blob_get(table.record_sha256), {"nodes": 100_000, "deals": 0})
    assert casual_finish(row, notes_bytes(notes), 0.5)
    return notes


def test_only_those_who_played_request_notes(table: RemoteTable) -> None:
    for user in (None, ben()):
        assert "data-polls" not in page_of(table, user)
    page_of(table, aya(), "?part=deal&at=b1")
    assert not CasualAnalysis.objects.exists()
    page = page_of(table, aya())
    assert "data-polls" in page
    assert '<meta http-equiv="refresh"' in page
    assert list(CasualAnalysis.objects.values_list("remote_table", "state")) == [(table.pk, "waiting")]
    assert "data-polls" not in page_of(table, ben()), "the notes are not for his seat"


def test_the_owner_sees_what_the_seat_lost_and_all_see_the_notes(table: RemoteTable) -> None:
    notes = analysed(table)
    costs = [note.get("cost", 0) for note in notes["deals"][0]["steps"].values() if note["seat"] == SEAT]
    assert max(costs) > 0, "the test needs a table at which the bot loses a stone"
    page = page_of(table, aya())
    assert "data-polls" not in page
    panel = page.partition('id="costs-1"')[2].partition("</section>")[0]
    version = seat_of(table).version
    assert version is not None
    assert f"{version.bot.name} v1" in panel
    key = re.search(r'href="\?at=(b1t\d+p\d+)#replay"', panel)
    assert key is not None
    assert "data-retry-position" in page_of(table, aya(), f"?at={key[1]}&retry=1")
    for user in (None, ben()):
        page = page_of(table, user)
        assert "replay-notes" in page
        assert 'id="costs-1"' not in page
        assert "replay-notes" in page_of(table, user, "?part=deal&at=b1")


def test_a_failed_analysis_ends_the_waiting(table: RemoteTable) -> None:
    page_of(table, aya())
    for _ in range(3):
        row = casual_claim()
        assert row is not None
        casual_fail(row, "no", 0.1)
    assert "data-polls" not in page_of(table, aya())


def test_a_table_without_a_record_has_no_notes(table: RemoteTable) -> None:
    version = seat_of(table).version
    assert version is not None
    void = a_table([version], state=RemoteTable.State.FAILED)
    page_of(void, aya())
    assert not CasualAnalysis.objects.exists()


def test_notes_belong_to_one_table(table: RemoteTable) -> None:
    with pytest.raises(IntegrityError):
        CasualAnalysis.objects.create()


def test_notes_are_deleted_with_their_table(table: RemoteTable) -> None:
    version = seat_of(table).version
    assert version is not None
    unrated = finished(a_table([a_version(version.bot)], is_rated=False))
    CasualAnalysis.objects.create(remote_table=unrated)
    aged(unrated, 400)
    assert tables_prune() == 1
    assert not CasualAnalysis.objects.exists()
