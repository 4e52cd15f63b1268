"""Write packs, delete the files that they replace, and rewrite packs without their deleted blobs.

Each step is safe to repeat and leaves every blob readable: the file is durable before rows refer to it, and
files without a reference are deleted an hour later, for readers that found the earlier location.
"""

from __future__ import annotations

import datetime
import hashlib
import logging
import secrets
import time
from collections.abc import Callable, Iterator, Sequence

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import transaction
from django.utils import timezone

from arena.common.blob_holds import deletions_paused
from arena.common.blob_storages import BlobStorage
from arena.common.blobs import BlobDamaged, BlobMissing, lost_blob_record, stored_bytes, verified
from arena.common.models import Blob, Pack
from arena.common.packs import blob_path, pack_path, packs_outdate

log = logging.getLogger(__name__)

MAX_MEMBERS = 1000
MAX_BYTES = 64 << 20
"""Maximum bytes of a pack, except for a single larger blob."""
DELETION_DELAY_S = 3600
"""Seconds after which files are deleted that no row refers to any more."""
PREFETCH = 32
"""Files that are read together from a remote storage."""
PACKS_PER_RUN = 500
EXPIRING_KINDS = (Blob.Kind.LOG, Blob.Kind.TIMINGS)
"""Kinds whose blobs are deleted by their age."""
PACKED_COLUMNS = ("pack", "pack_offset", "pack_length", "size", "created_at")
HEADER = b"rensho-pack/1 %s\n"
"""Start of each pack. A random number makes the hash unique: no deleted name is ever written again."""


def packs_write(kind: str, hashes: Sequence[str]) -> int:
    """Pack these blobs in their order and return the number of packs.

    Lost blobs are recorded and left out. Call it outside of transactions. Raises BlobsUnavailable.
    """
    written = 0
    draft = _Draft(kind)
    for sha256, stored in _intact(hashes):
        if draft.is_full(len(stored)):
            draft.save()
            written += 1
            draft = _Draft(kind)
        draft.add(sha256, stored)
    if draft.locations:
        draft.save()
        written += 1
    return written


class _Draft:
    """A pack in memory."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.content = bytearray(HEADER % secrets.token_hex(16).encode())
        self.locations: dict[str, tuple[int, int]] = {}
        """Offset and length by hash."""

    def is_full(self, size: int) -> bool:
        return len(self.locations) == MAX_MEMBERS or (
            bool(self.locations) and len(self.content) + size > MAX_BYTES
        )

    def add(self, sha256: str, stored: bytes) -> None:
        self.locations[sha256] = len(self.content), len(stored)
        self.content += stored

    def save(self) -> None:
        sha256 = hashlib.sha256(self.content).hexdigest()
        _store().save_all({pack_path(sha256): ContentFile(bytes(self.content))})
        with transaction.atomic():
            pack = Pack.objects.create(
                sha256=sha256,
                kind=self.kind,
                size=len(self.content),
                members=len(self.locations),
                state_at=timezone.now(),
            )
            rows = list(Blob.objects.select_for_update().filter(sha256__in=self.locations).order_by("sha256"))
            packs_outdate({row.pack_id for row in rows})
            for row in rows:
                row.pack, row.size = pack, None
                if row.kind not in EXPIRING_KINDS:
                    row.created_at = None
                row.pack_offset, row.pack_length = self.locations[row.sha256]
            Blob.objects.bulk_update(rows, PACKED_COLUMNS, batch_size=200)
            if len(rows) < len(self.locations):  # some were deleted in the meantime
                packs_outdate([pack.pk])


def _intact(hashes: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the compressed bytes of blobs by hash; record those that are missing or damaged."""
    store = _store()
    for start in range(0, len(hashes), PREFETCH):
        chunk = hashes[start : start + PREFETCH]
        fetched = store.read_all(map(blob_path, chunk)) if store.is_remote else {}
        for sha256 in chunk:
            try:
                stored = fetched.pop(blob_path(sha256), None) or stored_bytes(sha256)
                verified(sha256, stored)
            except (BlobMissing, BlobDamaged) as error:
                lost_blob_record(sha256, error)
            else:
                yield sha256, stored


def packs_tidy(max_s: float) -> None:
    """Delete and rewrite what is due. Raises BlobsUnavailable."""
    deadline = time.monotonic() + max_s
    steps: tuple[tuple[Pack.State, float, Callable[[Pack], bool]], ...] = (
        (Pack.State.STALE, 0, _rewrite),
        (Pack.State.NEW, DELETION_DELAY_S, _loose_files_delete),
        (Pack.State.EMPTY, DELETION_DELAY_S, _empty_delete),
    )
    for state, delay_s, step in steps:
        until = timezone.now() - datetime.timedelta(seconds=delay_s)
        due = Pack.objects.filter(state=state, state_at__lte=until).order_by("state_at", "pk")
        for pack in due[:PACKS_PER_RUN]:
            if time.monotonic() >= deadline or not step(pack):
                break


def _rewrite(pack: Pack) -> bool:
    """Move the blobs that rows still refer to into another pack."""
    packs_write(pack.kind, list(pack.blobs.order_by("pack_offset").values_list("sha256", flat=True)))
    if pack.blobs.exists():
        if not _store().exists(pack_path(pack.sha256)):
            Pack.objects.filter(pk=pack.pk).update(state_at=timezone.now())
            log.warning("pack %s is missing: manage.py blobs_check names the remedy", pack.sha256)
            return True
        # Damaged bytes must not keep deleted ones.
        pack.blobs.update(pack=None, pack_offset=None, pack_length=None)
    Pack.objects.filter(pk=pack.pk, blobs=None).update(state=Pack.State.EMPTY, state_at=timezone.now())
    return True


def _loose_files_delete(pack: Pack) -> bool:
    """Delete the files that the blobs had before they were packed; False if deletions are on hold."""
    with transaction.atomic():
        # The locks keep blobs_write from storing one again in the meantime.
        hashes = list(pack.blobs.select_for_update().order_by("sha256").values_list("sha256", flat=True))
        if deletions_paused():
            return False
        _store().delete_all(map(blob_path, hashes))
        Pack.objects.filter(pk=pack.pk, state=Pack.State.NEW).update(
            state=Pack.State.READY, state_at=timezone.now()
        )
    return True


def _empty_delete(pack: Pack) -> bool:
    """Delete a pack; False if deletions are on hold."""
    if deletions_paused():
        return False
    if not pack.blobs.exists():
        _store().delete(pack_path(pack.sha256))
        Pack.objects.filter(pk=pack.pk, blobs=None).delete()
    return True


def _store() -> BlobStorage:
    store = storages["blobs"]
    assert isinstance(store, BlobStorage)
    return store
