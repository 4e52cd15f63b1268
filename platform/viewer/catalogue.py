"""Translation of the viewer's texts with the gettext catalogue of the site."""

from __future__ import annotations

import dataclasses
import gettext
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

FOLDER = Path(__file__).resolve().parents[1] / "arena" / "web" / "locale"
"""Folder into which ``make words`` compiles the catalogue."""
_Table = TypeVar("_Table")


@lru_cache(maxsize=32)
def has_catalogue(language: str) -> bool:
    return gettext.find("django", str(FOLDER), [language]) is not None


def translate_table(table: _Table, name: str, language: str) -> _Table:
    return with_texts(table, name, gettext.translation("django", str(FOLDER), [language]).pgettext)


def with_texts(table: _Table, name: str, change: Callable[[str, str], str]) -> _Table:
    """Return a table with every text but ``language`` replaced by ``change(context, text)``.

    The context is the name of the table, the field, and the key or number within it.
    """
    fields: list[dataclasses.Field[Any]] = list(dataclasses.fields(table))  # type: ignore[arg-type]
    changes = {
        field.name: _map_value(getattr(table, field.name), f"{name} {field.name}", change)
        for field in fields
        if field.name != "language"
    }
    return dataclasses.replace(table, **changes)  # type: ignore[type-var]


def _map_value(value: Any, context: str, change: Callable[[str, str], str]) -> Any:
    if isinstance(value, str):
        return change(context, value)
    if isinstance(value, Mapping):
        return {key: _map_value(part, f"{context} {key}", change) for key, part in value.items()}
    return tuple(_map_value(part, f"{context} {number}", change) for number, part in enumerate(value))
