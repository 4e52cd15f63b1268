"""Fields that every log record of the current request, task or table contains.

One context variable: a thread or an asyncio task has its own fields. New threads start without any; run
them with ``contextvars.copy_context().run`` to inherit the caller's.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextvars import ContextVar, Token

REQUEST_ID, TASK, TABLE, TOURNAMENT, ATTEMPT = "request_id", "task", "table", "tournament", "attempt"
"""Names of fields. ``table`` and ``tournament`` are public ids."""

_fields: ContextVar[Mapping[str, str]] = ContextVar("rensho_log_fields", default={})  # noqa: B039


def log_fields() -> Mapping[str, str]:
    """Return the current fields; do not change them."""
    return _fields.get()


def log_fields_set(fields: Mapping[str, str]) -> Token[Mapping[str, str]]:
    """Replace all fields. ``log_fields_reset`` undoes it, in the same thread or task."""
    return _fields.set(fields)


def log_fields_reset(token: Token[Mapping[str, str]]) -> None:
    _fields.reset(token)


@contextlib.contextmanager
def bound_log_fields(**fields: str) -> Iterator[None]:
    """Context manager that adds fields, or replaces those of the same name."""
    token = _fields.set({**_fields.get(), **fields})
    try:
        yield
    finally:
        _fields.reset(token)
