"""Standings as tables: every value that orders them, and what decided."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from bots.kit.client.shapes import StageStandings, Standing, Tournament
from bots.kit.display.console import DIM, Cell, print_table, text_table
from bots.kit.display.formatting import name_text, numbers_text
from league.standings import value_names

COUNT_NAMES = ("won", "drawn", "lost")
REDUNDANT_VALUES = ("wins",)
"""Said by the counts already; shown where it decides."""
UNREADABLE_VALUES = ("lot",)
"""Shown where it decides: nobody reads a hash for pleasure."""
COLUMN_HEADS = {
    "match_points": "points",
    "board_score": "score",
    "board_score_difference": "diff",
    "sonneborn_berger": "S-B",
    "buchholz": "Buch",
    "head_to_head": "h2h",
    "head_to_head_2": "h2h 2",
}
"""Heads of columns."""
PROGRESS = "progress"
"""How far an entry got, where the format says so: it comes before everything."""
CROSS_GROUP_VALUES = ("group", "place", "score_per_fixture", "board_score_difference")
"""What orders entries of different groups."""
LEFT = "left"


def standings_print(console: Console, event: Tournament, stages: list[StageStandings]) -> None:
    """A table for each stage, or for each of its groups: every value that orders it, and what decided."""
    if not any(stage["rows"] for stage in stages):
        console.print("No standings yet: they come when the first round is closed.", style=DIM)
    for stage in stages:
        rows = stage["rows"]
        if not rows:
            continue
        if len(stages) > 1:
            console.print()
            console.print(f"Stage {stage['stage']}, {stage['state']}", style="bold")
        groups = sorted({int(row["values"]["group"]) for row in rows if row["values"].get("group")})
        for group in groups:
            console.print(f"Group {group}", style="bold")
            of_group = [row for row in rows if int(row["values"]["group"]) == group]
            of_group.sort(key=lambda row: int(row["values"]["place"]))
            _print_rows(console, event, of_group, place="place", decided_by="place_by")
        if groups:
            console.print("All groups", style="bold")
        _print_rows(console, event, rows, is_across=bool(groups))


def _print_rows(
    console: Console,
    event: Tournament,
    rows: list[Standing],
    *,
    place: str = "",
    decided_by: str = "",
    is_across: bool = False,
) -> None:
    """Rows as a table; place and what decided are values where these are named, else those of the stage."""
    deciding = {
        row["entry"]: row["values"].get(decided_by) if decided_by else row["decided_by"] for row in rows
    }
    names = _value_names(event, rows, {str(name) for name in deciding.values()}, is_across=is_across)
    has_counts = all(name in row["values"] for row in rows for name in COUNT_NAMES) and not is_across
    head = ["", "bot", "player", *(COLUMN_HEADS.get(name, name_text(name)) for name in names)]
    head += ["W-D-L", "decided by"] if has_counts else ["decided by"]
    columns_text = [numbers_text([row["values"].get(name) for row in rows]) for name in names]
    lines: list[list[Cell]] = []
    for at, row in enumerate(rows):
        values = row["values"]
        number = str(values[place] if place else row["rank"])
        bot = Text(row["bot"], "bold") + Text(" (left)" if row["status"] == LEFT else "", DIM)
        cells: list[Cell] = [number, bot, Text(row["player"])]
        cells += [texts[at] for texts in columns_text]
        if has_counts:
            cells.append("-".join(str(values[name]) for name in COUNT_NAMES))
        lines.append([*cells, Text(name_text(str(deciding[row["entry"]] or "")), DIM)])
    print_table(console, text_table(head, lines, right={0, *range(3, len(head) - 1)}, fold={1, 2}))


def _value_names(
    event: Tournament, rows: list[Standing], deciding: set[str], *, is_across: bool
) -> list[str]:
    """The values worth a column: those that order the table and say anything about anybody."""
    own = (PROGRESS, event["scoring"], *value_names(event["tie_breaks"]))
    names = dict.fromkeys(CROSS_GROUP_VALUES if is_across else own)
    return [
        name
        for name in names
        if any(row["values"].get(name) is not None for row in rows)
        and (name not in (*UNREADABLE_VALUES, *REDUNDANT_VALUES) or name in deciding)
    ]
