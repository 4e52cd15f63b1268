"""The sweep of unreferenced files: bounded runs, a cursor, and no deletion of recent or registered files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.storage import InMemoryStorage, storages
from django.test import override_settings

from arena.common import blob_sweep
from arena.common.blob_sweep import blob_folders, blobs_sweep
from arena.common.blobs import blob_path, blob_put, blob_write
from arena.common.models import Blob, SweepProgress

pytestmark = pytest.mark.django_db


@pytest.fixture
def files(settings, tmp_path: Path) -> Iterator[Path]:
    """A blob storage of this test's own."""
    backend = settings.STORAGES["blobs"] | {"OPTIONS": {"location": str(tmp_path)}}
    with override_settings(STORAGES=settings.STORAGES | {"blobs": backend}):
        yield tmp_path


def unregistered(folder: Path, count: int) -> list[str]:
    """The paths of so many old files without a row, sorted."""
    paths = sorted(blob_path(blob_write(b"unregistered %d" % number)) for number in range(count))
    for path in paths:
        os.utime(folder / path, (0, 0))
    return paths


def test_runs_continue_where_the_last_one_ended(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blob_sweep, "FILES_PER_QUERY", 1)
    paths = unregistered(files, 5)
    runs = [blobs_sweep(most_s=0) for _ in range(6)]
    assert runs == [[path] for path in paths] + [[]]
    progress = SweepProgress.objects.get()
    assert progress.last_folder == ""
    assert progress.completed_at is not None
    late = unregistered(files, 1)
    assert blobs_sweep(most_s=0) == late, "the next pass begins with the first folder"


def test_a_run_without_a_deadline_reads_all_folders(files: Path) -> None:
    paths = unregistered(files, 5)
    kept = blob_put(b"registered", "record")
    os.utime(files / blob_path(kept), (0, 0))
    recent = blob_path(blob_write(b"recent"))
    assert blobs_sweep() == paths
    assert sorted(path for path in (blob_path(kept), recent) if (files / path).exists()) == sorted(
        (blob_path(kept), recent)
    )


def test_only_folders_of_blobs_are_swept(files: Path) -> None:
    for name in ("other/ab", "ab/other", "packs/other"):
        (files / name).mkdir(parents=True)
        (files / name / "file").touch()
        os.utime(files / name / "file", (0, 0))
    paths = unregistered(files, 2)
    assert [*blob_folders()] == [path[:5] for path in paths]
    assert [*blob_folders(after=paths[0][:5])] == [paths[1][:5]]
    assert blobs_sweep() == paths


def test_a_storage_without_folders_is_swept_by_prefix(settings) -> None:
    memory = {"BACKEND": "django.core.files.storage.InMemoryStorage"}
    with override_settings(STORAGES=settings.STORAGES | {"blobs": memory}):
        assert isinstance(storages["blobs"], InMemoryStorage)
        kept, swept = blob_put(b"registered", "record"), blob_write(b"unregistered")
        assert blobs_sweep(older_than_s=-60) == [blob_path(swept)]
        assert storages["blobs"].exists(blob_path(kept))


def test_a_run_asks_for_files_of_several_folders_at_once(files: Path, django_assert_num_queries) -> None:
    for number in range(20):
        blob_put(b"%d" % number, "record")
    blobs_sweep()
    assert Blob.objects.count() == 20
    with django_assert_num_queries(3):
        blobs_sweep()
