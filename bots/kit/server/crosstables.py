"""How each fared against each, as a table that fits a terminal as long as the field is small."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from bots.kit.client.shapes import Cell, Crosstable
from bots.kit.replay_ink import DIM, columns

LARGEST_SQUARE = 12
"""Entries; a larger field has a line for each pair instead of a square."""


def crosstable_print(console: Console, table: Crosstable) -> None:
    """The square, or a line for each pair where the square would be too wide."""
    rows = table["rows"]
    if not any(row["against"] for row in rows):
        console.print("Nobody has met yet: pairs show when their round is closed.", style=DIM)
        return
    places = {row["entry"]: number for number, row in enumerate(rows, 1)}
    if len(rows) <= LARGEST_SQUARE:
        head = ["", "bot", *(str(number) for number in places.values())]
        lines: list[list[Text | str]] = []
        for row in rows:
            cells = {cell["entry"]: cell for cell in row["against"]}
            told = [
                "x" if entry == row["entry"] else cell_text(cells[entry]) if entry in cells else ""
                for entry in places
            ]
            lines.append([str(places[row["entry"]]), Text(row["bot"], "bold"), *told])
        console.print(columns(head, lines, right={0, *range(2, len(head))}))
    else:
        head = ["bot", "against", "stones a board", "95 % from", "to", "boards", "match points"]
        names = {row["entry"]: row["bot"] for row in rows}
        lines = [
            [
                Text(row["bot"], "bold"),
                Text(names.get(cell["entry"], cell["entry"])),
                cell_text(cell),
                _end(cell["low"]),
                _end(cell["high"]),
                str(cell["boards"]),
                str(cell["match_points"]),
            ]
            for row in rows
            for cell in row["against"]
        ]
        console.print(columns(head, lines, right=range(2, 7)))
    console.print("Stones a board; ** and *: surely not 0, at 99 % and 95 %.", style=DIM)


def cell_text(cell: Cell) -> str:
    """The mean with its mark: ``+0.52**``."""
    return f"{cell['mean']:+.2f}{cell['mark']}"


def _end(value: float | None) -> str:
    return "" if value is None else f"{value:+.2f}"
