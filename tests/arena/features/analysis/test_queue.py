"""The background queue: what is due, in which order, and how attempts end."""

from __future__ import annotations

import datetime
import io

import pytest
import pytest_django
from django.core.management import call_command
from django.utils import timezone

from arena.competition.models import Tournament
from arena.features.analysis.due import analyses_request, missing_make
from arena.features.analysis.feature import ANALYSIS
from arena.features.analysis.models import CostlyPlay, SeatAnalysis, TableAnalysis
from arena.features.analysis.queue import (
    MAX_FAILURES,
    analysis_claim,
    analysis_fail,
    analysis_finish,
    analysis_release,
    analysis_renew,
    leases_expire,
)
from arena.jobs.flow import tournament_advance
from arena.matches.models import Fixture, Table
from arena.matches.reruns import table_rerun
from arena.operations.staleness import oldest_rows
from arena.settings.analysis import AnalysisLimits
from arena.tables.views import table_view_make
from tests.arena.features.analysis.conftest import tables_of
from tests.arena.features.analysis.notes import analysed, claimed, finish, notes_sha256_of, summary
from tests.arena.play import play_table

pytestmark = pytest.mark.django_db
State = TableAnalysis.State


def states() -> list[tuple[str, int]]:
    return list(TableAnalysis.objects.order_by("pk").values_list("state", "failures"))


def test_tables_are_due_when_their_round_closes_and_later_rounds_first(event: Tournament) -> None:
    first, second = (
        [table.pk for table in tables_of(event)[:2]],
        [table.pk for table in tables_of(event)[2:]],
    )
    assert [row.table_id for row in analysed()] == [*second, *first]
    assert {state for state, _ in states()} == {State.READY}


def test_notes_figures_and_costly_plays_are_stored(table: Table) -> None:
    analysed()
    expected = summary(table)
    assert notes_sha256_of(table)
    rows = SeatAnalysis.objects.filter(analysis__table=table)
    assert {row.seat: row.boards for row in rows} == {
        seat: [[int(each.board[1:]), *each[1:]] for each in costs] for seat, costs in expected.seats.items()
    }
    assert {row.seat: row.stones for row in rows} == {
        seat: sum(each.stones for each in costs) for seat, costs in expected.seats.items()
    }
    assert sum(row.decisions for row in rows) > 4
    assert all(row.version_id == table.seats.get(seat=row.seat).version_id for row in rows)
    stored = CostlyPlay.objects.filter(analysis__table=table)
    assert [play.cost for play in stored] == [play.cost for play in expected.costly]
    assert stored[0].cost >= stored[len(stored) - 1].cost > 0


def test_what_is_missing_is_found_and_only_once(event: Tournament) -> None:
    TableAnalysis.objects.all().delete()
    Tournament.objects.filter(pk=event.pk).update(visibility="private")
    assert missing_make(None) is None
    assert not TableAnalysis.objects.exists(), "it is private"
    Tournament.objects.filter(pk=event.pk).update(visibility="public")
    for _ in range(2):
        missing_make(None)
        assert TableAnalysis.objects.count() == 4


@pytest.mark.parametrize(
    "change",
    [
        {"visibility": "private"},
        {"state": "draft"},
    ],
)
def test_nothing_of_a_tournament_that_is_not_public_is_claimed(
    event: Tournament, change: dict[str, str]
) -> None:
    Tournament.objects.filter(pk=event.pk).update(**change)
    assert analysis_claim("test/1") is None


@pytest.mark.parametrize("state", ["open", "forfeited", "void"])
def test_nothing_of_a_fixture_that_is_not_settled_is_claimed(event: Tournament, state: str) -> None:
    Fixture.objects.filter(tournament=event).update(state=state)
    assert analysis_claim("test/1") is None


def test_a_rerun_makes_notes_stale_and_its_new_record_due(event: Tournament) -> None:
    analysed()
    other, *_, neighbour, table = tables_of(event)
    before = notes_sha256_of(table)
    table_rerun(table, event.organiser, "power cut")
    tournament_advance(event)
    assert notes_sha256_of(table) == ""
    assert notes_sha256_of(neighbour) == "", "its fixture is open again"
    assert notes_sha256_of(other) != ""
    play_table(Table.objects.get(pk=table.pk), faulty=frozenset({1}))
    tournament_advance(event)
    table.refresh_from_db()
    table_view_make(table)
    assert notes_sha256_of(table) == ""
    missing_make(None)  # callbacks come once the open round is closed
    (row,) = analysed()
    assert (row.table_id, row.record_sha256) == (table.pk, table.record_sha256)
    assert notes_sha256_of(table) not in ("", before)
    assert TableAnalysis.objects.filter(table=table).count() == 1, "the notes of the old record are gone"


def test_a_rerun_takes_a_table_from_the_process_that_analyses_it(event: Tournament) -> None:
    row = claimed()
    found = summary(row.table)
    assert analysis_renew(row, 0.5)
    table_rerun(row.table, event.organiser, "power cut")
    assert not analysis_renew(row, 0.5)
    assert not analysis_finish(row, b"{}", found, 0.5)
    assert not SeatAnalysis.objects.exists()


def test_three_failures_are_listed_for_staff(event: Tournament) -> None:
    now = timezone.now()
    for number in range(MAX_FAILURES):
        TableAnalysis.objects.update(retry_at=now)
        row = claimed(f"test/{number}")
        analysis_fail(row, "KernelError: no position", 2.0)
    row.refresh_from_db()
    assert (row.state, row.failures, row.cpu_ms) == (State.FAILED, 3, 6000)
    assert analysis_claim("test/4") != row
    failed = next(result for result in ANALYSIS.health(False) if not result.is_ok)
    assert row.table.public_id in failed.detail
    output = io.StringIO()
    call_command("analysis_request", "--failed", stdout=output)
    row.refresh_from_db()
    assert (output.getvalue(), row.state, row.failures) == ("1 tables are queued\n", State.WAITING, 0)


def test_after_a_failure_other_tables_come_first(event: Tournament) -> None:
    row = claimed()
    analysis_fail(row, "it died", 0.0)
    rows = analysed()
    assert len(rows) == 3
    assert row not in rows


def test_a_lease_expires_with_a_failure_and_a_stop_returns_the_row_without(event: Tournament) -> None:
    analysis_release(claimed(), 1.0)
    row = claimed()
    assert (row.failures, row.cpu_ms) == (0, 1000)
    assert leases_expire() == 0
    TableAnalysis.objects.filter(pk=row.pk).update(leased_until=timezone.now() - datetime.timedelta(hours=1))
    ages = {(each.what, each.state): each for each in oldest_rows()}
    assert ages["table_analysis", "expired"].is_overdue
    assert leases_expire() == 1
    row.refresh_from_db()
    assert (row.state, row.failures, row.lease) == (State.WAITING, 1, "")
    assert not finish(row), "the process that lost its lease"


def test_the_budget_of_a_day_ends_the_queue(event: Tournament, settings: pytest_django.Settings) -> None:
    settings.ANALYSIS = AnalysisLimits(notes_cpu_s=10)
    row = claimed()
    assert finish(row, cpu_s=9.5)
    row = claimed()
    assert finish(row, cpu_s=9.5)
    assert analysis_claim("test/1") is None
    yesterday = timezone.now() - datetime.timedelta(days=1, minutes=1)
    TableAnalysis.objects.filter(cpu_ms__gt=0).update(worked_at=yesterday)
    assert analysis_claim("test/1") is not None


def test_a_new_solver_analyses_on_request_and_its_notes_replace_the_old(
    event: Tournament, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysed()
    monkeypatch.setattr("arena.features.analysis.due.SOLVER", "rensho-analysis/999")
    missing_make(None)
    assert analysed() == [], "only on request"
    assert analyses_request(Table.objects.filter(pk=table.pk)) == 1
    before = notes_sha256_of(table)
    assert before, "the old notes stay until then"
    (row,) = analysed()
    assert row.solver == "rensho-analysis/999"
    assert set(SeatAnalysis.objects.filter(analysis__table=table).values_list("analysis", flat=True)) == {
        row.pk
    }
    assert TableAnalysis.objects.filter(table=table).count() == 2


def test_blobs_of_notes_are_referenced(table: Table) -> None:
    analysed()
    assert list(ANALYSIS.blob_references(notes_sha256_of(table))) == [f"notes on table {table.public_id}"]
    assert list(ANALYSIS.blob_references("0" * 64)) == []
