"""Responses: views of tables. docs/views.md describes them completely, the schema only in outline."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict


class ViewBoardOut(TypedDict):
    """A board of a view, with its deals."""

    board: int
    kind: str
    result: Annotated[dict[str, int], "Stones won or lost, by seat."]
    deals: Annotated[list[dict[str, Any]], "Hands, plays and results: docs/views.md."]


class ViewOut(TypedDict):
    """The view of a table: ``rensho-view/1``."""

    format: str
    record_sha256: Annotated[str, "Hash of the record from which it was made."]
    game: str
    preset: str
    options: Annotated[dict[str, Any], "The options that differ from the preset's."]
    seats: Annotated[int, "Number of seats."]
    sides: Annotated[list[list[int]], "Seats of each side."]
    numbers: Annotated[list[int], "Numbers of all boards of the table; boards may contain only one of them."]
    boards: list[ViewBoardOut]
    forfeited: Annotated[list[int], "Seats whose conduct forfeited the table."]
