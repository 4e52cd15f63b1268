"""Notes for tests: exact, but only of the last tricks and without averages."""

from __future__ import annotations

import functools
import json

from analysis.notes import notes_bytes, notes_of_record
from analysis.shapes import Limits, Notes
from arena.common.blobs import blob_get
from arena.features.analysis.models import TableAnalysis
from arena.features.analysis.queue import analysis_claim, analysis_finish
from arena.features.analysis.selectors import notes_of_tables
from arena.features.analysis.summary import TableSummary, summary_of
from arena.matches.models import Table
from arena.matches.replays import table_view

LIMITS: Limits = {"nodes": 2000, "deals": 0}


@functools.cache
def notes_of(record: bytes) -> Notes:
    """The notes of a record, computed once."""
    return notes_of_record(record, LIMITS)


def notes_sha256_of(table: Table) -> str:
    """The hash of the notes that may be seen on a table, empty without any."""
    return notes_of_tables([table]).get(table.pk, "")


def summary(table: Table) -> TableSummary:
    """The figures of a table by these notes."""
    view = table_view(table)
    assert view is not None
    return summary_of(notes_of(blob_get(table.record_sha256)), json.loads(view))


def finish(row: TableAnalysis, cpu_s: float = 1.0) -> bool:
    """End a leased row with these notes."""
    notes = notes_bytes(notes_of(blob_get(row.record_sha256)))
    return analysis_finish(row, notes, summary(row.table), cpu_s)


def claimed(lease: str = "test/1") -> TableAnalysis:
    """The next row, which must be due."""
    row = analysis_claim(lease)
    assert row is not None
    return row


def analysed() -> list[TableAnalysis]:
    """All due rows, analysed one after the other."""
    rows = []
    while (row := analysis_claim("test/1")) is not None:
        assert finish(row)
        rows.append(row)
    return rows
