"""Everybody against everybody as it is shown: a window of the table, shaded by how sure each figure is.

From fixtures whose boards are unsealed alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.competition.models import Stage
from arena.standings.crosstables import crosstable_window
from arena.standings.selectors import ListedRow
from arena.web.base.figures import rounded
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.drawing.sides import shared_names

if TYPE_CHECKING:
    from league.crosstable import Cell, Pair

FEWEST = 3
"""Entries of a crosstable: of two, the standings say the same."""
WHOLE_AT_MOST = 16
"""Entries shown all on a tournament's page; of more it shows ``TOP``."""
TOP = 8
WINDOW = 20
"""Rows, and columns, of the page of its own."""
LEANING = 0.65
"""A mean this far out of its 95 % interval's half leans to one side: at 80 %, about."""


@dataclasses.dataclass(frozen=True)
class Crossing:
    """How one entry did against another on all their boards."""

    text: str = ""
    """The mean in stones a board, with sign and mark; empty: they have not met."""
    shade: str = ""
    """``plus`` or ``minus`` with 1 to 3: it leans there, at 95 %, at 99 %; empty for neither."""
    meaning: str = ""
    """The mean with its interval, in words."""
    is_self: bool = False


@dataclasses.dataclass(frozen=True)
class CrossHead:
    """An entry as the head of a row or of a column."""

    rank: int
    entry: EntryLabel
    is_shared: bool = False
    """Whether an entry of another player in the table has the same name."""


@dataclasses.dataclass(frozen=True)
class CrossLine:
    """One entry's row of the crosstable."""

    head: CrossHead
    crossings: tuple[Crossing, ...]


@dataclasses.dataclass(frozen=True)
class CrossWindow:
    """Some rows and columns of a crosstable, in the order of the standings."""

    stage: int
    count: int
    """Entries of the whole table."""
    columns: tuple[CrossHead, ...]
    lines: tuple[CrossLine, ...]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return len(self.columns) == len(self.lines) == self.count


def window_of(
    stage: Stage, count: int, rows: Sequence[ListedRow], columns: Sequence[ListedRow]
) -> CrossWindow:
    """The window of these rows of the standings, of ``count`` in all. Four queries at most."""
    cells = crosstable_window(stage, [row.entry.key for row in rows], [row.entry.key for row in columns])
    heads = cross_heads([(row.rank, entry_label(row.entry)) for row in (*columns, *rows)])
    across = heads[: len(columns)]
    lines = tuple(
        CrossLine(head, tuple(_crossing(head.entry.id, other.entry.id, cells) for other in across))
        for head in heads[len(columns) :]
    )
    return CrossWindow(stage.number, count, across, lines)


def cross_heads(entries: Sequence[tuple[int, EntryLabel]]) -> tuple[CrossHead, ...]:
    """The heads of a table by rank and entry, those of one name told apart."""
    shared = shared_names(label for _rank, label in entries)
    return tuple(CrossHead(rank, label, label.name in shared) for rank, label in entries)


def _crossing(mine: str, theirs: str, cells: Mapping[Pair, Cell]) -> Crossing:
    if mine == theirs:
        return Crossing(is_self=True)
    return crossing_of(cells.get((mine, theirs)))


def crossing_of(cell: Cell | None) -> Crossing:
    """A cell as it is shown; None: they have not met."""
    if cell is None:
        return Crossing()
    return Crossing(f"{rounded(cell.mean, 1)}{cell.mark}", shade_of(cell), meaning_of(cell))


def shade_of(cell: Cell) -> str:
    """The class of a cell: the side its mean is on, and how surely.

    >>> from league.crosstable import Cell
    >>> shade_of(Cell(0.5, 16, 0.1, 0.9, "*", 2)), shade_of(Cell(-0.5, 16, -2.0, 1.0, "", 2))
    ('plus-2', '')
    """
    side = "plus" if cell.mean > 0 else "minus"
    if cell.mark:
        return f"{side}-{1 + len(cell.mark)}"
    half = (cell.high - cell.low) / 2
    return f"{side}-1" if abs(cell.mean) > LEANING * half else ""


def meaning_of(cell: Cell) -> str:
    """The mean in words.

    >>> from league.crosstable import Cell
    >>> meaning_of(Cell(0.5, 16, -0.25, 1.25, "", 2))
    '+0.50 stones a board over 16 boards, 95 % from −0.25 to +1.25'
    """
    boards = ngettext("%(count)d board", "%(count)d boards", cell.boards) % {"count": cell.boards}
    mean = rounded(cell.mean, 2)
    if cell.boards < 2:
        return _("%(mean)s stones a board over %(boards)s") % {"mean": mean, "boards": boards}
    values = {"mean": mean, "boards": boards, "low": rounded(cell.low, 2), "high": rounded(cell.high, 2)}
    return _("%(mean)s stones a board over %(boards)s, 95 %% from %(low)s to %(high)s") % values
