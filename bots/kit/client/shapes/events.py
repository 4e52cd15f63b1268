"""Shapes of the API: addresses under events. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Any, TypedDict


class Event(TypedDict):
    """Something that happened. The same object is the body of webhooks and the data of the stream."""

    id: int
    """Grows; what Last-Event-ID resumes from."""
    type: str
    """Such as round.closed."""
    timestamp: str
    """When it happened."""
    tournament: str | None
    """The tournament it belongs to, if any."""
    thing: Thing
    data: dict[str, Any]
    """Depends on the type; never anything sealed."""


class Thing(TypedDict):
    """What an event is about."""

    kind: str
    """tournament, round, fixture, entry, table, botversion, series."""
    id: str
