"""Bytes a table leaves behind, held until its report says what they are."""

from __future__ import annotations

import hashlib

from arena.common.blobs import blob_put
from arena.common.models import Blob
from referee.contract import TableReport


class Shelf:
    """Takes what the referee keeps; only what a report names is stored."""

    def __init__(self) -> None:
        self._held: dict[str, bytes] = {}

    def keep(self, data: bytes) -> str:
        """Hold some bytes; returns their SHA-256 in hex."""
        sha256 = hashlib.sha256(data).hexdigest()
        self._held[sha256] = data
        return sha256

    def store(self, report: TableReport) -> None:
        """Put record, timings and logs of a report among the blobs. Raises KeyError for one never kept."""
        named = [(report.record_sha256, Blob.Kind.RECORD), (report.timings_sha256, Blob.Kind.TIMINGS)]
        named += [(seat.log_sha256, Blob.Kind.LOG) for seat in report.seats]
        for sha256, kind in named:
            if sha256 is not None:
                blob_put(self._held[sha256], kind)
