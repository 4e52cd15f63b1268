"""Crosstables: results of each pair of entries, shaded by significance. Only from unsealed boards."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.competition.models import Stage
from arena.standings.crosstables import crosstable_window
from arena.standings.selectors import ListedRow
from arena.web.base.figures import format_rounded
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.drawing.sides import ambiguous_names

if TYPE_CHECKING:
    from league.crosstable import Cell, Pair

MIN_ENTRIES = 3
"""Minimum entries of a crosstable; for two, the standings suffice."""
MAX_WHOLE_ENTRIES = 16
"""Maximum entries of a whole crosstable on a tournament's page; larger fields show ``TOP_ENTRIES``."""
TOP_ENTRIES = 8
MIN_SHARE_MET = 1 / 3
"""Minimum share of met pairs in a crosstable on a tournament's page."""
MAX_GROUPED_ENTRIES = 32
"""Maximum entries of all groups of a stage whose groups have crosstables."""
WINDOW_ENTRIES = 20
"""Rows and columns per page of the crosstable's own page."""
LEAN_THRESHOLD = 0.65
"""Mean divided by half the 95% interval from which a cell gets the lightest shade: about 80% confidence."""


@dataclasses.dataclass(frozen=True)
class CrosstableCell:
    text: str = ""
    """Average stones per board with sign and significance mark; empty if they have not met."""
    shade: str = ""
    """``plus`` or ``minus`` with 1 (leans), 2 (95%) or 3 (99%); else empty."""
    meaning: str = ""
    is_self: bool = False


@dataclasses.dataclass(frozen=True)
class CrosstableHead:
    rank: int
    entry: EntryLabel
    is_shared: bool = False
    """Whether another player's entry in the table has the same name."""


@dataclasses.dataclass(frozen=True)
class CrosstableRow:
    head: CrosstableHead
    crossings: tuple[CrosstableCell, ...]


@dataclasses.dataclass(frozen=True)
class CrosstableWindow:
    """Some rows and columns of a crosstable, in the order of the standings."""

    stage: int
    count: int
    """Entries of the whole table."""
    columns: tuple[CrosstableHead, ...]
    lines: tuple[CrosstableRow, ...]

    @property
    def is_whole(self) -> bool:
        return len(self.columns) == len(self.lines) == self.count

    @property
    def share_met(self) -> float:
        """Share of the cells, without the diagonal, whose entries have met."""
        cells = [cell for line in self.lines for cell in line.crossings if not cell.is_self]
        return sum(bool(cell.text) for cell in cells) / len(cells) if cells else 0.0


def build_window(
    stage: Stage, count: int, rows: Sequence[ListedRow], columns: Sequence[ListedRow]
) -> CrosstableWindow:
    """Return the window of these rows and columns, of ``count`` entries in total. At most four queries."""
    cells = crosstable_window(stage, [row.entry.key for row in rows], [row.entry.key for row in columns])
    heads = crosstable_heads([(row.rank, entry_label(row.entry)) for row in (*columns, *rows)])
    across = heads[: len(columns)]
    lines = tuple(
        CrosstableRow(head, tuple(_pair_cell(head.entry.id, other.entry.id, cells) for other in across))
        for head in heads[len(columns) :]
    )
    return CrosstableWindow(stage.number, count, across, lines)


def build_group_windows(
    stage: Stage, groups: Mapping[int, Sequence[ListedRow]]
) -> dict[int, CrosstableWindow]:
    """Return the whole crosstable of each group, by number. At most four queries for any number of groups.

    Groups with fewer than ``MIN_ENTRIES`` are missing; so are all if they are too large to draw.
    """
    drawn = {number: rows for number, rows in groups.items() if len(rows) >= MIN_ENTRIES}
    keys = [row.entry.key for rows in drawn.values() for row in rows]
    if not drawn or len(keys) > MAX_GROUPED_ENTRIES or max(map(len, drawn.values())) > MAX_WHOLE_ENTRIES:
        return {}
    cells = crosstable_window(stage, keys, keys)
    windows = {}
    for number, rows in drawn.items():
        ordered = sorted(rows, key=lambda row: int(row.values["place"]))
        heads = crosstable_heads([(int(row.values["place"]), entry_label(row.entry)) for row in ordered])
        lines = tuple(
            CrosstableRow(head, tuple(_pair_cell(head.entry.id, other.entry.id, cells) for other in heads))
            for head in heads
        )
        windows[number] = CrosstableWindow(stage.number, len(heads), heads, lines)
    return windows


def crosstable_heads(entries: Sequence[tuple[int, EntryLabel]]) -> tuple[CrosstableHead, ...]:
    """Return the headings; equal names of different players are marked."""
    shared = ambiguous_names(label for _rank, label in entries)
    return tuple(CrosstableHead(rank, label, label.name in shared) for rank, label in entries)


def _pair_cell(row_id: str, column_id: str, cells: Mapping[Pair, Cell]) -> CrosstableCell:
    if row_id == column_id:
        return CrosstableCell(is_self=True)
    return format_cell(cells.get((row_id, column_id)))


def format_cell(cell: Cell | None) -> CrosstableCell:
    if cell is None:
        return CrosstableCell()
    return CrosstableCell(f"{format_rounded(cell.mean)}{cell.mark}", cell_shade(cell), cell_meaning(cell))


def cell_shade(cell: Cell) -> str:
    """Return the CSS class of a cell: its sign and significance.

    >>> from league.crosstable import Cell
    >>> cell_shade(Cell(0.5, 16, 0.1, 0.9, "*", 2)), cell_shade(Cell(-0.5, 16, -2.0, 1.0, "", 2))
    ('plus-2', '')
    """
    side = "plus" if cell.mean > 0 else "minus"
    if cell.mark:
        return f"{side}-{1 + len(cell.mark)}"
    half = (cell.high - cell.low) / 2
    return f"{side}-1" if abs(cell.mean) > LEAN_THRESHOLD * half else ""


def cell_meaning(cell: Cell) -> str:
    """Return the average and its interval as text.

    >>> from league.crosstable import Cell
    >>> cell_meaning(Cell(0.5, 16, -0.25, 1.25, "", 2))
    '+0.50 stones per board over 16 boards, 95% interval −0.25 to +1.25'
    """
    boards = ngettext("%(count)d board", "%(count)d boards", cell.boards) % {"count": cell.boards}
    mean = format_rounded(cell.mean, 2)
    if cell.boards < 2:
        return _("%(mean)s stones per board over %(boards)s") % {"mean": mean, "boards": boards}
    values = {
        "mean": mean,
        "boards": boards,
        "low": format_rounded(cell.low, 2),
        "high": format_rounded(cell.high, 2),
    }
    return _("%(mean)s stones per board over %(boards)s, 95%% interval %(low)s to %(high)s") % values
