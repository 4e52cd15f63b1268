"""Packs: files with many blobs of one kind, each compressed by itself, so that one ranged read fetches it.

A blob's row has its location. Packs are written, rewritten and deleted by ``arena.common.packing``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from django.core.files.storage import Storage, storages
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from arena.common.blob_storages import BlobStorage
from arena.common.models import Blob, Pack

PACKS = "packs"
"""Folder of packs in the storage."""
AT_ONCE = 1000
"""Rows per query."""


def blob_path(sha256: str) -> str:
    """Return the storage name of a blob with a file of its own."""
    return f"{sha256[:2]}/{sha256[2:4]}/{sha256}.gz"


def pack_path(sha256: str) -> str:
    return f"{PACKS}/{sha256[:2]}/{sha256}.pack"


def packed_bytes(sha256: str) -> bytes | None:
    """Return the compressed bytes of a packed blob; None if it is not packed or its pack is missing.

    One query, and another if the pack was replaced in the meantime. Raises OSError, BlobsUnavailable.
    """
    locations = Blob.objects.filter(sha256=sha256, pack__isnull=False).values_list(
        "pack__sha256", "pack_offset", "pack_length"
    )
    before = None
    while (location := locations.first()) is not None and location != before:
        pack, offset, length = location
        assert offset is not None, "a constraint"
        assert length is not None, "a constraint"
        try:
            return _range(storages["blobs"], pack_path(pack), offset, length)
        except FileNotFoundError:
            before = location
    return None


def _range(store: Storage, name: str, offset: int, length: int) -> bytes:
    if isinstance(store, BlobStorage):
        return store.read_range(name, offset, length)
    with store.open(name, "rb") as file:
        file.seek(offset)
        return bytes(file.read(length))


def blobs_delete(blobs: QuerySet[Blob]) -> int:
    """Delete these blobs' rows and return their number. All deletions of blobs go through this function.

    Their files are deleted later (``arena.common.blob_sweep``); packs that contain them are rewritten within
    hours (``arena.common.packing``).
    """
    hashes = list(blobs.order_by().values_list("sha256", flat=True))
    deleted = 0
    for chunk in chunks(hashes):
        with transaction.atomic():
            # The locks wait for a task that is packing them.
            rows = Blob.objects.select_for_update().filter(sha256__in=chunk).order_by("sha256")
            packs = dict(rows.values_list("sha256", "pack"))
            packs_outdate(packs.values())
            deleted += Blob.objects.filter(sha256__in=packs).delete()[1].get(Blob._meta.label, 0)
    return deleted


def packs_outdate(packs: Iterable[int | None]) -> None:
    """Record that these packs, by primary key, contain bytes that no row refers to."""
    keys = [pack for pack in packs if pack is not None]
    if keys:
        Pack.objects.filter(pk__in=keys, state__in=(Pack.State.NEW, Pack.State.READY)).update(
            state=Pack.State.STALE, state_at=timezone.now()
        )


def storage_names(using: str = "default") -> Iterator[str]:
    """Yield the storage name of each file that rows refer to, sorted. Reads the rows in chunks."""
    loose = Blob.objects.using(using).filter(pack=None).order_by("sha256")
    yield from map(blob_path, loose.values_list("sha256", flat=True).iterator(AT_ONCE))
    packs = Pack.objects.using(using).exclude(state=Pack.State.EMPTY).order_by("sha256")
    yield from map(pack_path, packs.values_list("sha256", flat=True).iterator(AT_ONCE))


def blobs_in_file(name: str) -> list[str]:
    """Return the hashes of the blobs whose rows refer to a file, by its storage name."""
    sha256 = name.rpartition("/")[2].partition(".")[0]
    is_in_pack = Q(pack__sha256=sha256) if name == pack_path(sha256) else Q(sha256=sha256, pack=None)
    return list(Blob.objects.filter(is_in_pack).order_by("sha256").values_list("sha256", flat=True))


def known_names(names: Iterable[str]) -> set[str]:
    """Return the names of files to which rows refer. Two queries; pass a bounded number of names.

    The files of packed blobs are known until ``arena.common.packing`` has deleted them.
    """
    loose: dict[str, str] = {}
    packs: dict[str, str] = {}
    for name in names:
        sha256 = name.rpartition("/")[2].partition(".")[0]
        if name == blob_path(sha256):
            loose[sha256] = name
        elif name == pack_path(sha256):
            packs[sha256] = name
    blobs = Blob.objects.filter(Q(pack=None) | Q(pack__state=Pack.State.NEW), sha256__in=loose)
    known = {loose[sha256] for sha256 in blobs.values_list("sha256", flat=True)}
    if packs:
        rows = Pack.objects.filter(sha256__in=packs)
        known |= {packs[sha256] for sha256 in rows.values_list("sha256", flat=True)}
    return known


def chunks(hashes: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield parts of at most ``AT_ONCE`` for one query each."""
    for start in range(0, len(hashes), AT_ONCE):
        yield hashes[start : start + AT_ONCE]
