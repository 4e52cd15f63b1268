"""Copy blob files from the blob storage into a folder of backups."""

from __future__ import annotations

import contextlib
import errno
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from django.core.files.storage import FileSystemStorage, Storage, storages

from arena.common.blobs import BlobDamaged, BlobMissing, blobs_verify, lost_blob_record
from arena.common.packs import blob_path, blobs_in_file, pack_path, storage_names
from arena.operations.backup.repository import (
    BLOB_LIST,
    COPYING,
    Repository,
    batches,
    blobs_merge,
    blobs_read,
)
from arena.operations.blob_copy import is_intact

AT_ONCE = 2000
OBJECT_STORAGE_THREADS, PACKS_AT_ONCE = 8, 2
"""Concurrent transfers, each of a file in memory; a request to an object storage takes milliseconds."""


class Copied(NamedTuple):
    blobs: int
    size: int
    """Bytes of all blob files."""
    new_blobs: int
    new_size: int
    lost: list[str]
    """Names of files that the storage and the folder lack, or have damaged."""


class _File(NamedTuple):
    size: int = 0
    is_new: bool = False
    loss: BlobMissing | BlobDamaged | None = None


def blobs_save(
    repository: Repository, draft: Path, previous: Path | None, using: str, renew: Callable[[], object]
) -> Copied:
    """Copy files that the previous snapshot lacks, verified by their hash, and write the draft's list.

    Lost blobs are recorded, as the scrub does. ``renew`` is called after each batch. Raises BlobsUnavailable.
    """
    store = storages["blobs"]
    copier = _Copier(store, repository, draft)
    count = size = new_count = new_size = 0
    lost_names: list[str] = []
    known = blobs_read(previous) if previous else iter(())
    with (draft / BLOB_LIST).open("w") as lines, ThreadPoolExecutor(threads_of(store)) as pool:
        for batch in batches(blobs_merge(storage_names(using), known), AT_ONCE):
            # Listed first, so that the files of an interrupted backup can be removed.
            (draft / COPYING).write_text("".join(f"{name} 0\n" for name, _ in batch))
            for (name, _), file in zip(batch, pool.map(copier.copy, batch), strict=True):
                if file.loss is not None:
                    lost_names.append(name)
                    _loss_record(name, file.loss)
                    continue
                lines.write(f"{name} {file.size}\n")
                count, size = count + 1, size + file.size
                if file.is_new:
                    new_count, new_size = new_count + 1, new_size + file.size
            lines.flush()
            renew()
    (draft / COPYING).unlink(missing_ok=True)
    copier.close()
    return Copied(count, size, new_count, new_size, lost_names)


def _loss_record(name: str, loss: BlobMissing | BlobDamaged) -> None:
    if name == blob_path(_sha256(name)):
        lost_blob_record(_sha256(name), loss)
    else:
        blobs_verify(blobs_in_file(name))


class _Copier:
    def __init__(self, store: Storage, repository: Repository, draft: Path) -> None:
        self._store = store
        self._root = repository.blobs
        self._scratch = draft / "scratch"
        self._scratch.mkdir()
        self._folders: set[Path] = set()
        self._packs = threading.Semaphore(PACKS_AT_ONCE)

    def copy(self, blob: tuple[str, int | None]) -> _File:
        """Copy a file unless the folder has it. Files of the previous snapshot are not read again."""
        name, known_size = blob
        target = self._root / name
        try:
            size = target.stat().st_size
        except FileNotFoundError:
            pass
        else:
            if size == known_size or is_intact(name, target.read_bytes()):
                return _File(size)
        with self._packs if name == pack_path(_sha256(name)) else contextlib.nullcontext():
            return self._read(name, target)

    def _read(self, name: str, target: Path) -> _File:
        try:
            with self._store.open(name, "rb") as source:
                data = bytes(source.read())
        except FileNotFoundError:
            return _File(loss=BlobMissing(f"Blob {_sha256(name)[:12]} is missing.", "blob_missing"))
        except OSError as error:
            if error.errno != errno.EIO:  # a bad sector
                raise
            data = b""
        if not is_intact(name, data):
            return _File(loss=BlobDamaged(f"Blob {_sha256(name)[:12]} is damaged."))
        if target.parent not in self._folders:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folders.add(target.parent)
        draft = self._scratch / target.name
        draft.write_bytes(data)
        draft.replace(target)
        return _File(len(data), is_new=True)

    def close(self) -> None:
        self._scratch.rmdir()


def threads_of(store: Storage) -> int:
    return 2 if isinstance(store, FileSystemStorage) else OBJECT_STORAGE_THREADS


def _sha256(name: str) -> str:
    return Path(name).name.partition(".")[0]
