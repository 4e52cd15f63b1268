"""Standings as tables with all values that order them."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from bots.kit.client.shapes import StageStandings, Standing, Tournament
from bots.kit.display.console import DIM, Cell, print_table, text_table
from bots.kit.display.formatting import name_text, numbers_text
from league.standings import value_names

COUNT_NAMES = ("won", "drawn", "lost")
REDUNDANT_VALUES = ("wins",)
"""Values that W-D-L includes; displayed only where they decide."""
UNREADABLE_VALUES = ("lot",)
"""Values without a readable form, such as hashes; displayed only where they decide."""
COLUMN_HEADS = {
    "match_points": "points",
    "board_score": "score",
    "board_score_difference": "diff",
    "sonneborn_berger": "S-B",
    "buchholz": "Buch",
    "head_to_head": "h2h",
    "head_to_head_2": "h2h 2",
}
"""Short column heads by value name."""
PROGRESS = "progress"
"""Value of formats with elimination: how far an entry advanced. It orders before all others."""
CROSS_GROUP_VALUES = ("group", "place", "score_per_fixture", "board_score_difference")
"""Values that order entries of different groups."""
LEFT = "left"


def standings_print(console: Console, event: Tournament, stages: list[StageStandings]) -> None:
    """Print one table per stage or group, with all values that order it and the deciding value."""
    if not any(stage["rows"] for stage in stages):
        console.print("No standings yet: they appear when the first round is closed.", style=DIM)
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
            _print_rows(console, event, of_group, place_value="place", decided_by="place_by")
        if groups:
            console.print("All groups", style="bold")
        _print_rows(console, event, rows, is_across=bool(groups))


def _print_rows(
    console: Console,
    event: Tournament,
    rows: list[Standing],
    *,
    place_value: str = "",
    decided_by: str = "",
    is_across: bool = False,
) -> None:
    """Print rows as a table. ``place_value`` and ``decided_by`` name values to use instead of the stage's."""
    deciding = {
        row["entry"]: row["values"].get(decided_by) if decided_by else row["decided_by"] for row in rows
    }
    names = _value_names(event, rows, {str(name) for name in deciding.values()}, is_across=is_across)
    has_counts = all(name in row["values"] for row in rows for name in COUNT_NAMES) and not is_across
    head = ["", "bot", "player", *(COLUMN_HEADS.get(name, name_text(name)) for name in names)]
    head += ["W-D-L", "decided by"] if has_counts else ["decided by"]
    columns_text = [numbers_text([row["values"].get(name) for row in rows]) for name in names]
    lines: list[list[Cell]] = []
    for index, row in enumerate(rows):
        values = row["values"]
        number = str(values[place_value] if place_value else row["rank"])
        bot = Text(row["bot"], "bold") + Text(" (left)" if row["status"] == LEFT else "", DIM)
        cells: list[Cell] = [number, bot, Text(row["player"])]
        cells += [texts[index] for texts in columns_text]
        if has_counts:
            cells.append("-".join(str(values[name]) for name in COUNT_NAMES))
        lines.append([*cells, Text(name_text(str(deciding[row["entry"]] or "")), DIM)])
    print_table(console, text_table(head, lines, right={0, *range(3, len(head) - 1)}, fold={1, 2}))


def _value_names(
    event: Tournament, rows: list[Standing], deciding: set[str], *, is_across: bool
) -> list[str]:
    """Return the values that get a column: those that order the table and are not empty."""
    own = (PROGRESS, event["scoring"], *value_names(event["tie_breaks"]))
    names = dict.fromkeys(CROSS_GROUP_VALUES if is_across else own)
    return [
        name
        for name in names
        if any(row["values"].get(name) is not None for row in rows)
        and (name not in (*UNREADABLE_VALUES, *REDUNDANT_VALUES) or name in deciding)
    ]
