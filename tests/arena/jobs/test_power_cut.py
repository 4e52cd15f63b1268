"""Power cuts: a blob is on the disk before any row that refers to it is committed."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.db.models import Model, QuerySet

from arena.accounts.models import User
from arena.common.blobs import blob_get, blob_path, blob_put, blobs_write
from arena.common.durable import folder_sync
from arena.common.models import Blob
from arena.competition.models import Tournament
from arena.features.play.models import CasualTable
from arena.jobs.play import lease_play
from arena.jobs.uploads import version_submit
from arena.matches.models import Table
from arena.matches.runtime_artifacts import artifact_publish
from arena.settings.secret import load_or_create_secret_key
from arena.tables.views import table_view_make
from tests import factories
from tests.arena.features.play.casual_tables import serve
from tests.arena.features.play.tables import a_table, aya
from tests.arena.jobs.player import engine_player
from tests.arena.play import claimed, waiting
from tests.power import Disk
from tests.referee.archives import zipped
from tests.refusals import refusal


@pytest.fixture
def store(settings, tmp_path: Path) -> Iterator[Path]:
    """An empty blob storage, whose folder is not there yet."""
    storage = {
        "BACKEND": "arena.common.blob_storages.AtomicFileStorage",
        "OPTIONS": {"location": tmp_path / "blobs"},
    }
    settings.STORAGES = {**settings.STORAGES, "blobs": storage}
    return tmp_path / "blobs"


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


class Noted:
    """Blobs as their rows were written, each with whether a power cut would have left it."""

    def __init__(self, disk: Disk, store: Path) -> None:
        self.disk, self.store = disk, store
        self.kept: dict[str, bool] = {}
        self.kinds: set[str] = set()

    def note(self, instance: Blob) -> None:
        path = self.store / blob_path(instance.sha256)
        self.kept[instance.sha256] = self.disk.keeps(path, self.store.parent)
        self.kinds.add(instance.kind)


@pytest.fixture
def noted(disk: Disk, store: Path, monkeypatch: pytest.MonkeyPatch) -> Noted:
    noted = Noted(disk, store)
    bulk_create = QuerySet.bulk_create

    def observed(rows: QuerySet[Model], objects: Sequence[Model], **options: Any) -> list[Model]:
        for row in objects:
            if isinstance(row, Blob):
                noted.note(row)
        return bulk_create(rows, objects, **options)

    monkeypatch.setattr(QuerySet, "bulk_create", observed)
    return noted


def played_table(running: Tournament, noted: Noted) -> Table:
    """A table whose report was handed in as a worker does, with all its blobs written then."""
    lease = claimed(waiting(running)[0])

    def player(order, fetch, keep, progress):
        report = engine_player(order, fetch, keep, progress)
        Blob.objects.all().delete()
        noted.kept.clear()
        return report

    assert lease_play(lease, player)
    return Table.objects.get(pk=lease.table_id)


def test_a_report_is_on_the_disk_before_its_rows_are_written(running: Tournament, noted: Noted) -> None:
    table = played_table(running, noted)
    assert noted.kinds >= {"record", "timings", "view"}
    assert set(noted.kept) == set(Blob.objects.values_list("pk", flat=True))
    assert {table.record_sha256, table.timings_sha256, table.view_sha256} <= set(noted.kept)
    assert all(noted.kept.values())


def test_a_view_made_later_is_on_the_disk_before_its_row(running: Tournament, noted: Noted) -> None:
    table = played_table(running, noted)
    Blob.objects.filter(sha256=table.view_sha256).delete()
    noted.kept.clear()
    assert table_view_make(table) == table.view_sha256
    assert noted.kept == {table.view_sha256: True}


@pytest.mark.django_db
def test_an_upload_is_on_the_disk_before_its_row(noted: Noted) -> None:
    owner: User = factories.aya()
    files = {"rensho.toml": b'name = "a"\nruntime = "python/1"\nentry_point = "main.py"\n', "main.py": b"1"}
    version = version_submit(factories.a_bot(owner), zipped(files), "bot.zip", "", owner).version
    assert noted.kept == {version.bundle_sha256: True}


@pytest.mark.django_db
def test_an_artefact_is_on_the_disk_before_its_row(noted: Noted) -> None:
    assert artifact_publish("python/2", b"a kernel", "0" * 64)
    assert list(noted.kept.values()) == [True]


@pytest.mark.django_db
def test_a_casual_table_is_on_the_disk_before_its_row(noted: Noted) -> None:
    table = serve(a_table(aya()))
    assert table.state == CasualTable.State.FINISHED
    assert noted.kept[table.record_sha256]
    assert noted.kept[table.view_sha256]


@pytest.mark.django_db
def test_several_blobs_are_synced_together(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def synced(fd: int) -> None:
        steps.append("folder" if Path(f"/proc/self/fd/{fd}").is_dir() else "file")
        fsync(fd)

    def replaced(self: Path, target: Path) -> Path:
        steps.append("rename")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    hashes = blobs_write([b"one", b"two", b"three", b"one"])
    assert [blob_get(sha256) for sha256 in hashes] == [b"one", b"two", b"three", b"one"]
    work = steps[steps.index("file") :]
    assert work[:6] == ["file"] * 3 + ["rename"] * 3, "a name never refers to a file that is not on the disk"
    assert set(work[6:]) == {"folder"}


@pytest.mark.django_db
def test_a_disk_that_refuses_a_sync_stores_nothing(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(fd: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    blobs_write([b"before"])
    monkeypatch.setattr(os, "fsync", refused)
    assert "Input/output" in str(refusal(OSError, blobs_write, [b"after", b"afterwards"]))
    assert len([path for path in store.rglob("*") if path.is_file()]) == 1


def test_a_folder_that_cannot_be_synced_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(number: int) -> Callable[[int], None]:
        def fsync(fd: int) -> None:
            raise OSError(number, os.strerror(number))

        return fsync

    monkeypatch.setattr(os, "fsync", refused(errno.EINVAL))
    folder_sync(tmp_path)
    monkeypatch.setattr(os, "fsync", refused(errno.EIO))
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        folder_sync(tmp_path)


@pytest.mark.django_db
def test_a_storage_that_is_no_folder_is_written_to_as_before(settings) -> None:
    memory = {"BACKEND": "django.core.files.storage.InMemoryStorage"}
    settings.STORAGES = {**settings.STORAGES, "blobs": memory}
    sha256 = blob_put(b"in an object storage", "record")
    Blob.objects.all().delete()
    assert blobs_write([b"in an object storage", b"another"])[0] == sha256
    assert blob_get(sha256) == b"in an object storage"
    assert storages["blobs"].listdir(f"{sha256[:2]}/{sha256[2:4]}")[1] == [f"{sha256}.gz"]


def test_the_secret_key_is_on_the_disk_before_it_is_used(disk: Disk, tmp_path: Path) -> None:
    load_or_create_secret_key(tmp_path)
    assert disk.keeps(tmp_path / "secret_key", tmp_path)
