"""Each problem that an audit must name, planted in an installation without faults."""

from __future__ import annotations

import datetime
import functools
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db.models import F
from django.test import override_settings
from django.utils import timezone

from arena.common.blobs import blob_get, blob_path, blob_put, blob_write
from arena.common.models import Blob, BlobHold, LostBlob, SweepProgress
from arena.competition.models import Tournament
from arena.jobs.flow import table_done
from arena.matches.board_results import format_results
from arena.matches.leases import table_claim
from arena.matches.models import FaultGroup, LostLease, PendingReport, Table, TableSeat
from arena.matches.results import table_finish
from arena.matches.totals import all_totals_update
from arena.roster.models import BotVersion, CheckRun
from arena.standings.models import StandingRow
from arena.tables.artifacts import TableArtifacts
from referee.execute import execute
from tests import factories
from tests.arena.once import made_once
from tests.arena.play import WORKER, waiting
from tests.chaos import bare, events
from tests.chaos.audit import audit

pytestmark = pytest.mark.full

TABLES = 6


def storage_of(folder: Path) -> override_settings:
    blobs = settings.STORAGES["blobs"] | {"OPTIONS": {"location": str(folder)}}
    return override_settings(STORAGES=settings.STORAGES | {"blobs": blobs})


def an_installation() -> tempfile.TemporaryDirectory[str]:
    """Rows of a final event of three bots without any faults; return the folder of its blobs."""
    folder = tempfile.TemporaryDirectory(prefix="rensho-test-")
    with storage_of(Path(folder.name)):
        versions = [factories.passed(row) for row in events.bots_upload("t", "kakkuri", factories.players(3))]
        event = events.event_start(versions, preset="kakkuri", ruleset={"seats": 2})
        while tables := waiting(event):
            for table in tables:
                lease = table_claim(table.pk, WORKER)
                assert lease is not None
                artifacts = TableArtifacts()
                report = execute(lease.order, blob_get, artifacts.keep, lambda *_: None, bare.bot_driver)
                artifacts.write(report)
                note = functools.partial(artifacts.note, report)
                assert table_finish(lease.table_id, lease.fence, report, "", note)
                table_done(event.public_id)
        all_totals_update()
    return folder


installed = made_once(an_installation)


@pytest.fixture
def blobs(installed: tempfile.TemporaryDirectory[str], db: None, tmp_path: Path) -> Iterator[Path]:
    """The folder of the blobs of the installation, a copy for this test."""
    folder = Path(shutil.copytree(installed.name, tmp_path / "blobs"))
    with storage_of(folder):
        yield folder


def test_an_installation_without_faults_has_no_problem(blobs: Path) -> None:
    assert audit(TABLES) == []


def first() -> Table:
    return Table.objects.order_by("pk")[0]


def change(**values: object) -> Callable[[Path], object]:
    return lambda _: Table.objects.filter(pk=first().pk).update(**values)


def change_record(_: Path) -> None:
    """A record of other actions, as of a bot that does not play twice alike."""
    other = Table.objects.order_by("pk")[1]
    changed = blob_get(other.record_sha256).replace(other.public_id.encode(), first().public_id.encode())
    Table.objects.filter(pk=first().pk).update(record_sha256=blob_put(changed, Blob.Kind.RECORD))


def drop_result(_: Path) -> None:
    Table.objects.filter(pk=first().pk).update(compact_results=format_results(first().results[1:]))


def add_fault(_: Path) -> None:
    seat = TableSeat.objects.order_by("pk")[0]
    now = timezone.now()
    FaultGroup.objects.create(
        version=seat.version,
        fingerprint="f",
        verdict="CRASHED",
        phase="act",
        count=1,
        first_seen_at=now,
        last_seen_at=now,
        sample={},
        table=seat.table,
        seat=seat.seat,
    )


def add_unregistered(_: Path) -> None:
    """A file without a row that no sweep can delete, because a backup holds deletions."""
    BlobHold.objects.create(expires_at=timezone.now() + datetime.timedelta(hours=1))
    blob_write(b"of a worker that was killed")


def remove_file(blobs: Path) -> None:
    (blobs / blob_path(first().record_sha256)).unlink()


def lose_lease(_: Path) -> None:
    LostLease.objects.create(table=first(), fence="f", worker=WORKER, kernel="", until=timezone.now())


def suspend_bot(_: Path) -> None:
    bot = BotVersion.objects.order_by("pk")[0]
    BotVersion.objects.filter(pk=bot.pk).update(state="suspended", suspended_at=timezone.now())


PLANTED: dict[str, tuple[Callable[[Path], object], set[str]]] = {
    "an event is not over": (
        lambda _: Tournament.objects.update(state="provisional"),
        {"event_unfinished"},
    ),
    "standings differ": (
        lambda _: StandingRow.objects.filter(rank=1).update(values={}),
        {"event_disagrees"},
    ),
    "a table is missing": (
        lambda _: first().delete(),
        {"tables_missing", "event_disagrees", "blob_unused"},
    ),
    "a table waits": (change(state="waiting"), {"table_unfinished", "event_disagrees"}),
    "a table is quarantined": (change(state="quarantined"), {"table_quarantined", "event_disagrees"}),
    "a table is counted in part": (drop_result, {"table_results", "event_disagrees"}),
    "a verdict": (
        lambda _: TableSeat.objects.filter(table=first(), seat=1).update(verdict="CRASHED"),
        {"entrant_charged", "event_disagrees"},
    ),
    "a forfeit": (
        lambda _: TableSeat.objects.filter(table=first(), seat=1).update(forfeited=True),
        {"entrant_charged", "event_disagrees"},
    ),
    "a fault": (add_fault, {"entrant_charged"}),
    "a bot is suspended": (suspend_bot, {"bot_refused"}),
    "a check is open": (lambda _: CheckRun.objects.update(state="waiting"), {"check_open"}),
    "a lost lease": (lose_lease, {"lease_left"}),
    "a report is not counted yet": (
        lambda _: PendingReport.objects.create(tournament=Tournament.objects.get(), cpu_ms=1),
        {"report_uncounted"},
    ),
    "a report was never counted": (
        lambda _: TableSeat.objects.filter(table=first()).update(cpu_ms=F("cpu_ms") + 10_000),
        {"report_uncounted"},
    ),
    "another record": (change_record, {"record_differs", "event_disagrees", "blob_unused"}),
    "a record without a file": (remove_file, {"record_lost", "event_disagrees", "blob_missing"}),
    "a file without a row": (add_unregistered, {"blob_unregistered"}),
    "a blob without use": (lambda _: blob_put(b"of nobody", Blob.Kind.LOG), {"blob_unused"}),
    "a view without a blob": (change(view_sha256="f" * 64), {"blob_unknown"}),
    "a blob that was found damaged": (
        lambda _: LostBlob.objects.create(blob_id=first().record_sha256, problem="damaged"),
        {"blob_lost"},
    ),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_problem_is_named(planted: str, blobs: Path) -> None:
    plant, codes = PLANTED[planted]
    plant(blobs)
    assert {problem.code for problem in audit(TABLES)} == codes


def test_a_file_without_a_row_is_swept_after_a_sweep_that_was_stopped(blobs: Path) -> None:
    blob_write(b"of a worker that was killed")
    SweepProgress.objects.update_or_create(pk=1, defaults={"last_folder": "ff/ff"})
    assert audit(TABLES) == []
