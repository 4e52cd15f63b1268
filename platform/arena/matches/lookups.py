"""Find the kind of object to which a public id belongs."""

from __future__ import annotations

from typing import Any, Literal

from django.db.models import QuerySet

from arena.accounts.selectors import Viewer
from arena.competition.selectors import tournaments_visible_to
from arena.matches.models import BoardSet, Fixture, Table

Kind = Literal["table", "fixture", "board_set"]


def kind_of_id(public_id: str, viewer: Viewer) -> Kind | None:
    """Return the kind of a visible table, fixture or board set with this id. At most three queries."""
    visible = tournaments_visible_to(viewer).order_by()
    if Table.objects.filter(public_id=public_id, tournament__in=visible).exists():
        return "table"
    if Fixture.objects.filter(public_id=public_id, tournament__in=visible).exists():
        return "fixture"
    if BoardSet.objects.filter(public_id=public_id, round__stage__tournament__in=visible).exists():
        return "board_set"
    return None


def contains_public_id(rows: QuerySet[Any], public_id: str) -> bool:
    return rows.filter(public_id=public_id).exists()
