"""Shapes of the API: addresses under games. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Any, TypedDict


class Game(TypedDict):
    """A game on offer."""

    key: str
    rules_version: int
    presets: list[str]


class Preset(TypedDict):
    """A preset: its table, its options, what a bot sees."""

    game: str
    preset: str
    rules_version: int
    seats: int
    sides: list[list[int]]
    """Seats of each side: pairs, or single seats in a free-for-all."""
    tables_per_fixture: int
    """Rotations: at each an entry sits on another side, so that all hold the same cards once."""
    formats: list[str]
    """What a stage can be played in; the first unless told otherwise."""
    starting_stones: int
    """Of a seat, or of a pair; 0 where points are counted."""
    options: dict[str, Any]
    """Every option with its value; null where there is none."""
    decisions_bound: dict[str, int | None]
    """Most decisions of a seat on a board, by kind."""
    observation: dict[str, str]
    """JSON type by field, such as: integer or null."""
