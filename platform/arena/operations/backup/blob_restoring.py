"""Write the blob files of a snapshot into the blob storage."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, storages

from arena.common.blob_storages import BlobStorage
from arena.operations.backup.blob_saving import AT_ONCE
from arena.operations.backup.repository import BackupError, Repository, StoredBlob, batches, blobs_read
from arena.operations.blob_copy import is_intact

DRAFT = ".restoring"
"""Folder whose contents are moved to their places when they are complete."""
THREADS = 2
UPLOADED_AT_ONCE, UPLOADED_BYTES = 64, 64 << 20
"""Maximum files, and bytes of all but the last one, that are in memory."""
REMEDY = "Restore the file from another copy of the backup, or restore another snapshot."


class DraftFolder:
    """Files that appear in their folder only when all are written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / DRAFT
        self._is_created = False

    def create(self) -> None:
        """Start with an empty draft; that of a killed restore is removed."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._is_created = not self.folder.exists()
        self.path.mkdir(mode=0o700, parents=True)

    def publish(self) -> None:
        """Move the contents to their places, replacing files."""
        for path in sorted(self.path.iterdir()):
            path.replace(self.folder / path.name)
        self.path.rmdir()

    def withdraw(self) -> None:
        """Remove the contents of the folder, published or not. It was empty before."""
        for path in self.folder.glob("*"):
            if path.name != "lost+found":
                shutil.rmtree(path, ignore_errors=True)
        self.discard()

    def discard(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self._is_created:
            with contextlib.suppress(OSError):  # not empty
                self.folder.rmdir()


class FolderTarget:
    """An empty folder of blobs."""

    def __init__(self, folder: Path) -> None:
        self._draft = DraftFolder(folder)
        self._folders: set[Path] = set()

    def check(self) -> None:
        """Raise BackupError if the folder contains files."""
        folder = self._draft.folder
        if folder.is_dir() and {path.name for path in folder.iterdir()} - {DRAFT, "lost+found"}:
            raise BackupError(f"{folder} is not empty. Move it away first; nothing was changed.")

    def restore(self, repository: Repository, snapshot: Path) -> int:
        """Verify and write all blob files of a snapshot into a draft, and return their number."""
        self._draft.create()
        count = 0
        with ThreadPoolExecutor(THREADS) as pool:
            for batch in batches(blobs_read(snapshot), AT_ONCE):
                count += sum(1 for _ in pool.map(lambda blob: self._write(repository, blob), batch))
        return count

    def _write(self, repository: Repository, blob: StoredBlob) -> None:
        path = self._draft.path / blob.name
        if path.parent not in self._folders:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folders.add(path.parent)
        path.write_bytes(blob_verified(repository.blobs / blob.name, blob))

    def publish(self) -> None:
        self._draft.publish()

    def withdraw(self) -> None:
        self._draft.withdraw()


class BucketTarget:
    """A storage that may contain files, as files of the same name have the same content.

    A restore that fails leaves the files that it has written; the sweep deletes files without rows.
    """

    def __init__(self, store: BlobStorage) -> None:
        self._store = store

    def check(self) -> None:
        """Raise BlobsUnavailable if the storage does not answer."""
        self._store.is_empty()

    def restore(self, repository: Repository, snapshot: Path) -> int:
        """Verify all blob files of a snapshot, write those that the storage lacks, and count all."""
        present = set(self._store.names())
        count = 0
        for batch in _upload_batches(blobs_read(snapshot)):
            files = {blob.name: blob_verified(repository.blobs / blob.name, blob) for blob in batch}
            self._store.save_all(
                {name: ContentFile(data) for name, data in files.items() if name not in present}
            )
            count += len(batch)
        return count

    def publish(self) -> None:
        """Do nothing: written files are in their places."""

    def withdraw(self) -> None:
        """Do nothing: the sweep deletes files without rows."""


def _upload_batches(blobs: Iterable[StoredBlob]) -> Iterator[list[StoredBlob]]:
    batch: list[StoredBlob] = []
    size = 0
    for blob in blobs:
        batch.append(blob)
        size += blob.size
        if len(batch) == UPLOADED_AT_ONCE or size >= UPLOADED_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def blob_target() -> FolderTarget | BucketTarget:
    store = storages["blobs"]
    if isinstance(store, BlobStorage) and store.is_remote:
        return BucketTarget(store)
    assert isinstance(store, FileSystemStorage)
    return FolderTarget(Path(store.location))


def blob_verified(path: Path, blob: StoredBlob) -> bytes:
    """Return the stored bytes of a blob file, whose name has the hash of its content. Raises BackupError."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise BackupError(f"The backup is incomplete: {path} is missing. {REMEDY}") from None
    if len(data) != blob.size or not is_intact(blob.name, data):
        raise BackupError(f"The backup is damaged: {path} has changed. {REMEDY}")
    return data
