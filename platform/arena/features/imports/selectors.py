"""Queries for imports. Visitors see verified ones, staff all."""

from __future__ import annotations

from django.db.models import QuerySet

from arena.accounts.models import User
from arena.accounts.selectors import Viewer, is_staff
from arena.common.blobs import blob_get
from arena.common.errors import NotFound
from arena.features.imports.models import ImportedEvent, ImportedRound
from arena.features.imports.summary import ImportedTable


def imports_visible_to(viewer: Viewer) -> QuerySet[ImportedEvent]:
    """Return imports, newest first."""
    imports = ImportedEvent.objects.select_related("imported_by")
    return imports if is_staff(viewer) else imports.filter(state=ImportedEvent.State.VERIFIED)


def import_get(public_id: str, viewer: Viewer) -> ImportedEvent:
    """Return a visible import. Raises NotFound (``import_not_found``)."""
    event = imports_visible_to(viewer).filter(public_id=public_id).first()
    if event is None:
        raise NotFound(f"There is no import {public_id}.", "import_not_found")
    return event


def import_verified(public_id: str) -> ImportedEvent:
    """Return a verified import. Raises NotFound (``import_not_found``)."""
    return import_get(public_id, None)


def import_archive(event: ImportedEvent) -> bytes:
    """Return the archive as received. Raises NotFound, BlobsUnavailable."""
    if event.state == ImportedEvent.State.REFUSED:
        raise NotFound("The archive of a refused import is not stored.", "import_not_found")
    return blob_get(event.sha256)


def round_of(event: ImportedEvent, stage: int, number: int) -> ImportedRound:
    """Return a round with its fixtures. Raises NotFound (``round_not_found``)."""
    played = event.rounds.filter(stage=stage, number=number).first()
    if played is None:
        raise NotFound(f"The tournament has no round {number} in stage {stage}.", "round_not_found")
    return played


def table_of(played: ImportedRound, fixture: int, table: int) -> ImportedTable:
    """Return a table of a round by its numbers, from 1. Raises NotFound (``table_not_found``)."""
    rows = [row["tables"] for row in played.fixtures if row["number"] == fixture]
    if not rows or not 1 <= table <= len(rows[0]):
        raise NotFound(f"Fixture {fixture} has no table {table}.", "table_not_found")
    row: ImportedTable = rows[0][table - 1]
    return row


def own_imports(user: User) -> list[str]:
    return list(user.imported_events.values_list("public_id", flat=True))


def blob_references(sha256: str) -> list[str]:
    rows = ImportedEvent.objects.filter(sha256=sha256).exclude(state=ImportedEvent.State.REFUSED)
    return [f"archive of import {public_id}" for public_id in rows.values_list("public_id", flat=True)]
