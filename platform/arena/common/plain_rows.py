"""Model rows as JSON values, for the export of personal data."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from operator import attrgetter
from typing import Any


def plain_row(row: object, columns: str) -> dict[str, Any]:
    """Return attributes of a row by name, times as text to the second. ``name=path`` renames an attribute."""
    values = {}
    for column in columns.split():
        name, _, path = column.partition("=")
        value = attrgetter(path or name)(row)
        values[name] = value.isoformat(timespec="seconds") if isinstance(value, datetime.datetime) else value
    return values


def plain_rows(rows: Iterable[object], columns: str) -> list[dict[str, Any]]:
    return [plain_row(row, columns) for row in rows]
