"""What the demo prints: bars while it runs, the standings, the proof."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from arena.jobs.demo.road import Glance

DECIDING = "[bold]{}[/bold]"


def bars(console: Console) -> Progress:
    """A set of progress bars in the house's look."""
    return Progress(
        TextColumn("{task.description:<34}"),
        BarColumn(bar_width=32),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        console=console,
    )


def watch(console: Console, glances: Iterable[Glance], fixtures: int, boards: int) -> Glance:
    """Show a bar for every fixture begun and one for all, in boards played; returns the last glance."""
    per_fixture = 2 * boards
    with bars(console) as progress:
        whole = progress.add_task("all fixtures", total=fixtures * per_fixture, note="")
        tasks: dict[str, Any] = {}
        for glance in glances:
            for fixture in glance.fixtures:
                if fixture["id"] not in tasks:
                    sides = " - ".join(side["bot"] for side in fixture["sides"])
                    total = sum(table["board_count"] for table in fixture["tables"])
                    name = f"round {fixture['round']}: {sides}"
                    tasks[fixture["id"]] = progress.add_task(name, total=total, note="")
                done = sum(table["boards_done"] for table in fixture["tables"])
                progress.update(tasks[fixture["id"]], completed=done, note=fixture["state"])
            progress.update(whole, completed=glance.boards_done, note=glance.event["state"])
    return glance


def standings(console: Console, event: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """The ordered table with every value that can order it; what told a row from the one above is bold."""
    names = [name for name in ("match_points", "board_score") if any(name in row["values"] for row in rows)]
    names += [name for name in event["tie_breaks"] if name not in names]
    table = Table(title=f"{event['name']}: {event['preset']}, {event['boards_per_round']} boards a fixture")
    table.add_column("#", justify="right")
    for heading in ("bot", "player"):
        table.add_column(heading)
    for name in names:
        table.add_column(name.replace("_", " "), justify="right")
    table.add_column("decided by")
    for row in rows:
        values = [short(row["values"].get(name)) for name in names]
        values = [
            DECIDING.format(value) if name == row["decided_by"] else value
            for name, value in zip(names, values, strict=True)
        ]
        decided = row["decided_by"].replace("_", " ")
        table.add_row(str(row["rank"]), row["bot"], row["player"], *values, decided)
    console.print(table)


def short(value: object) -> str:
    """A value for a column: lots are long, and only their beginning matters to the eye."""
    text = "" if value is None else str(value)
    return text if len(text) <= 10 else f"{text[:8]}…"
