"""What a worker tries before it takes a table: real disks that are full, real files that are gone."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Callable
from types import SimpleNamespace

import pytest
import redis
from django.db import DatabaseError, InterfaceError, OperationalError
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerUnreachable

from arena.common.blobs import BlobDamaged, BlobMissing, BlobsUnavailable, blob_put
from arena.common.blobs import blob_get as stored
from arena.common.causes import MACHINE_CAUSES, Cause
from arena.common.models import Blob
from arena.competition.models import Tournament
from arena.jobs import worker
from arena.jobs.checks import check_run
from arena.jobs.play import lease_play
from arena.jobs.selftest import Selftest, samples_clean
from arena.jobs.tasks import _check_claim, _claim
from arena.jobs.worker import Pulse
from arena.matches.models import Table, Worker
from arena.roster.models import BotVersion, CheckRun
from arena.roster.services import check_claim
from arena.tables.machine_faults import cause_of, retry
from arena.tables.readiness import Readiness
from referee import check as check_module
from referee.bundle import import_archive
from referee.capability import RuntimeOffer
from referee.contract import FaultCause, TableOrder, TableReport
from referee.errors import PlatformFault, SandboxUnavailable
from tests import factories
from tests.arena.play import claimed, played, waiting
from tests.arena.small_disk import SmallDisk, blobs_on_it, small_disk
from tests.referee.archives import FILES, zipped
from tests.refusals import refusal

__all__ = ["blobs_on_it", "small_disk"]
Keep = Callable[[bytes], str]
Progress = Callable[[int, int, float], None]


def raised(error: BaseException, cause: BaseException | None = None) -> BaseException:
    """The exception as it is caught, with the one that led to it."""
    try:
        raise error from cause
    except BaseException as caught:
        return caught


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), Cause.DISK),
        (OSError(errno.EROFS, "Read-only file system"), Cause.DISK),
        (OSError(errno.EIO, "Input/output error"), Cause.DISK),
        (OSError(errno.EMFILE, "Too many open files"), Cause.RESOURCES),
        (OperationalError("server closed the connection"), Cause.DATABASE),
        (InterfaceError("connection already closed"), Cause.DATABASE),
        (DatabaseError("a table's own"), Cause.INTERNAL),
        (BrokerUnreachable("refused"), Cause.BROKER),
        (redis.ResponseError("MISCONF"), Cause.BROKER),
        (SandboxUnavailable("no user namespaces", "Allow them."), Cause.SANDBOX),
        (PlatformFault("no bundle", FaultCause.BUNDLE), Cause.BUNDLE),
        (BlobMissing("No blob.", "blob_missing"), Cause.BUNDLE),
        (BlobsUnavailable("connection refused"), Cause.STORE),
        (raised(BlobDamaged("blob"), OSError(errno.EIO, "Input/output error")), Cause.DISK),
        (raised(BlobDamaged("blob"), EOFError("cut off")), Cause.BUNDLE),
        (ValueError("no space left on device, says a bot"), Cause.INTERNAL),
        (FileNotFoundError(errno.ENOENT, "No such file"), Cause.INTERNAL),
    ],
)
def test_codes_and_types_tell_the_cause_and_no_text_does(error: BaseException, cause: Cause) -> None:
    assert cause_of(error) == cause


def test_every_cause_of_the_referee_is_one_of_ours() -> None:
    assert {cause.value for cause in FaultCause} <= set(Cause.values)
    assert set(Cause) >= MACHINE_CAUSES


def test_work_is_tried_again_after_faults_of_machines_alone() -> None:
    tries = []

    def flaky() -> str:
        tries.append(len(tries))
        if len(tries) < 3:
            raise OperationalError("the database system is starting up")
        return "done"

    assert retry(flaky, 30.0, "test") == "done"
    assert len(tries) == 3

    def broken() -> None:
        tries.append(len(tries))
        raise ValueError("a defect")

    assert "a defect" in str(refusal(ValueError, retry, broken, 30.0, "test"))
    assert len(tries) == 4
    with pytest.raises(OSError, match="No space"):
        retry(lambda: os.write(os.open("/dev/full", os.O_WRONLY), b"x"), 0.3, "test")


@pytest.mark.django_db
def test_a_full_disk_is_found_and_so_is_its_repair(blobs_on_it: SmallDisk) -> None:
    test = Selftest()
    assert test.fault(fresh=True) is None
    blobs_on_it.fill()
    assert test.fault() is None, "a good result holds for some seconds"
    fault = test.fault(fresh=True)
    assert fault is not None
    assert fault.cause == Cause.DISK
    assert str(blobs_on_it.folder) in fault.text
    assert "WORKER_FREE_MIB" in fault.text, "the remedy"
    assert test.fault() is not None, "a bad one is looked at again each time"
    blobs_on_it.free()
    assert test.fault() is None
    assert [path.name for path in (blobs_on_it.folder / "blobs").iterdir()] == [], "nothing is left behind"


@pytest.mark.django_db
def test_a_disk_that_has_space_but_takes_no_files_is_found_by_writing(
    blobs_on_it: SmallDisk, settings
) -> None:
    settings.WORKER_FREE_BYTES_MIN = 0
    blobs_on_it.fill()
    fault = Selftest().fault()
    assert fault is not None
    assert "No space left" in fault.text


@pytest.mark.django_db
def test_blobs_that_are_all_gone_are_the_machines_and_one_is_not(blobs_on_it: SmallDisk) -> None:
    kept = factories.an_upload(
        factories.a_bot(factories.aya()), bundle_sha256=blob_put(b"a bundle", Blob.Kind.BUNDLE)
    )
    gone = blob_put(b"another bundle", Blob.Kind.BUNDLE)
    factories.an_upload(factories.a_bot(factories.ben()), bundle_sha256=gone)
    folder = blobs_on_it.folder / "blobs"
    shutil.rmtree(folder / gone[:2])
    assert Selftest().fault() is None
    shutil.rmtree(folder / kept.bundle_sha256[:2])
    fault = Selftest().fault()
    assert fault is not None
    assert fault.cause == Cause.STORE


@pytest.mark.django_db
def test_what_killed_tests_left_is_removed(blobs_on_it: SmallDisk) -> None:
    folder = blobs_on_it.folder / "blobs"
    folder.mkdir()
    old, new = folder / ".writing-selftest-1", folder / ".writing-selftest-2"
    for path in (old, new):
        path.write_bytes(b"x")
    os.utime(old, (0, 0))
    # What others have left in the staging area of this machine goes as well.
    removed = samples_clean()
    assert [path for path in removed if path.startswith(str(folder))] == [str(old)]
    assert not old.exists()
    assert new.exists()


def keeping_player(order: TableOrder, blob_get: object, keep: Keep, progress: Progress) -> TableReport:
    """Plays through the engine and keeps what is to be stored."""
    report = played(order)
    named = {report.record_sha256, report.timings_sha256}
    for sha256 in filter(None, named):
        keep(stored(sha256))
    Blob.objects.all().delete()  # as if nothing of it had been stored
    return report


@pytest.mark.django_db(transaction=True)
def test_a_played_table_outlives_a_full_disk(running: Tournament, blobs_on_it: SmallDisk) -> None:
    lease = claimed(waiting(running)[0])

    def player(order: TableOrder, blob_get: object, keep: Keep, progress: Progress) -> TableReport:
        report = keeping_player(order, blob_get, keep, progress)
        blobs_on_it.fill()
        return report

    repair = threading.Timer(1.5, blobs_on_it.free)
    repair.start()
    try:
        assert lease_play(lease, player)
    finally:
        repair.cancel()
    table = Table.objects.get(pk=lease.table_id)
    assert (table.state, table.attempt, table.failures) == (Table.State.FINISHED, 1, 0)
    assert stored(table.record_sha256)


@pytest.mark.django_db(transaction=True)
def test_a_full_disk_ends_attempts_but_spends_none(
    running: Tournament, blobs_on_it: SmallDisk, settings
) -> None:
    settings.TABLE_REPORT_RETRY_S = 0.1
    table = waiting(running)[0]
    for failures in range(1, 6):
        blobs_on_it.free()
        lease = claimed(table)

        def player(order: TableOrder, blob_get: object, keep: Keep, progress: Progress) -> TableReport:
            report = keeping_player(order, blob_get, keep, progress)
            blobs_on_it.fill()
            return report

        assert not lease_play(lease, player)
        table.refresh_from_db()
        assert (table.state, table.attempt, table.failures) == (Table.State.WAITING, 0, failures)
        assert table.cause == Cause.DISK


@pytest.mark.django_db(transaction=True)
def test_an_unknown_fault_on_a_full_disk_is_the_machines(running: Tournament, blobs_on_it: SmallDisk) -> None:
    def broken(order: TableOrder, blob_get: object, keep: Keep, progress: Progress) -> TableReport:
        raise RuntimeError("who knows")

    table = waiting(running)[0]
    lease_play(claimed(table), broken)
    table.refresh_from_db()
    assert (table.cause, table.attempt) == (Cause.INTERNAL, 1)
    blobs_on_it.fill()
    lease_play(claimed(table), broken)
    table.refresh_from_db()
    assert (table.cause, table.attempt) == (Cause.DISK, 1)
    assert "who knows" in table.reason


@pytest.mark.django_db(transaction=True)
def test_a_process_on_a_full_disk_claims_nothing(
    running: Tournament, blobs_on_it: SmallDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "selftest", Selftest(worker.alarm_raise))
    table = waiting(running)[0]
    check = factories.an_upload(factories.a_bot(factories.aya())).checks.get()
    Table.objects.update(published_at=timezone.now())
    blobs_on_it.fill()
    try:
        assert _claim(table.pk) == (None, [])
        assert _check_claim(check.pk) is None
        assert worker._MainProcess.alarm[0] == worker.ALARM
    finally:
        worker._MainProcess.alarm[0] = 0
    table.refresh_from_db()
    check.refresh_from_db()
    assert (table.state, table.attempt, table.published_at) == (Table.State.WAITING, 0, None)
    assert check.state == CheckRun.State.WAITING


class Idle:
    """A timer nobody turns."""

    def call_repeatedly(self, *_: object) -> SimpleNamespace:
        return SimpleNamespace(cancel=lambda: None)


@pytest.mark.django_db(transaction=True)
def test_a_worker_out_of_order_says_so_and_offers_everything_once_it_is_repaired(
    running: Tournament, blobs_on_it: SmallDisk, monkeypatch: pytest.MonkeyPatch, settings
) -> None:
    settings.TABLE_BACKOFF_S = ((60.0, 60.0),)
    sent: list[int] = []
    send = lambda task, args, **options: sent.append(args[0])  # noqa: E731
    monkeypatch.setattr("arena.jobs.publish.app.send_task", send)
    monkeypatch.setattr(worker, "selftest", Selftest(worker.alarm_raise))
    monkeypatch.setattr(worker._MainProcess, "readiness", Readiness("FULL1", {"python/1": "d" * 64}, ()))
    parent = SimpleNamespace(hostname="tables@here", concurrency=2, timer=Idle())
    pulse = Pulse(parent)
    pulse.start(parent)
    assert Worker.objects.get().cause == ""

    Table.objects.update(published_at=None)
    failed, _ = waiting(running)
    blobs_on_it.fill()
    lease_play(claimed(failed), lambda *_: 1 / 0, worker.selftest)  # type: ignore[arg-type, return-value]
    pulse._watch(parent)
    row = Worker.objects.get()
    assert row.cause == Cause.DISK
    assert "MiB free" in row.detail
    running.refresh_from_db()
    assert running.stalled_cause == Cause.DISK, "its organiser is told at once"
    Table.objects.update(published_at=None)
    sent.clear()
    pulse._watch(parent)
    assert sent == [], "nobody is nudged about what nobody would take"

    blobs_on_it.free()
    pulse._watch(parent)
    assert Worker.objects.get().cause == ""
    assert set(sent) == set(Table.objects.values_list("pk", flat=True)), "at once, without waiting"
    pulse.stop(parent)


@pytest.mark.django_db(transaction=True)
def test_a_check_that_meets_a_full_disk_waits_and_spends_no_attempt(blobs_on_it: SmallDisk, settings) -> None:
    settings.TABLE_BACKOFF_S = ((60.0, 60.0),)
    version = factories.an_upload(factories.a_bot(factories.aya()))
    check = check_claim(version.checks.get().pk, "here:1:1")
    assert check is not None
    blobs_on_it.fill()
    check_run(check)
    check = version.checks.get()
    assert (check.state, check.attempt, check.cause) == (CheckRun.State.WAITING, 1, Cause.DISK)
    assert check_claim(check.pk) is None, "not before its time"
    CheckRun.objects.update(retry_at=timezone.now())
    assert check_claim(check.pk) is not None
    version.refresh_from_db()
    assert version.state == BotVersion.State.CHECKING


@pytest.mark.django_db(transaction=True)
def test_a_check_without_its_runtime_here_waits_with_the_code_and_spends_no_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        check_module,
        "offer_named",
        lambda name, artifact: RuntimeOffer(name, "", "it needs a cgroup", "Get one."),
    )
    sha256 = blob_put(import_archive(zipped(FILES), "bot.zip").data, Blob.Kind.BUNDLE)
    version = factories.an_upload(factories.a_bot(factories.aya()), bundle_sha256=sha256)
    check = check_claim(version.checks.get().pk, "here:1:1")
    assert check is not None
    check_run(check)
    check = version.checks.get()
    assert (check.state, check.attempt, check.cause) == (CheckRun.State.WAITING, 1, Cause.RUNTIME)
    assert check.reason == "it needs a cgroup. Get one."
