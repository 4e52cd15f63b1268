"""Consoles, tables that are never cut, progress bars and results.

All output of commands passes through this module, which escapes controls, direction marks and line feeds.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
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
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from bots.kit.display.formatting import bytes_text
from bots.kit.errors import DONE
from engine.printable import printable, printable_lines

DIM = "dim"
PROGRESS_LINE_S = 60.0
"""Minimum seconds between two lines of progress without a terminal."""
MAX_TABLE_COLUMNS = 10_000
"""Maximum width of a table in a file or a pipe, in columns."""
Cell = Text | str


class _Console(Console):
    @property
    def file(self) -> IO[str]:
        """The raw stream. Within ``Live``, rich removes only its own proxy from it."""
        file = super().file
        return getattr(file, "rich_proxied_file", file)

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        self._file = new_file

    def render_str(self, text: str, **options: Any) -> Text:
        """Render a string as one printable line. Text of several lines must be a ``Text``."""
        return super().render_str(printable(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Escape text after layout and before styles are added."""
        for segment in super().render(renderable, options):
            if segment.control is None:
                yield Segment(printable_lines(segment.text), segment.style)
            else:
                yield segment

    def on_broken_pipe(self) -> None:
        raise


def console_for(*, has_color: bool = True, is_quiet: bool = False, is_stderr: bool = False) -> Console:
    """Return a console without markup, highlighting and emoji."""
    return _Console(
        stderr=is_stderr,
        no_color=None if has_color else True,
        color_system="auto" if has_color else None,
        highlight=False,
        markup=False,
        emoji=False,
        quiet=is_quiet,
    )


def print_lines(*lines: str, is_stderr: bool = False) -> None:
    for line in lines:
        print(printable(line), file=sys.stderr if is_stderr else sys.stdout)


def print_log(text: str) -> None:
    print_lines(*text.expandtabs().removesuffix("\n").split("\n"))


def print_json(value: Any, *, indent: int | None = 2) -> None:
    print(json_text(value, indent=indent), flush=True)  # noqa: T201


def json_text(value: Any, *, indent: int | None = None) -> str:
    return json.dumps(value, indent=indent).replace("\x7f", r"\u007f")


def styled_line(*parts: str | tuple[str, str]) -> Text:
    """Return one printable line; a part with a style is a pair of text and style."""
    return Text.assemble(
        *(printable(part) if isinstance(part, str) else (printable(part[0]), part[1]) for part in parts)
    )


def text_table(
    head: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    right: Collection[int] = (),
    fold: Collection[int] = (),
) -> Table:
    """Return a table without lines; columns ``right`` are right-aligned, ``fold`` may wrap."""
    table = Table(box=None, padding=(0, 1), header_style=DIM, show_edge=False)
    lines = [[_printable_cell(cell) for cell in row] for row in rows]
    for index, title in enumerate(head):
        width = max(cell_len(str(line[index])) for line in [head, *lines])
        table.add_column(
            title,
            justify="right" if index in right else "left",
            no_wrap=index not in fold,
            overflow="fold",
            min_width=None if index in fold else width,
        )
    for line in lines:
        table.add_row(*line)
    return table


def _printable_cell(cell: Cell) -> Cell:
    if isinstance(cell, str):
        return printable(cell)
    return cell if printable(cell.plain) == cell.plain else Text(printable(cell.plain), cell.style)


def table_size(console: Console, table: Table) -> Measurement:
    return Measurement.get(console, console.options.update(max_width=MAX_TABLE_COLUMNS), table)


def print_table(console: Console, table: Table) -> None:
    """Print a table without cutting it: long rows wrap on a narrow terminal only."""
    size = table_size(console, table)
    needed = size.minimum if console.is_terminal else size.maximum
    if needed > console.width:
        table.width = needed
    console.print(table, crop=False)


def print_result(arguments: argparse.Namespace, value: Any, show: Callable[[], object]) -> int:
    """Print ``value`` as JSON with ``--json``, otherwise call ``show``. Returns the exit status."""
    if arguments.json:
        print_json(value)
    else:
        show()
    return DONE


def print_result_table(
    arguments: argparse.Namespace,
    value: Any,
    head: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    empty: str = "",
    right: Collection[int] = (),
    fold: Collection[int] = (),
) -> int:
    """Print ``value`` as JSON with ``--json``, otherwise the rows, or ``empty`` without rows."""

    def show() -> None:
        if rows or not empty:
            print_table(console_for(), text_table(head, rows, right, fold))
        else:
            print_lines(empty)

    return print_result(arguments, value, show)


class _ProgressLines:
    def __init__(self, title: str, total: int | None, *, counts_bytes: bool) -> None:
        self._title = title
        self._total = total
        self._text: Callable[[int], str] = bytes_text if counts_bytes else str
        self._done = 0
        self._printed_at = time.monotonic()

    def advance(self, done: int) -> None:
        self._done += done
        now = time.monotonic()
        if now - self._printed_at >= PROGRESS_LINE_S:
            self._printed_at = now
            end = "" if self._total is None else f" of {self._text(self._total)}"
            print_note(f"{self._title}: {self._text(self._done)}{end}")


@contextmanager
def progress_bar(
    title: str, total: int | None, *, counts_bytes: bool = True, has_lines: bool = False
) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error if it is a terminal; else, with ``has_lines``, some lines.

    Yields a function that adds to it.
    """
    console = console_for(is_stderr=True)
    if has_lines and not console.is_terminal:
        yield _ProgressLines(title, total, counts_bytes=counts_bytes).advance
        return
    count: ProgressColumn = DownloadColumn() if counts_bytes else MofNCompleteColumn()
    parts = (TextColumn("{task.description}", markup=False), BarColumn(), count, TimeRemainingColumn())
    with Progress(*parts, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(printable(title), total=total)
        yield lambda done: progress.advance(task, done)


def print_note(message: str) -> None:
    print_lines(f"rensho: {message}", is_stderr=True)
