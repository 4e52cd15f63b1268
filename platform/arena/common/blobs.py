"""Bytes addressed by their hash in Django's storage API: immutable, verified when read, and gzipped."""

from __future__ import annotations

import datetime
import errno
import gzip
import hashlib
import logging
import os
import zlib
from collections.abc import Iterable, Mapping

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.db.models import Count

from arena.common.blob_storages import AtomicFileStorage
from arena.common.causes import Cause
from arena.common.errors import NotFound, Unavailable
from arena.common.models import Blob, LostBlob, ScrubProgress

log = logging.getLogger(__name__)

_STORAGE_RETRY_S = 30
"""Seconds after which callers may retry."""
_THOROUGH_COMPRESSION_BYTES = 2 << 20
"""Maximum bytes compressed at the default level, which may take 0.2 s of CPU per MiB."""


class BlobDamaged(NotFound):
    """The stored bytes do not match their hash: a platform fault, never a bot's."""

    platform_cause = Cause.BUNDLE.value
    problem = LostBlob.Problem.DAMAGED

    def __init__(self, message: str) -> None:
        super().__init__(message, "blob_damaged")


class BlobMissing(NotFound):
    """No bytes with this hash are stored."""

    platform_cause = Cause.BUNDLE.value
    problem = LostBlob.Problem.MISSING


class BlobsUnavailable(Unavailable):
    """The blob storage cannot be read now. Implies nothing about single blobs."""

    platform_cause = Cause.STORE.value

    def __init__(self, reason: str) -> None:
        super().__init__(f"The blob storage cannot be read: {reason}.", "blobs_unavailable", _STORAGE_RETRY_S)


def blob_path(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256[2:4]}/{sha256}.gz"


def blob_write(data: bytes) -> str:
    return blobs_write([data])[0]


def blobs_write(items: Iterable[bytes]) -> list[str]:
    """Store bytes without registering them; return the SHA-256 of each in hex, in order.

    On return the bytes are durable, so a row may refer to them. ``blobs_sweep`` removes those that
    ``blob_register`` did not make blobs. One query. Call it outside a transaction, as syncing takes
    milliseconds.
    """
    datas = list(items)
    hashes = [hashlib.sha256(data).hexdigest() for data in datas]
    by_hash = dict(zip(hashes, datas, strict=True))
    store = storages["blobs"]
    problems = dict(Blob.objects.filter(sha256__in=by_hash).values_list("sha256", "lost__problem"))
    # A file without a row may be swept soon or incomplete, so it is written again.
    intact = {
        sha256 for sha256, problem in problems.items() if problem is None and store.exists(blob_path(sha256))
    }
    files_save(
        {blob_path(sha256): compress(data) for sha256, data in by_hash.items() if sha256 not in intact}
    )
    if any(problems.values()):
        LostBlob.objects.filter(blob__in=by_hash).delete()
    return hashes


def compress(data: bytes) -> bytes:
    """Return bytes as stored. Deterministic: the gzip header has no timestamp."""
    return gzip.compress(data, compresslevel=6 if len(data) <= _THOROUGH_COMPRESSION_BYTES else 1, mtime=0)


def files_save(files: Mapping[str, bytes]) -> None:
    """Write files by name into the blob storage, replacing existing ones."""
    store = storages["blobs"]
    if isinstance(store, AtomicFileStorage):
        store.save_all({name: ContentFile(data) for name, data in files.items()})
        return
    for name, data in files.items():  # an object storage acknowledges what it has stored durably
        if store.exists(name):
            store.delete(name)
        store.save(name, ContentFile(data))


def blob_register(sha256: str, kind: str, size: int) -> None:
    """Register written bytes as a blob, in the transaction that first refers to them."""
    Blob.objects.get_or_create(sha256=sha256, defaults={"kind": kind, "size": size})


def blob_put(data: bytes, kind: str) -> str:
    """Store and register bytes; return their SHA-256 in hex. Idempotent."""
    sha256 = blob_write(data)
    blob_register(sha256, kind, len(data))
    return sha256


def blob_get(sha256: str) -> bytes:
    """Return the bytes with this hash. Raises BlobMissing, BlobDamaged, BlobsUnavailable."""
    store = storages["blobs"]
    name = f"{sha256[:12]}…"
    try:
        with store.open(blob_path(sha256), "rb") as file:
            data = gzip.decompress(file.read())
    except FileNotFoundError:
        raise BlobMissing(f"Blob {name} is missing.", "blob_missing") from None
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise BlobDamaged(f"Blob {name} is damaged: {error}.") from error
    except OSError as error:
        if error.errno == errno.EIO:  # a bad sector
            raise BlobDamaged(f"Blob {name} is damaged: {error.strerror}.") from error
        raise BlobsUnavailable(error.strerror or str(error)) from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise BlobDamaged(f"Blob {name} is damaged: the stored bytes have another hash.")
    return data


def blobs_verify(sha256s: Iterable[str]) -> dict[str, LostBlob.Problem]:
    """Read these blobs, record missing and damaged ones, and return them. Raises BlobsUnavailable."""
    problems: dict[str, LostBlob.Problem] = {}
    intact: list[str] = []
    for sha256 in sha256s:
        try:
            blob_get(sha256)
        except (BlobMissing, BlobDamaged) as error:
            # A blob without a row was deleted on purpose.
            if lost_blob_record(sha256, error):
                problems[sha256] = error.problem
        else:
            intact.append(sha256)
    LostBlob.objects.filter(blob__in=intact).delete()
    return problems


def lost_blob_record(sha256: str, error: BlobMissing | BlobDamaged) -> bool:
    """Record that a blob is missing or damaged; False if it was deleted. Raises BlobsUnavailable."""
    _require_storage(storages["blobs"])
    blob = Blob.objects.filter(sha256=sha256).first()
    if blob is None:
        return False
    _, is_new = LostBlob.objects.update_or_create(blob=blob, defaults={"problem": error.problem})
    if is_new:
        log.error("%s %s is %s: manage.py blobs_check names the remedy", blob.kind, sha256, error.problem)
    return True


def lost_blob_counts() -> dict[str, int]:
    """Return the number of blobs by known problem, including zeros. One query."""
    rows = LostBlob.objects.values_list("problem").annotate(count=Count("pk")).order_by()
    return {**dict.fromkeys(LostBlob.Problem.values, 0), **dict(rows)}


def blobs_verified_at() -> datetime.datetime | None:
    """Return when the last pass over all blobs ended. One query."""
    return ScrubProgress.objects.values_list("completed_at", flat=True).first()


def _require_storage(store: Storage) -> None:
    """Raise BlobsUnavailable if the folder is missing or empty, as when a disk is not mounted."""
    if isinstance(store, AtomicFileStorage):
        try:
            is_empty = not any(os.scandir(store.location))
        except OSError as error:
            raise BlobsUnavailable(error.strerror or str(error)) from error
        if is_empty:
            raise BlobsUnavailable(f"{store.location} is empty")
