"""Shapes of the API: addresses under tokens. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Token(TypedDict):
    """A token without its text."""

    id: str
    name: str
    scopes: list[str]
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None


class TokenIn(TypedDict):
    """A token to make."""

    name: str
    scopes: list[str]
    """read, bots, organise, tokens."""
    expires_at: NotRequired[str | None]


class TokenMade(TypedDict):
    """A new token with its text, shown this once."""

    id: str
    name: str
    scopes: list[str]
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None
    token: str
    """Keep it: it cannot be shown again."""
