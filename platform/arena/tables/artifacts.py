"""Artifacts of a table (record, timings, logs, view), in memory until its report says which are stored."""

from __future__ import annotations

import hashlib

from arena.common.blobs import blob_note, blobs_write
from arena.common.models import Blob
from referee.contract import TableReport


class TableArtifacts:
    """Collects the bytes the referee wants stored; only what a report names is written to the store."""

    def __init__(self) -> None:
        self._by_sha256: dict[str, bytes] = {}
        self.view_sha256 = ""
        """Of the view of the record; empty while there is none."""

    def keep(self, data: bytes) -> str:
        """Hold some bytes; returns their SHA-256 in hex."""
        sha256 = hashlib.sha256(data).hexdigest()
        self._by_sha256[sha256] = data
        return sha256

    def kept(self, sha256: str) -> bytes:
        """The bytes of this hash. Raises KeyError if they were never kept."""
        return self._by_sha256[sha256]

    def add_view(self, view: bytes) -> None:
        """Store this view of the record too."""
        self.view_sha256 = self.keep(view)

    def write(self, report: TableReport) -> None:
        """Put record, timings, logs and view of a report into the store, synced once for all of them.

        Raises:
            KeyError: something it names was never kept.
        """
        blobs_write([self._by_sha256[sha256] for sha256, _ in self._named(report)])

    def note(self, report: TableReport) -> None:
        """Count them as blobs: in the transaction that accepts the report, so that a report that is not
        accepted, whoever was killed at whatever moment, leaves none.
        """
        for sha256, kind in self._named(report):
            blob_note(sha256, kind, len(self._by_sha256[sha256]))

    def _named(self, report: TableReport) -> list[tuple[str, Blob.Kind]]:
        named = [(report.record_sha256, Blob.Kind.RECORD), (report.timings_sha256, Blob.Kind.TIMINGS)]
        named += [(seat.log_sha256, Blob.Kind.LOG) for seat in report.seats]
        named.append((self.view_sha256 or None, Blob.Kind.VIEW))
        return [(sha256, kind) for sha256, kind in named if sha256 is not None]
