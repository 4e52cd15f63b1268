"""Case-insensitive LIKE for all letters on SQLite, as on PostgreSQL."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper


def unicode_like_register(connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    if connection.vendor == "sqlite":
        for arguments in (2, 3):
            connection.connection.create_function("like", arguments, _like, deterministic=True)


def _like(pattern: Any, text: Any, escape: str = "") -> bool | None:
    if pattern is None or text is None:
        return None
    return _compiled(str(pattern), escape).fullmatch(str(text)) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str, escape: str) -> re.Pattern[str]:
    parts: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            parts.append(re.escape(next(characters, "")))
        else:
            parts.append({"%": ".*", "_": "."}.get(character) or re.escape(character))
    return re.compile("".join(parts), re.IGNORECASE | re.DOTALL)
