"""Artefacts of a table, held in memory until the report names those to store."""

from __future__ import annotations

import hashlib

from arena.common.blob_expiry import blobs_renew
from arena.common.blobs import blobs_register, blobs_write
from arena.common.models import Blob
from referee.contract import TableReport


class TableArtifacts:
    """Collects the bytes that the referee keeps; only those named by the report are stored."""

    def __init__(self) -> None:
        self._by_sha256: dict[str, bytes] = {}
        self.view_sha256 = ""

    def keep(self, data: bytes) -> str:
        """Hold these bytes in memory; return their SHA-256 in hex."""
        sha256 = hashlib.sha256(data).hexdigest()
        self._by_sha256[sha256] = data
        return sha256

    def kept(self, sha256: str) -> bytes:
        return self._by_sha256[sha256]

    def add_view(self, view: bytes) -> None:
        self.view_sha256 = self.keep(view)

    def write(self, report: TableReport) -> None:
        """Write the files of a report to the store, with one sync. Raises KeyError for an unknown hash."""
        blobs_write([self._by_sha256[sha256] for sha256, _ in self._named(report)])

    def note(self, report: TableReport) -> None:
        """Register them as blobs, in the transaction that accepts the report, so that none is left over."""
        blobs_register((sha256, kind, len(self._by_sha256[sha256])) for sha256, kind in self._named(report))
        # Short logs are often the same.
        blobs_renew([sha256 for sha256, kind in self._named(report) if kind == Blob.Kind.LOG])

    def _named(self, report: TableReport) -> list[tuple[str, Blob.Kind]]:
        named = [(report.record_sha256, Blob.Kind.RECORD), (report.timings_sha256, Blob.Kind.TIMINGS)]
        named += [(seat.log_sha256, Blob.Kind.LOG) for seat in report.seats]
        named.append((self.view_sha256 or None, Blob.Kind.VIEW))
        return [(sha256, kind) for sha256, kind in named if sha256 is not None]
