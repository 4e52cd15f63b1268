"""Shapes of the API: addresses under boards. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from bots.kit.client.shapes.basic import EnteredVersion


class Board(TypedDict):
    """A board and how it went everywhere: how others did with the same cards."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to be asked for as first; null: none."""
    board_set: str
    number: int
    kind: str
    seed: str | None
    """Null while the set is open."""
    scores: list[BoardScore]
    """Best first."""
    results: list[Played]
    """As played, seat by seat."""


class BoardScore(TypedDict):
    """What an entry made of a board: its board score, and its place among all who played it."""

    entry: str
    player: str
    bot: str
    """The bot's name; of a pair of versions both, joined by " + "."""
    versions: list[EnteredVersion]
    """One for all seats of its side, or one for each."""
    fixture: str
    value: str
    """An exact fraction: n or n/d."""
    place: int
    """From 1; equal scores share a place."""


class Played(TypedDict):
    """One seat's result on a board, with the table it was played at and who sat there."""

    table: str
    fixture: str
    rotation: int
    seat: int
    entry: str
    bot: str
    stones: int
    verdict: str
