"""Views of tables: made with the report, made again from what is stored, and never at a table's cost."""

from __future__ import annotations

import dataclasses
import io
import json
import logging
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command

from arena.common.blobs import blob_get, blob_path, blob_put
from arena.common.models import Blob
from arena.competition.models import Tournament
from arena.jobs.play import lease_play
from arena.matches.models import Table
from arena.matches.replays import table_view
from arena.matches.reruns import table_rerun
from arena.standings.audit import tournament_audit
from arena.standings.export import export_document
from arena.tables.views import ViewImpossible, table_view_make
from referee.contract import TableReport
from tests.arena.jobs.player import engine_player
from tests.arena.play import claimed, expected_view, play_out, play_table, waiting
from tests.refusals import refusal
from viewer.build import view_bytes, view_of


@pytest.fixture
def running(shared_running: Tournament) -> Tournament:
    """The same for all tests here."""
    return shared_running


def finished(running: Tournament) -> Table:
    """A table played without a view."""
    table = waiting(running)[0]
    play_table(table)
    table.refresh_from_db()
    assert table.view_sha256 == ""
    return table


def test_an_accepted_report_has_its_view(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    assert lease_play(lease, engine_player)
    table = Table.objects.get(pk=lease.table_id)
    assert table_view(table) == expected_view(table)
    assert Blob.objects.get(pk=table.view_sha256).kind == Blob.Kind.VIEW
    assert lease_play(lease, engine_player), "the same report, delivered twice"
    assert Table.objects.get(pk=table.pk).view_sha256 == table.view_sha256


@pytest.mark.parametrize("record", [b"", b"not a record\n", b'{"e":"table"}\n', b"\xff\x00" * 99])
def test_a_view_that_cannot_be_made_costs_nothing(
    running: Tournament, record: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    def strange(order, fetch, keep, progress) -> TableReport:
        report = engine_player(order, fetch, keep, progress)
        return dataclasses.replace(report, record_sha256=keep(record))

    lease = claimed(waiting(running)[0])
    with caplog.at_level(logging.ERROR):
        assert lease_play(lease, strange)
    table = Table.objects.get(pk=lease.table_id)
    assert (table.state, table.view_sha256) == (Table.State.FINISHED, "")
    assert "views_make" in caplog.text
    assert table_view(table) is None
    refusal(ViewImpossible, table_view_make, table)


def test_missing_views_are_made_by_the_command_once(running: Tournament) -> None:
    table = finished(running)
    out = io.StringIO()
    call_command("views_make", stdout=out)
    assert out.getvalue() == "1 views made\n"
    table.refresh_from_db()
    assert table_view(table) == expected_view(table)
    call_command("views_make", stdout=out)
    assert out.getvalue().endswith("\n0 views made\n")
    before = Blob.objects.count()
    call_command("views_make", table.public_id, again=True, stdout=out)
    assert out.getvalue().endswith("\n1 views made\n")
    assert Blob.objects.count() == before


def test_the_command_names_what_it_cannot_show_and_does_the_rest(running: Tournament) -> None:
    good = finished(running)
    bad = finished(running)
    Table.objects.filter(pk=bad.pk).update(record_sha256=blob_put(b"spoilt\n", "record"))
    with pytest.raises(CommandError, match=bad.public_id):
        call_command("views_make", stdout=io.StringIO())
    good.refresh_from_db()
    assert good.view_sha256
    assert "nosuch" in str(refusal(CommandError, call_command, "views_make", "nosuch", stdout=io.StringIO()))


def test_lost_times_leave_a_view_without_times(running: Tournament) -> None:
    table = finished(running)
    table.timings_sha256 = "0" * 64
    table_view_make(table)
    table.refresh_from_db()
    assert table_view(table) == view_bytes(view_of(blob_get(table.record_sha256)))


def test_a_table_played_again_loses_its_view(running: Tournament) -> None:
    table = finished(running)
    table_view_make(table)
    before = Table.objects.get(pk=table.pk)
    table_rerun(table, running.organiser, "power cut")
    assert table_view_make(before) is None, "it would be the view of the record before"
    table.refresh_from_db()
    assert table.view_sha256 == ""


def test_a_board_of_a_view(running: Tournament) -> None:
    table = finished(running)
    table_view_make(table)
    table.refresh_from_db()
    assert table_view(table, 99) is None
    part = table_view(table, 2)
    assert part is not None
    assert len(part) < len(table_view(table) or b"")


def test_neither_audit_nor_export_depends_on_views(running: Tournament) -> None:
    tournament = play_out(running)

    def exported() -> str:
        return json.dumps(export_document(tournament, with_open_sets=True, with_secret=True), default=str)

    before = exported()
    table = Table.objects.filter(tournament=tournament)[0]
    table_view_make(table)
    table.refresh_from_db()
    Path(storages["blobs"].path(blob_path(table.view_sha256))).write_bytes(b"spoilt")
    Table.objects.filter(tournament=tournament).exclude(pk=table.pk).update(view_sha256="0" * 64)
    assert tournament_audit(tournament) == []
    assert exported() == before
