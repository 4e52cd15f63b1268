"""Selectors of casual tables and services."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from arena.common.blobs import BlobDamaged, BlobMissing, blob_get
from arena.common.errors import Conflict, NotFound, quoted
from arena.common.ids import is_public_id
from arena.features.play.models import CasualTable, PlayService
from arena.features.play.person import Person
from arena.tables.live.history import deals_of, rules_of

SERVICE_TIMEOUT_S = 15.0
"""Seconds after the last heartbeat at which a service counts as down; heartbeats come every second."""
MAX_CHOICES = 30
"""Tables among which the last choice for each game is searched."""
ABANDONED_S = 600.0
"""Seconds of absence after which a house bot finishes the deal."""


def tables_of(person: Person) -> QuerySet[CasualTable]:
    """Return a person's tables, newest first."""
    if person.user is not None:
        return CasualTable.objects.filter(owner=person.user)
    return CasualTable.objects.filter(guest__in=person.guests)


def table_of(person: Person, table_id: str) -> CasualTable:
    """Return one of the person's tables. One query. Raises NotFound (``casual_table_not_found``)."""
    table = tables_of(person).filter(public_id=table_id).first() if is_public_id(table_id) else None
    if table is None:
        raise NotFound(f"You have no table {quoted(table_id)}.", "casual_table_not_found")
    return table


def require_unsealed(table: CasualTable) -> None:
    """Raise Conflict (``casual_table_sealed``) while others play the table's cards."""
    if table.is_sealed:
        raise Conflict(
            "Other people are still playing these cards. This is possible once the day has ended (UTC).",
            "casual_table_sealed",
        )


def active_table(person: Person) -> CasualTable | None:
    """Return the person's table that is in play or paused, except sealed ones. One query."""
    return tables_of(person).filter(state__in=CasualTable.ACTIVE, is_sealed=False).first()


def waits_until(table: CasualTable) -> datetime.datetime:
    """Return how long a table waits for an absent person. No query."""
    return table.last_action_at + datetime.timedelta(seconds=ABANDONED_S)


def recent_choices(person: Person) -> list[CasualTable]:
    """Return tables that the person opened by choice, newest first, at most ``MAX_CHOICES``. One query."""
    return list(tables_of(person).filter(is_sealed=False)[:MAX_CHOICES])


def finished_tables(person: Person, most: int) -> list[CasualTable]:
    return list(tables_of(person).filter(ended_at__isnull=False)[:most])


def view_of(table: CasualTable) -> bytes | None:
    """Return the stored view of a finished table with all hands, or None."""
    return _stored(table, table.view_sha256)


def record_of(table: CasualTable) -> bytes | None:
    """Return the stored record of a finished table, or None."""
    return _stored(table, table.record_sha256)


def _stored(table: CasualTable, sha256: str) -> bytes | None:
    if not table.is_over or not sha256:
        return None
    try:
        return blob_get(sha256)
    except (BlobMissing, BlobDamaged):
        return None


def fairness_of(table: CasualTable) -> dict[str, Any]:
    """Return the proof that deals were fixed before play; the secret only after end and seal. No query."""
    deals = deals_of(table)
    is_revealed = table.is_over and not table.is_sealed
    return {
        "commitment": table.commitment,
        "public_id": table.seed_id,
        "field_digest": deals.digest,
        "bundles": list(deals.bundles),
        "stage": 0,
        "round": 0,
        "secret": deals.secret.hex() if is_revealed else None,
        "boards": [
            {"number": board.number, "kind": board.kind, "seed": board.seed if is_revealed else None}
            for board in rules_of(table).boards
        ],
    }


def service_is_up() -> bool:
    return any(not service.detail for service in services_alive())


def services_alive() -> list[PlayService]:
    """Return services with a recent heartbeat, including those that cannot run tables. One query."""
    since = timezone.now() - datetime.timedelta(seconds=SERVICE_TIMEOUT_S)
    return list(PlayService.objects.filter(seen_at__gte=since))


def tables_with_versions(public_ids: Sequence[str]) -> list[CasualTable]:
    """Return tables with one of these versions, which must not belong to the house. One query per version."""
    tables: dict[int, CasualTable] = {}
    for public_id in public_ids:
        tables |= CasualTable.objects.filter(versions__contains=f" {public_id} ").in_bulk()
    return list(tables.values())
