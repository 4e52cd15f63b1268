"""Crosstable as a square, or as one row per pair."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bots.kit.client.shapes import Cell, Crosstable
from bots.kit.display.console import DIM, print_table, table_size, text_table

MAX_SQUARE_ENTRIES = 12
"""Maximum entries of a square table; a larger field has one row per pair, in files too."""


def crosstable_print(console: Console, table: Crosstable) -> None:
    """Print a square table, or one row per pair if the square is too wide."""
    rows = table["rows"]
    if not any(row["against"] for row in rows):
        console.print("No results yet: they appear when the first round is closed.", style=DIM)
        return
    square = _square_table(table)
    is_narrow = console.is_terminal and table_size(console, square).minimum > console.width
    print_table(console, _pair_table(table) if len(rows) > MAX_SQUARE_ENTRIES or is_narrow else square)
    console.print("Stones per board; ** and *: significant at 99% and 95%.", style=DIM)


def _square_table(table: Crosstable) -> Table:
    places = {row["entry"]: str(number) for number, row in enumerate(table["rows"], 1)}
    lines: list[list[Text | str]] = []
    for row in table["rows"]:
        means = {cell["entry"]: cell_text(cell) for cell in row["against"]} | {row["entry"]: "x"}
        name = Text(row["bot"], "bold")
        lines.append([places[row["entry"]], name, *(means.get(entry, "") for entry in places)])
    head = ["", "bot", *places.values()]
    return text_table(head, lines, right={0, *range(2, len(head))})


def _pair_table(table: Crosstable) -> Table:
    names = {row["entry"]: row["bot"] for row in table["rows"]}
    head = ["bot", "against", "stones per board", "95% from", "to", "boards", "match points"]
    lines: list[list[Text | str]] = [
        [
            Text(row["bot"], "bold"),
            Text(names.get(cell["entry"], cell["entry"])),
            cell_text(cell),
            *("" if end is None else f"{end:+.2f}" for end in (cell["low"], cell["high"])),
            str(cell["boards"]),
            str(cell["match_points"]),
        ]
        for row in table["rows"]
        for cell in row["against"]
    ]
    return text_table(head, lines, right=range(2, 7), fold={0, 1})


def cell_text(cell: Cell) -> str:
    return f"{cell['mean']:+.2f}{cell['mark']}"
