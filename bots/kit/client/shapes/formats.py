"""Shapes of the API: addresses under formats. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Any, TypedDict


class Format(TypedDict):
    """A format a stage can be played in."""

    key: str
    title: str
    needs_results: bool
    """A round is drawn only once those before it are done."""
    mixes_partners: bool
    """Every entry holds one seat; its owner must have said accepts_partners."""
    repeats: bool
    """It can be played until_separated."""
    options: list[Option]


class Option(TypedDict):
    """One option of a format."""

    name: str
    kind: str
    """integer or boolean."""
    default: Any
    """Null: chosen by the size of the field."""
    meaning: str
