"""Shapes of the API: addresses under audit. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Any, TypedDict


class Audit(TypedDict):
    """One deed."""

    at: str
    actor: str | None
    verb: str
    kind: str
    object: str
    before: dict[str, Any]
    after: dict[str, Any]
