"""Shapes of the API: addresses under me. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import TypedDict


class Me(TypedDict):
    """Who is asking."""

    id: str
    username: str
    handle: str | None
    """Public name; null until the first bot."""
    is_organiser: bool
    is_staff: bool
    scopes: list[str]
    """What this request's token may do."""
