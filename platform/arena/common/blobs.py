"""Bytes addressed by their hash in Django's storage API: immutable, verified when read, and gzipped."""

from __future__ import annotations

import contextlib
import datetime
import errno
import gzip
import hashlib
import logging
import zlib
from collections.abc import Iterable

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.db import transaction
from django.db.models import Count

from arena.common.blob_cache import blob_cache_of
from arena.common.blob_storages import BlobStorage, BlobsUnavailable
from arena.common.causes import Cause
from arena.common.errors import NotFound
from arena.common.models import Blob, LostBlob, ScrubProgress
from arena.common.packs import blob_path as blob_path
from arena.common.packs import packed_bytes, packs_outdate

log = logging.getLogger(__name__)

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
    rows = list(Blob.objects.filter(sha256__in=by_hash).values_list("sha256", "lost__problem", "pack"))
    # A file without a row, or of a packed blob, may be swept soon or incomplete, so it is written again.
    intact = {
        sha256
        for sha256, problem, pack in rows
        if problem is None and pack is None and store.exists(blob_path(sha256))
    }
    files = {sha256: ContentFile(compress(data)) for sha256, data in by_hash.items() if sha256 not in intact}
    damaged = {sha256 for sha256, problem, _ in rows if problem is not None}
    if any(pack for sha256, _, pack in rows if sha256 in damaged):
        _unpack(damaged)
    if isinstance(store, BlobStorage):
        store.save_all({blob_path(sha256): files[sha256] for sha256 in damaged})
        store.add_all({blob_path(sha256): file for sha256, file in files.items() if sha256 not in damaged})
    else:
        for sha256, file in files.items():
            store.delete(blob_path(sha256))
            store.save(blob_path(sha256), file)
    if damaged:
        LostBlob.objects.filter(blob__in=damaged).delete()
    return hashes


def _unpack(sha256s: Iterable[str]) -> None:
    """Let lost blobs have files of their own again."""
    with transaction.atomic():
        # The locks wait for a task that deletes such files.
        rows = Blob.objects.select_for_update().filter(sha256__in=sha256s).order_by("sha256")
        packs_outdate(rows.values_list("pack", flat=True))
        rows.update(pack=None, pack_offset=None, pack_length=None)


def compress(data: bytes) -> bytes:
    """Return bytes as stored. Deterministic: the gzip header has no timestamp."""
    return gzip.compress(data, compresslevel=6 if len(data) <= _THOROUGH_COMPRESSION_BYTES else 1, mtime=0)


def blob_register(sha256: str, kind: str, size: int) -> None:
    """Register written bytes as a blob, in the transaction that first refers to them."""
    blobs_register([(sha256, kind, size)])


def blobs_register(rows: Iterable[tuple[str, str, int]]) -> None:
    """Register written bytes as blobs, by hash, kind and size; known ones stay as they are. One statement."""
    by_hash = {sha256: Blob(sha256=sha256, kind=kind, size=size) for sha256, kind, size in rows}
    # In one order, so that two transactions that register the same bytes cannot deadlock.
    Blob.objects.bulk_create([by_hash[sha256] for sha256 in sorted(by_hash)], ignore_conflicts=True)


def blob_put(data: bytes, kind: str) -> str:
    """Store and register bytes; return their SHA-256 in hex. Idempotent."""
    sha256 = blob_write(data)
    blob_register(sha256, kind, len(data))
    return sha256


def blob_get(sha256: str, *, is_cached: bool = True) -> bytes:
    """Return the bytes with this hash. Raises BlobMissing, BlobDamaged, BlobsUnavailable.

    With ``is_cached`` they may come from the cache of this machine, after they were compared with the hash.
    """
    cache = blob_cache_of(storages["blobs"]) if is_cached else None
    if cache is not None and (copy := cache.get(sha256)) is not None:
        with contextlib.suppress(BlobDamaged):
            return verified(sha256, copy)
        cache.remove(sha256)
    stored = stored_bytes(sha256)
    data = verified(sha256, stored)
    if cache is not None:
        cache.put(sha256, stored)
    return data


def stored_bytes(sha256: str) -> bytes:
    """Return the compressed bytes as stored. Raises as ``blob_get``."""
    store = storages["blobs"]
    # A query takes far less time than a request for a file that was packed, and more than opening a file.
    readers = [_loose_bytes, packed_bytes]
    if isinstance(store, BlobStorage) and store.is_remote:
        readers.reverse()
    try:
        for read in readers:
            if (stored := read(sha256)) is not None:
                return stored
    except OSError as error:
        if error.errno == errno.EIO:  # a bad sector
            raise BlobDamaged(f"Blob {_short(sha256)} is damaged: {error.strerror}.") from error
        raise BlobsUnavailable(error.strerror or str(error)) from error
    raise BlobMissing(f"Blob {_short(sha256)} is missing.", "blob_missing")


def _loose_bytes(sha256: str) -> bytes | None:
    try:
        with storages["blobs"].open(blob_path(sha256), "rb") as file:
            return bytes(file.read())
    except FileNotFoundError:
        return None


def verified(sha256: str, stored: bytes) -> bytes:
    """Return the bytes that were compressed. Raises BlobDamaged unless they have this hash."""
    try:
        data = gzip.decompress(stored)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise BlobDamaged(f"Blob {_short(sha256)} is damaged: {error}.") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise BlobDamaged(f"Blob {_short(sha256)} is damaged: the stored bytes have another hash.")
    return data


def _short(sha256: str) -> str:
    return f"{sha256[:12]}…"


def blobs_verify(sha256s: Iterable[str]) -> dict[str, LostBlob.Problem]:
    """Read these blobs, record missing and damaged ones, and return them. Raises BlobsUnavailable.

    Intact ones are removed from the known problems in one statement, also if the storage fails on the way.
    """
    problems: dict[str, LostBlob.Problem] = {}
    intact: list[str] = []
    try:
        for sha256 in sha256s:
            try:
                blob_get(sha256, is_cached=False)
            except (BlobMissing, BlobDamaged) as error:
                # A blob without a row was deleted on purpose.
                if lost_blob_record(sha256, error):
                    problems[sha256] = error.problem
            else:
                intact.append(sha256)
    finally:
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
    """Raise BlobsUnavailable if the storage is empty, as when a disk is not mounted."""
    if isinstance(store, BlobStorage) and store.is_empty():
        raise BlobsUnavailable("it is empty", f"Check {store.place}.")
