"""Delete blobs that results do not depend on, some days after they were last stored."""

from __future__ import annotations

import datetime
import time
from collections.abc import Collection

from django.utils import timezone

from arena.common.blobs import blob_get
from arena.common.errors import NotFound
from arena.common.models import Blob
from arena.common.packs import blobs_delete

RENEWAL_INTERVAL = datetime.timedelta(days=1)
"""A blob that is stored again within this time keeps its date."""
AT_ONCE = 1000


def blobs_renew(hashes: Collection[str]) -> None:
    """Date registered blobs from now, as tables may share bytes. At most one statement."""
    if hashes:
        now = timezone.now()
        Blob.objects.filter(sha256__in=hashes, created_at__lt=now - RENEWAL_INTERVAL).update(created_at=now)


def blobs_expire(kind: Blob.Kind, days: int, max_s: float) -> int:
    """Delete the rows of blobs of a kind after ``days``, the oldest first; return how many.

    Stops after ``max_s`` seconds.
    """
    before = timezone.now() - datetime.timedelta(days=days)
    until = time.monotonic() + max_s
    old = Blob.objects.filter(kind=kind, created_at__lt=before).order_by("created_at")
    deleted = 0
    while time.monotonic() < until and (hashes := list(old.values_list("sha256", flat=True)[:AT_ONCE])):
        deleted += blobs_delete(Blob.objects.filter(sha256__in=hashes))
    return deleted


def expiring_blob_get(sha256: str) -> bytes:
    """Return the bytes with this hash. Raises NotFound ``blob_expired`` if its row was deleted."""
    if not Blob.objects.filter(sha256=sha256).exists():
        raise NotFound(
            "This file was deleted: the site keeps files of this kind for a limited time.", "blob_expired"
        )
    return blob_get(sha256)
