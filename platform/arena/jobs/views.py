"""Making the views of tables: when a report is handed in, or later of what is stored (docs/views.md)."""

from __future__ import annotations

import logging

from django.db import transaction

from arena.common.blobs import BlobDamaged, BlobMissing, blob_get, blob_put
from arena.common.models import Blob
from arena.jobs.artifacts import Artifacts
from arena.matches.models import Table
from referee.contract import TableReport
from viewer.build import ViewError, view_bytes, view_of

log = logging.getLogger(__name__)


class ViewImpossible(Exception):
    """A stored table of which no view can be made; the message says why."""


def report_view(artifacts: Artifacts, report: TableReport, name: str) -> None:
    """Add the view of a report's record to its artifacts.

    Never raises: a table counts without its view, which can be made later. ``name`` is the table's, for logs.
    """
    try:
        record = artifacts.kept(report.record_sha256 or "")
        timings = artifacts.kept(report.timings_sha256) if report.timings_sha256 else None
        artifacts.add_view(view_bytes(view_of(record, timings)))
    except Exception:
        log.exception("%s: it will have no view until manage.py views_make succeeds", name)


def table_view_make(table: Table) -> str | None:
    """Make the view of a finished table from what is stored, and keep it; its SHA-256.

    Doing it again gives the same view. None if the table was sent back to be played again meanwhile.

    Raises:
        ViewImpossible: its record cannot be fetched or shown.
    """
    try:
        record = blob_get(table.record_sha256)
        view = view_bytes(view_of(record, _timings(table.timings_sha256)))
    except (BlobMissing, BlobDamaged, ViewError) as error:
        raise ViewImpossible(str(error)) from error
    with transaction.atomic():
        sha256 = blob_put(view, Blob.Kind.VIEW)
        same = Table.objects.filter(
            pk=table.pk, state=Table.State.FINISHED, record_sha256=table.record_sha256
        )
        return sha256 if same.update(view_sha256=sha256) else None


def _timings(sha256: str) -> bytes | None:
    """The stored times; None if there are none or they are lost: a view can do without."""
    try:
        return blob_get(sha256) if sha256 else None
    except (BlobMissing, BlobDamaged) as error:
        log.warning("a view is made without times: %s", error)
        return None
