"""Casual tables for those who play at them."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from arena.common.blobs import BlobDamaged, BlobMissing, blob_get
from arena.common.errors import NotFound, quoted
from arena.common.ids import is_public_id
from arena.features.play.models import CasualTable, PlayService
from arena.features.play.person import Person
from arena.features.play.position import deals_of, rules_of

SERVICE_TIMEOUT_S = 15.0
"""A service whose last sign of life is older counts as gone; it gives one every second."""
ABANDONED_S = 600.0
"""A person away for so long has its deal finished by a house bot."""


def tables_of(person: Person) -> QuerySet[CasualTable]:
    """A person's own tables, newest first."""
    if person.user is not None:
        return CasualTable.objects.filter(owner=person.user)
    if person.guest:
        return CasualTable.objects.filter(guest=person.guest)
    return CasualTable.objects.none()


def table_of(person: Person, table_id: str) -> CasualTable:
    """A table of this person's own. One query.

    Raises:
        NotFound: code ``play_unknown``: there is none of this id, or it is somebody else's.
    """
    found = tables_of(person).filter(public_id=table_id).first() if is_public_id(table_id) else None
    if found is None:
        raise NotFound(f"You have no table {quoted(table_id)}.", "play_unknown")
    return found


def active_table(person: Person) -> CasualTable | None:
    """The table at which the person plays, or which waits for it. One query."""
    return tables_of(person).filter(state__in=CasualTable.ACTIVE).first()


def waits_until(table: CasualTable) -> datetime.datetime:
    """Until when a table waits for its person, unless it comes back or plays before. No query."""
    return table.acted_at + datetime.timedelta(seconds=ABANDONED_S)


def finished_tables(person: Person, most: int) -> list[CasualTable]:
    """The tables of a person that are over, newest first. One query."""
    return list(tables_of(person).filter(ended_at__isnull=False)[:most])


def view_of(table: CasualTable) -> bytes | None:
    """The stored view of a table that is over, all hands open; None if there is none."""
    if not table.is_over or not table.view_sha256:
        return None
    try:
        return blob_get(table.view_sha256)
    except (BlobMissing, BlobDamaged):
        return None


def fairness_of(table: CasualTable) -> dict[str, Any]:
    """What proves that the deals were fixed before play: the secret and what follows from it only at the end.
    No query."""
    deals = deals_of(table)
    shown = table.is_over
    return {
        "commitment": table.commitment,
        "public_id": table.deals_id,
        "field_digest": deals.digest,
        "bundles": list(deals.bundles),
        "stage": 0,
        "round": 0,
        "secret": deals.secret.hex() if shown else None,
        "boards": [
            {"number": board.number, "kind": board.kind, "seed": board.seed if shown else None}
            for board in rules_of(table).boards
        ],
    }


def service_is_up() -> bool:
    """Whether a service runs that plays tables. One query."""
    return any(not service.detail for service in services_alive())


def services_alive() -> list[PlayService]:
    """The services heard of lately, whether they can run tables or not. One query."""
    since = timezone.now() - datetime.timedelta(seconds=SERVICE_TIMEOUT_S)
    return list(PlayService.objects.filter(seen_at__gte=since))


def tables_with_versions(public_ids: Sequence[str]) -> list[CasualTable]:
    """Tables at which one of these versions sat that are not the house's. One query for each."""
    found: dict[int, CasualTable] = {}
    for public_id in public_ids:
        found |= CasualTable.objects.filter(versions__contains=f" {public_id} ").in_bulk()
    return list(found.values())
