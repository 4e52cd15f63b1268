"""Progress bars on standard error; in a terminal alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)


@contextmanager
def bar(title: str, total: int | None, *, counts_bytes: bool = True) -> Iterator[Callable[[int], None]]:
    """A bar while the block lasts; what it gives takes how much more is done, in bytes or things."""
    console = Console(stderr=True, highlight=False, markup=False)
    count: ProgressColumn = DownloadColumn() if counts_bytes else MofNCompleteColumn()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), count, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=total)
        yield lambda done: progress.advance(task, done)
