"""Lists in an order that is computed outside of the database: keys of all rows, then one page of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from arena.accounts.selectors import Viewer
from arena.roster.models import Bot
from arena.roster.selectors import bots_visible_to

Row = TypeVar("Row", bound=Model)


def bots_listed(viewer: Viewer, game: str = "", *, by_name: bool = False) -> QuerySet[Bot]:
    """Return the visible bots, newest first or by name, with owner and active version."""
    bots = bots_visible_to(viewer).order_by(*(("name_key", "id") if by_name else ("-id",)))
    return bots.filter(game=game) if game else bots


def primary_keys(rows: QuerySet[Any]) -> list[int]:
    """Return the primary keys of all rows, in their order. One query."""
    return list(rows.values_list("pk", flat=True))


def keys_by_value(keys: Sequence[int], values: Mapping[int, float]) -> list[int]:
    """Order keys by value, highest first; those without a value follow in the given order."""
    known = sorted((key for key in keys if key in values), key=lambda key: -values[key])
    return known + [key for key in keys if key not in values]


def rows_in_order(rows: QuerySet[Row], keys: Sequence[int]) -> list[Row]:
    """Return the rows with these primary keys, in the order of the keys. One query, none without keys."""
    by_key = rows.order_by().in_bulk(list(keys)) if keys else {}
    return [by_key[key] for key in keys if key in by_key]
