"""Blobs and death: a file is whole or not there, and what nothing refers to goes."""

from __future__ import annotations

import datetime
import os
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.utils import timezone

from arena.common.blob_holds import deletions_hold, deletions_paused
from arena.common.blob_sweep import blobs_sweep
from arena.common.blobs import blob_get, blob_put, blob_write
from arena.common.models import Blob, BlobHold
from arena.competition.models import Tournament
from arena.jobs.play import lease_play
from arena.jobs.tasks import blobs_clean
from arena.matches.models import Table
from tests.arena.jobs.player import engine_player
from tests.arena.play import claimed, waiting
from tests.refusals import refusal

LONG_AGO = (0, 0)


def path_of(sha256: str) -> Path:
    return Path(storages["blobs"].path(f"{sha256[:2]}/{sha256[2:4]}/{sha256}.gz"))


class Killed(BaseException):
    """What a test raises where a worker would be killed."""


class Dying(ContentFile):
    def chunks(self, chunk_size: int | None = None):
        yield b"half of"
        raise Killed


@pytest.mark.django_db
def test_a_file_half_written_is_never_seen_under_its_name(tmp_path: Path) -> None:
    store = storages["blobs"]  # shared by all tests, and blobs lie in folders of two hexadecimal digits
    refusal(Killed, store.save, "half-written/blob", Dying(b""))
    assert not store.exists("half-written/blob")
    assert not list(Path(store.path("half-written")).iterdir())


@pytest.mark.django_db
def test_what_was_written_but_never_noted_is_written_again_and_goes_when_it_is_old() -> None:
    noted, written = blob_put(b"a blob to stay", "record"), blob_write(b"a blob nobody noted")
    path_of(written).write_bytes(b"damaged")
    assert blob_write(b"a blob nobody noted") == written
    assert blobs_sweep() == [], "it may be noted any moment"

    for sha256 in (noted, written):
        os.utime(path_of(sha256), LONG_AGO)
    writing = path_of(noted).with_name(".writing-abc")
    writing.touch()
    os.utime(writing, LONG_AGO)
    blobs_clean()
    assert [path.exists() for path in (path_of(noted), path_of(written), writing)] == [True, False, False]
    assert blob_get(noted) == b"a blob to stay"


@pytest.mark.django_db
def test_a_backup_holds_deletions_until_its_hold_expires() -> None:
    written = blob_write(b"a file without a row, which a backup may refer to")
    os.utime(path_of(written), LONG_AGO)
    with deletions_hold() as hold:
        assert deletions_paused()
        assert blobs_sweep() == []
        assert path_of(written).exists()
        BlobHold.objects.update(expires_at=timezone.now())
        assert not deletions_paused(), "the backup was killed an hour ago"
        hold._renewed_at -= datetime.timedelta(hours=1)
        hold.renew()
        assert deletions_paused()
        hold.release()
        hold._renewed_at -= datetime.timedelta(hours=1)
        hold.renew()
        assert deletions_paused(), "another process removed the row"
    assert not deletions_paused()
    assert blobs_sweep()
    assert not path_of(written).exists()


@pytest.mark.django_db
def test_a_damaged_file_without_a_row_is_healed_by_the_next_who_stores_it() -> None:
    written = blob_write(b"written by a worker that was killed")
    path_of(written).write_bytes(b"half")
    blob_put(b"written by a worker that was killed", "log")
    assert blob_get(written) == b"written by a worker that was killed"


def test_a_report_that_is_not_accepted_leaves_no_blob(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    rows = set(Blob.objects.values_list("pk", flat=True))

    def outrun(order, fetch, keep, progress):
        report = engine_player(order, fetch, keep, progress)
        Blob.objects.exclude(pk__in=rows).delete()
        Table.objects.filter(pk=lease.table_id).update(state=Table.State.WAITING, fence="")
        return report

    assert not lease_play(lease, outrun)
    assert set(Blob.objects.values_list("pk", flat=True)) == rows
