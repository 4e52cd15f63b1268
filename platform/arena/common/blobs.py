"""Bytes by hash behind Django's storage API: written once, verified when read, gzip at rest."""

from __future__ import annotations

import contextlib
import datetime
import gzip
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, storages
from django.utils import timezone

from arena.common.causes import Cause
from arena.common.errors import NotFound
from arena.common.models import Blob

_THOROUGH_BYTES = 2 << 20
"""Larger blobs are compressed quickly: thoroughly, some take 0.2 s of CPU a MiB, and strangers send 32."""


class BlobDamaged(Exception):
    """Stored bytes do not have their hash any more: a fault of ours, never a bot's."""

    platform_cause = Cause.BUNDLE.value


class BlobMissing(NotFound):
    """No bytes of this hash are stored."""

    platform_cause = Cause.BUNDLE.value


def blob_path(sha256: str) -> str:
    """Where in the blob storage the bytes of this hash lie."""
    return f"{sha256[:2]}/{sha256[2:4]}/{sha256}.gz"


def blob_write(data: bytes) -> str:
    """Put bytes into the store without counting them as ours yet; returns their SHA-256 in hex.

    They become a blob by ``blob_note``; those that never do are removed by ``blobs_sweep``.
    """
    sha256 = hashlib.sha256(data).hexdigest()
    store = storages["blobs"]
    # What lies there without a row may be about to be swept, so it is written again.
    if not (Blob.objects.filter(sha256=sha256).exists() and store.exists(blob_path(sha256))):
        # mtime 0, so that equal bytes are equal files wherever they were made.
        level = 6 if len(data) <= _THOROUGH_BYTES else 1
        store.save(blob_path(sha256), ContentFile(gzip.compress(data, compresslevel=level, mtime=0)))
    return sha256


def blob_note(sha256: str, kind: str, size: int) -> None:
    """Count bytes that were written as a blob: in the transaction that first refers to them."""
    Blob.objects.get_or_create(sha256=sha256, defaults={"kind": kind, "size": size})


def blob_put(data: bytes, kind: str) -> str:
    """Store bytes and return their SHA-256 in hex. Storing the same bytes again is harmless."""
    sha256 = blob_write(data)
    blob_note(sha256, kind, len(data))
    return sha256


def blobs_sweep(older_than_s: float = 3600.0) -> list[str]:
    """Remove files that no row counts as a blob, such as those of a worker killed before its report was
    accepted; returns their names. Costs a look at every file.

    Younger ones stay: whoever wrote them may be about to note them.
    """
    store = storages["blobs"]
    before = timezone.now() - datetime.timedelta(seconds=older_than_s)
    removed = []
    for folder in blob_folders(""):
        names = store.listdir(folder)[1]
        hashes = {name: name.removesuffix(".gz") for name in names}
        known = set(Blob.objects.filter(sha256__in=hashes.values()).values_list("sha256", flat=True))
        for name in names:
            path = f"{folder}/{name}"
            if hashes[name] in known:
                continue
            with contextlib.suppress(FileNotFoundError):
                if store.get_modified_time(path) < before:
                    store.delete(path)
                    removed.append(path)
    return removed


def blob_folders(top: str, depth: int = 2) -> Iterator[str]:
    """The folders in which blobs lie: two levels of two hex digits."""
    if depth == 0:
        yield top
        return
    try:
        names = storages["blobs"].listdir(top)[0]
    except FileNotFoundError:
        return
    for name in sorted(names):
        yield from blob_folders(f"{top}/{name}" if top else name, depth - 1)


def blob_get(sha256: str) -> bytes:
    """The bytes of this hash.

    Raises:
        BlobMissing: no such blob.
        BlobDamaged: the storage gave other bytes.
    """
    store = storages["blobs"]
    try:
        with store.open(blob_path(sha256), "rb") as file:
            data = gzip.decompress(file.read())
    except FileNotFoundError:
        raise BlobMissing(f"No blob {sha256[:12]}… is stored.", "blob_missing") from None
    except (OSError, EOFError) as error:
        raise BlobDamaged(f"blob {sha256}: {error}") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise BlobDamaged(f"blob {sha256}: the stored bytes have another hash")
    return data


WRITING = ".writing-"
"""How the names of files begin that are being written."""


class WholeFileStorage(FileSystemStorage):
    """Django's folder of files, but each appears under its name complete, in place of what was there."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """The very name: who writes it again writes the same bytes, or heals what was damaged."""
        return name

    def _save(self, name: str, content: File[bytes]) -> str:
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        fd, aside = tempfile.mkstemp(prefix=WRITING, dir=path.parent)
        try:
            with os.fdopen(fd, "wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
            Path(aside).chmod(self.file_permissions_mode or 0o600)
            Path(aside).replace(path)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise
        return name
