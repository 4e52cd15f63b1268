"""Consoles that print what they are given, tables that are never cut, progress bars, and answers."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from bots.kit.errors import DONE

DIM = "dim"
WIDEST = 10_000
"""Columns of the widest table that goes into a file or a pipe."""
Cell = Text | str


class _Output(Console):
    """Leaves it to the edge of the command what to do when nobody reads any more."""

    def on_broken_pipe(self) -> None:
        """Called while the error is being handled."""
        raise


def console_for(*, has_color: bool = True, is_quiet: bool = False) -> Console:
    """Standard output that prints what it is given: nothing is highlighted or replaced by a guess."""
    return _Output(
        no_color=None if has_color else True,
        color_system="auto" if has_color else None,
        highlight=False,
        markup=False,
        emoji=False,
        quiet=is_quiet,
    )


def columns(
    head: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    right: Collection[int] = (),
    fold: Collection[int] = (),
) -> Table:
    """A table without lines; ``right`` are the columns set flush right, ``fold`` those that may be folded."""
    table = Table(box=None, padding=(0, 1), header_style=DIM, show_edge=False)
    lines = list(rows)
    for at, title in enumerate(head):
        width = max(cell_len(str(line[at])) for line in [head, *lines])
        table.add_column(
            title,
            justify="right" if at in right else "left",
            no_wrap=at not in fold,
            overflow="fold",
            min_width=None if at in fold else width,
        )
    for line in lines:
        table.add_row(*line)
    return table


def table_size(console: Console, table: Table) -> Measurement:
    """The columns a table needs at least, and those it takes where there are enough."""
    return Measurement.get(console, console.options.update(max_width=WIDEST), table)


def print_table(console: Console, table: Table) -> None:
    """Print a table whole: on a narrow screen its lines run on, in a file or a pipe nothing is folded."""
    size = table_size(console, table)
    needed = size.minimum if console.is_terminal else size.maximum
    if needed > console.width:
        table.width = needed
    console.print(table, crop=False)


def answer(arguments: argparse.Namespace, value: Any, show: Callable[[], object]) -> int:
    """Print what a command found: with ``--json`` the value, else what ``show`` prints; the status."""
    if arguments.json:
        print(json.dumps(value, indent=2))
    else:
        show()
    return DONE


def answer_table(
    arguments: argparse.Namespace,
    value: Any,
    head: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    empty: str = "",
    right: Collection[int] = (),
    fold: Collection[int] = (),
) -> int:
    """Print a list that a command found: with ``--json`` the value, else its rows, or ``empty`` if none."""

    def show() -> None:
        if rows or not empty:
            print_table(console_for(), columns(head, rows, right, fold))
        else:
            print(empty)

    return answer(arguments, value, show)


@contextmanager
def bar(title: str, total: int | None, *, counts_bytes: bool = True) -> Iterator[Callable[[int], None]]:
    """A progress bar on standard error, in a terminal alone; it takes how much more is done."""
    console = Console(stderr=True, highlight=False, markup=False)
    count: ProgressColumn = DownloadColumn() if counts_bytes else MofNCompleteColumn()
    parts = (TextColumn("{task.description}", markup=False), BarColumn(), count, TimeRemainingColumn())
    with Progress(*parts, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=total)
        yield lambda done: progress.advance(task, done)


def note(message: str) -> None:
    """A remark on standard error."""
    print(f"rensho: {message}", file=sys.stderr)
