"""Copy blob files between the blob storage and a folder of backups."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, storages

from arena.common.blobs import BlobMissing, blob_path, lost_blob_record
from arena.common.models import Blob
from arena.operations.backup.repository import (
    BLOB_LIST,
    COPYING,
    BackupError,
    Repository,
    StoredBlob,
    batches,
    blobs_merge,
    blobs_read,
)

AT_ONCE = 2000
OBJECT_STORAGE_THREADS = 16
"""Concurrent transfers; a request to an object storage takes milliseconds."""
CHUNK_BYTES = 1 << 20


class Copied(NamedTuple):
    blobs: int
    size: int
    """Bytes of all blob files."""
    new_blobs: int
    new_size: int
    missing: list[str]


def storage_names(using: str) -> Iterator[str]:
    """Yield the name of each file that rows refer to, sorted. Reads the rows in chunks."""
    hashes = Blob.objects.using(using).order_by("sha256").values_list("sha256", flat=True)
    return map(blob_path, hashes.iterator(AT_ONCE))


def blobs_copy(
    repository: Repository, draft: Path, previous: Path | None, using: str, renew: Callable[[], object]
) -> Copied:
    """Add missing blob files to the repository, and write the draft's list.

    Files of the previous snapshot are not read again. Other files in the repository are replaced, because an
    interrupted backup may have left them incomplete.
    """
    store = storages["blobs"]
    copier = _Copier(store, repository, draft)
    count = size = new_count = new_size = 0
    missing: list[str] = []
    known = blobs_read(previous) if previous else iter(())
    with (draft / BLOB_LIST).open("w") as lines, ThreadPoolExecutor(_threads(store)) as pool:
        for batch in batches(blobs_merge(storage_names(using), known), AT_ONCE):
            # Listed first, so that the files of an interrupted backup can be removed.
            (draft / COPYING).write_text("".join(f"{name} 0\n" for name, _ in batch))
            results = list(pool.map(copier.copy, batch))
            for (name, _), (stored, is_new) in zip(batch, results, strict=True):
                if stored is None:
                    missing.append(name)
                    continue
                lines.write(f"{name} {stored}\n")
                count, size = count + 1, size + stored
                if is_new:
                    new_count, new_size = new_count + 1, new_size + stored
            lines.flush()
            renew()
    (draft / COPYING).unlink(missing_ok=True)
    for name in missing:
        _missing_record(name)
    return Copied(count, size, new_count, new_size, missing)


def _missing_record(name: str) -> None:
    """Record a lost blob, which doctor reports. Raises BlobsUnavailable if the storage itself is away."""
    sha256 = Path(name).name.removesuffix(".gz")
    lost_blob_record(sha256, BlobMissing(f"Blob {sha256[:12]} is missing.", "blob_missing"))


class _Copier:
    def __init__(self, store: Storage, repository: Repository, draft: Path) -> None:
        self._store = store
        self._root = repository.blobs
        self._scratch = draft / "scratch"
        self._scratch.mkdir()
        self._folders: set[Path] = set()

    def copy(self, blob: tuple[str, int | None]) -> tuple[int | None, bool]:
        """Return the bytes of a file and whether it was copied; None if the storage lacks it."""
        name, known_size = blob
        target = self._root / name
        if known_size is not None and _size(target) == known_size:
            return known_size, False
        if target.parent not in self._folders:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folders.add(target.parent)
        try:
            if isinstance(self._store, FileSystemStorage):
                self._link(Path(self._store.path(name)), target)
            else:
                self._download(name, target)
        except FileNotFoundError:
            return None, False
        return target.stat().st_size, True

    def _link(self, source: Path, target: Path) -> None:
        """Link to a file, which never changes, or copy it to another disk."""
        try:
            try:
                os.link(source, target)
            except FileExistsError:
                target.unlink()
                os.link(source, target)
        except FileNotFoundError:
            raise
        except OSError:  # another file system, or one without links
            draft = self._scratch / target.name
            shutil.copyfile(source, draft)
            draft.replace(target)

    def _download(self, name: str, target: Path) -> None:
        draft = self._scratch / target.name
        with self._store.open(name, "rb") as source, draft.open("wb") as file:
            shutil.copyfileobj(source, file, CHUNK_BYTES)
        draft.replace(target)


class BlobTarget:
    """Where a restore writes blob files: a new folder, which gets its name at the end, or the storage."""

    def __init__(self) -> None:
        store = storages["blobs"]
        self._store = store
        self._folder = Path(store.location) if isinstance(store, FileSystemStorage) else None
        self.draft = self._folder.with_name(f".{self._folder.name}.restoring") if self._folder else None

    def check(self) -> None:
        """Raise BackupError if the folder contains files. An object storage may have some of them."""
        if self._folder and self._folder.is_dir() and any(self._folder.iterdir()):
            raise BackupError(f"{self._folder} is not empty. Move it away first; nothing was changed.")

    def restore(self, repository: Repository, snapshot: Path) -> int:
        """Verify and write all blob files of a snapshot, and return their number."""
        if self.draft:
            shutil.rmtree(self.draft, ignore_errors=True)
            self.draft.mkdir(mode=0o700, parents=True)
        folders: set[Path] = set()

        def write(blob: StoredBlob) -> None:
            data = blob_verified(repository.blobs / blob.name, blob)
            if self.draft is None:
                if not self._store.exists(blob.name):
                    with (repository.blobs / blob.name).open("rb") as file:
                        self._store.save(blob.name, File(file))
                return
            path = self.draft / blob.name
            if path.parent not in folders:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                folders.add(path.parent)
            with open(path, "wb", opener=_private) as target:
                target.write(data)

        count = 0
        blobs: Iterator[StoredBlob] = blobs_read(snapshot)
        with ThreadPoolExecutor(_threads(self._store)) as pool:
            for batch in batches(blobs, AT_ONCE):
                count += sum(1 for _ in pool.map(write, batch))
        return count

    def publish(self) -> None:
        """Give the written folder its name."""
        if self.draft and self._folder:
            if self._folder.is_dir():
                self._folder.rmdir()
            self.draft.rename(self._folder)

    def discard(self) -> None:
        if self.draft:
            shutil.rmtree(self.draft, ignore_errors=True)


def blob_verified(path: Path, blob: StoredBlob) -> bytes:
    """Return the stored bytes of a blob file, whose name has the hash of its content. Raises BackupError."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise BackupError(f"The backup is incomplete: {path} is missing. {_REMEDY}") from None
    try:
        content = gzip.decompress(data) if path.suffix == ".gz" else data
    except (gzip.BadGzipFile, zlib.error, EOFError):
        content = None
    digest = None if content is None else hashlib.sha256(content).hexdigest()
    if len(data) != blob.size or digest != path.name.partition(".")[0]:
        raise BackupError(f"The backup is damaged: {path} has changed. {_REMEDY}")
    return data


_REMEDY = "Restore the file from another copy of the backup, or restore another snapshot."


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _threads(store: Storage) -> int:
    return 2 if isinstance(store, FileSystemStorage) else OBJECT_STORAGE_THREADS


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None
