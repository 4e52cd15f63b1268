"""Output of the demo: progress bars, standings, verification."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from benchmarks.demo.event_steps import EventSnapshot
from bots.kit.display.formatting import numbers_text

COLUMN_TITLES = {
    "match_points": "MP",
    "head_to_head": "H2H",
    "buchholz": "Bu",
    "sonneborn_berger": "SB",
    "board_score": "score",
    "board_score_difference": "diff",
    "wins": "W",
}
"""Headings short enough for eight columns on a narrow terminal."""


MAX_NAMED_BOTS = 2


def bars(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        console=console,
    )


def watch(console: Console, glances: Iterable[EventSnapshot], boards: int) -> EventSnapshot:
    """Show a bar per fixture and one for the event, in boards played. Return the last snapshot.

    ``boards`` is the number for the whole event, over all tables.
    """
    with bars(console) as progress:
        whole = progress.add_task("all fixtures", total=boards, note="")
        tasks: dict[str, Any] = {}
        for glance in glances:
            for fixture in glance.fixtures:
                if not fixture["tables"]:
                    continue  # a bye: nothing is played
                if fixture["id"] not in tasks:
                    total = sum(table["board_count"] for table in fixture["tables"])
                    tasks[fixture["id"]] = progress.add_task(fixture_name(fixture), total=total, note="")
                done = sum(table["boards_done"] for table in fixture["tables"])
                progress.update(tasks[fixture["id"]], completed=done, note=fixture["state"])
            progress.update(whole, completed=glance.boards_done, note=glance.event["state"])
    return glance


def extent(glance: EventSnapshot) -> str:
    """Describe how much was played: ``6 fixtures, 12 tables, 16 boards a fixture``."""
    played = [fixture for fixture in glance.fixtures if fixture["tables"]]
    tables = sum(len(fixture["tables"]) for fixture in played)
    boards = glance.event["boards_per_round"]
    return f"{len(played)} fixtures, {tables} tables, {boards} board{'s' * (boards != 1)} a fixture"


def fixture_name(fixture: Mapping[str, Any]) -> str:
    """Return round and bots; for a large table, the number of bots."""
    bots = [side["bot"] for side in fixture["sides"]]
    met = " - ".join(bots) if len(bots) <= MAX_NAMED_BOTS else f"{len(bots)} entries"
    return f"round {fixture['round']}: {met}"


def standings(console: Console, event: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Print the table with every value that can order it; the value that separates a row from the one above
    is bold.
    """
    names = [event["scoring"], *(name for name in event["tie_breaks"] if name != event["scoring"])]
    table = Table(title=f"{event['name']}: {event['preset']}, {event['boards_per_round']} boards a fixture")
    table.add_column("#", justify="right")
    for heading in ("bot", "player"):
        table.add_column(heading, no_wrap=True)
    for name in names:
        table.add_column(COLUMN_TITLES.get(name, name), justify="right", no_wrap=True)
    columns = {name: numbers_text([row["values"].get(name) for row in rows]) for name in names}
    for index, row in enumerate(rows):
        values = {name: columns[name][index] or "-" for name in names}
        if row["decided_by"] in values:
            values[row["decided_by"]] = f"[bold]{values[row['decided_by']]}[/bold]"
        table.add_row(str(row["rank"]), row["bot"], row["player"], *values.values())
    console.print(table)
    legend = (f"{COLUMN_TITLES[name]} {name.replace('_', ' ')}" for name in names if name in COLUMN_TITLES)
    console.print(f"{', '.join(legend)}; bold: the value that separates a row from the one above")
