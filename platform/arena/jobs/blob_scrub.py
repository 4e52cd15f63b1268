"""Scrub stored blobs: each tick reads some of them and records which are missing or damaged."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator

from django.utils import timezone

from arena.common.blob_storages import BlobsUnavailable
from arena.common.blobs import blobs_verify
from arena.common.models import Blob, ScrubProgress

log = logging.getLogger(__name__)

BLOBS_PER_TICK = 20
"""Maximum blobs per tick, 170,000 a day."""
SECONDS_PER_TICK = 0.25
"""Maximum seconds per tick; at least one blob is read."""


def blobs_scrub() -> int:
    """Read the next blobs in the order of their hashes, unless the storage fails; return the number."""
    scrub, _ = ScrubProgress.objects.get_or_create(pk=1)
    hashes = list(
        Blob.objects.filter(sha256__gt=scrub.last_sha256)
        .order_by("sha256")
        .values_list("sha256", flat=True)[:BLOBS_PER_TICK]
    )
    read = 0

    def next_hashes() -> Iterator[str]:
        """Yield hashes until the deadline; each counts once the following one is requested."""
        nonlocal read
        deadline = time.monotonic() + SECONDS_PER_TICK
        for sha256 in hashes:
            yield sha256
            read += 1
            scrub.last_sha256 = sha256
            if time.monotonic() > deadline:
                return

    try:
        blobs_verify(next_hashes())
    except BlobsUnavailable as error:
        log.warning("scrub: %s", error.message)
    if read == len(hashes) < BLOBS_PER_TICK:
        scrub.last_sha256, scrub.completed_at = "", timezone.now()
    scrub.save()
    return read
