"""Artifacts of a table (record, timings, logs), in memory until its report says which of them are stored."""

from __future__ import annotations

import hashlib

from arena.common.blobs import blob_note, blob_write
from arena.common.models import Blob
from referee.contract import TableReport


class Artifacts:
    """Collects the bytes the referee wants stored; only what a report names is written to the store."""

    def __init__(self) -> None:
        self._by_sha256: dict[str, bytes] = {}

    def keep(self, data: bytes) -> str:
        """Hold some bytes; returns their SHA-256 in hex."""
        sha256 = hashlib.sha256(data).hexdigest()
        self._by_sha256[sha256] = data
        return sha256

    def write(self, report: TableReport) -> None:
        """Put record, timings and logs of a report into the store. Raises KeyError for one never kept."""
        for sha256, _ in _named(report):
            blob_write(self._by_sha256[sha256])

    def note(self, report: TableReport) -> None:
        """Count them as blobs: in the transaction that accepts the report, so that a report that is not
        accepted, whoever was killed at whatever moment, leaves none.
        """
        for sha256, kind in _named(report):
            blob_note(sha256, kind, len(self._by_sha256[sha256]))


def _named(report: TableReport) -> list[tuple[str, Blob.Kind]]:
    named = [(report.record_sha256, Blob.Kind.RECORD), (report.timings_sha256, Blob.Kind.TIMINGS)]
    named += [(seat.log_sha256, Blob.Kind.LOG) for seat in report.seats]
    return [(sha256, kind) for sha256, kind in named if sha256 is not None]
