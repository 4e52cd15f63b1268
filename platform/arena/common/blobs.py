"""Bytes by hash behind Django's storage API: written once, verified when read, gzip at rest."""

from __future__ import annotations

import gzip
import hashlib

from django.core.files.base import ContentFile
from django.core.files.storage import storages

from arena.common.errors import NotFound
from arena.common.models import Blob


class BlobDamaged(Exception):
    """Stored bytes do not have their hash any more: a fault of ours, never a bot's."""


def _path(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256[2:4]}/{sha256}.gz"


def blob_put(data: bytes, kind: str) -> str:
    """Store bytes and return their SHA-256 in hex. Storing the same bytes again is harmless."""
    sha256 = hashlib.sha256(data).hexdigest()
    store = storages["blobs"]
    if not store.exists(_path(sha256)):
        # mtime 0, so that equal bytes are equal files wherever they were made.
        name = store.save(_path(sha256), ContentFile(gzip.compress(data, compresslevel=6, mtime=0)))
        if name != _path(sha256):
            store.delete(name)  # another writer was first; the storage chose a second name for us
    Blob.objects.get_or_create(sha256=sha256, defaults={"kind": kind, "size": len(data)})
    return sha256


def blob_get(sha256: str) -> bytes:
    """The bytes of this hash.

    Raises:
        NotFound: no such blob.
        BlobDamaged: the storage gave other bytes.
    """
    store = storages["blobs"]
    try:
        with store.open(_path(sha256), "rb") as file:
            data = gzip.decompress(file.read())
    except FileNotFoundError:
        raise NotFound(f"No blob {sha256[:12]}… is stored.", "blob_missing") from None
    except (OSError, EOFError) as error:
        raise BlobDamaged(f"blob {sha256}: {error}") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise BlobDamaged(f"blob {sha256}: the stored bytes have another hash")
    return data
