"""Pack the blobs of closed board sets, in the order in which the sets were closed."""

from __future__ import annotations

import datetime
import logging
import time
from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from django.utils import timezone

from arena.common.blob_storages import BlobsUnavailable
from arena.common.models import Blob, PackProgress
from arena.common.packing import packs_tidy, packs_write
from arena.common.packs import chunks
from arena.matches.models import BoardSet, Table, TableSeat
from arena.mounts import FEATURES

log = logging.getLogger(__name__)

COLUMNS = ("record_sha256", "view_sha256", "timings_sha256")
PASSES_H = (1, 48, 720)
"""Hours after the end of a board set in which its blobs are packed, later those of late views and reruns."""
SETS_PER_QUERY, MAX_SETS = 100, 20_000
MIN_BLOBS, MAX_BLOBS = 600, 3000
"""Blobs of all kinds that are packed together; fewer wait, up to ``MAX_WAIT`` or for ``MAX_SETS``."""
MAX_WAIT = datetime.timedelta(days=7)
SECONDS_PER_RUN = 120.0
TIDY_SECONDS_PER_RUN = 60.0


class Batch(NamedTuple):
    """Board sets that are packed together."""

    hashes_by_kind: dict[str, list[str]]
    closed_seq: int
    """Of the last set."""
    is_due: bool


def blobs_pack(max_s: float = SECONDS_PER_RUN) -> int:
    """Write packs until nothing is due or the time is over, then tidy; return the number written.

    Safe to run concurrently and to repeat: after a crash, the next run finds what is not packed.
    """
    deadline = time.monotonic() + max_s
    written = 0
    try:
        for delay_hours in PASSES_H:
            while time.monotonic() < deadline:
                progress, _ = PackProgress.objects.get_or_create(delay_hours=delay_hours)
                batch = _next_batch(progress)
                if batch is None or not batch.is_due:
                    break
                written += sum(packs_write(kind, hashes) for kind, hashes in batch.hashes_by_kind.items())
                progress.closed_seq = batch.closed_seq
                progress.save(update_fields=["closed_seq"])
        packs_tidy(TIDY_SECONDS_PER_RUN)
    except BlobsUnavailable as error:
        log.warning("packs: %s", error.message)
    return written


def _next_batch(progress: PackProgress) -> Batch | None:
    """Return the next board sets of a pass, or None at its end."""
    before = timezone.now() - datetime.timedelta(hours=progress.delay_hours)
    closed = BoardSet.objects.filter(closed_seq__isnull=False, closed_at__lt=before).order_by("closed_seq")
    hashes_by_kind: defaultdict[str, list[str]] = defaultdict(list)
    sets, count, last, oldest = 0, 0, progress.closed_seq, before
    while sets < MAX_SETS and count < MAX_BLOBS:
        rows = list(
            closed.filter(closed_seq__gt=last).values_list("pk", "closed_seq", "closed_at")[:SETS_PER_QUERY]
        )
        if not rows:
            break
        sets += len(rows)
        last = rows[-1][1] or last
        loose = _loose_blobs([pk for pk, _, _ in rows])
        for kind, hashes in loose.items():
            hashes_by_kind[kind] += hashes
            count += len(hashes)
        if loose:
            oldest = min(oldest, *(closed_at for _, _, closed_at in rows if closed_at))
    if last == progress.closed_seq:
        return None
    is_due = not count or count >= MIN_BLOBS or sets >= MAX_SETS or before - oldest > MAX_WAIT
    return Batch(hashes_by_kind, last, is_due)


def _loose_blobs(board_sets: Collection[int]) -> dict[str, list[str]]:
    """Return the blobs with files of their own, by kind, in the order of tables."""
    tables = Table.objects.filter(fixture__board_set__in=board_sets)
    seats = TableSeat.objects.filter(table__fixture__board_set__in=board_sets).exclude(log_sha256="")
    hashes = [
        *(sha256 for row in tables.order_by("pk").values_list(*COLUMNS) for sha256 in row if sha256),
        *seats.order_by("table", "seat").values_list("log_sha256", flat=True),
        *(sha256 for feature in FEATURES for sha256 in feature.set_blobs(board_sets)),
    ]
    kinds: dict[str, str] = {}
    for chunk in chunks(hashes):
        blobs = Blob.objects.filter(sha256__in=chunk, pack=None, lost=None)
        kinds.update(blobs.values_list("sha256", "kind"))
    by_kind: defaultdict[str, list[str]] = defaultdict(list)
    for sha256 in dict.fromkeys(hashes):
        if sha256 in kinds:
            by_kind[kinds[sha256]].append(sha256)
    return by_kind
