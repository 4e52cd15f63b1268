"""Copy blobs from a folder to the configured storage."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.core.files.base import ContentFile
from django.core.files.storage import storages

from arena.common.blob_storages import AtomicFileStorage, BlobStorage
from arena.common.packs import blob_path, pack_path

BATCH = 64


class CopyCounts(NamedTuple):
    copied: int
    present: int
    """Files that the storage had already, by name."""
    damaged: list[str]
    """Names of files that do not match their hash and were not copied."""


def blobs_copy(source: Path, store: BlobStorage) -> CopyCounts:
    """Copy files that the storage lacks. Resumable. Raises BlobsUnavailable, OSError of the folder."""
    present_names = set(store.names())
    names = sorted(AtomicFileStorage(location=source).names())
    missing = [name for name in names if name not in present_names]
    copied = 0
    damaged: list[str] = []
    for batch in _batches(missing):
        contents = {name: (source / name).read_bytes() for name in batch}
        bad = {name for name, data in contents.items() if not is_intact(name, data)}
        damaged += sorted(bad)
        store.save_all({name: ContentFile(data) for name, data in contents.items() if name not in bad})
        copied += len(contents) - len(bad)
    return CopyCounts(copied, len(names) - len(missing), damaged)


def remote_storage() -> BlobStorage | None:
    """Return the configured storage, or None if it is a folder."""
    store = storages["blobs"]
    return store if isinstance(store, BlobStorage) and store.is_remote else None


def is_intact(name: str, data: bytes) -> bool:
    """Return whether a file of a blob, or a pack, has its hash; other files are copied as they are."""
    sha256 = Path(name).name.partition(".")[0]
    if name == pack_path(sha256):
        return hashlib.sha256(data).hexdigest() == sha256
    if name != blob_path(sha256):
        return True
    try:
        return hashlib.sha256(gzip.decompress(data)).hexdigest() == sha256
    except (gzip.BadGzipFile, zlib.error, EOFError):
        return False


def _batches(names: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(names), BATCH):
        yield names[start : start + BATCH]
