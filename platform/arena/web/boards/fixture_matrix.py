"""Stones of a fixture by board or side and by table, with the arithmetic of its result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import gettext as _

from arena.matches.models import Table, TableSeat
from arena.web.base.figures import format_column, format_exact
from arena.web.boards.differences import BoardDifference, board_difference
from arena.web.drawing.plots import sign_kind

MAX_TABLES = 8
"""Maximum columns of tables; of more, the page lists the tables."""
MAX_DIFFERENCES = 12
"""Maximum boards of a page whose tables are compared, those with the largest scores."""


class MatrixTable(NamedTuple):
    number: int
    """Rotation, from 1."""
    id: str
    """Public id; empty if several tables share the rotation's boards."""
    first: int
    """First board."""


class MatrixCell(NamedTuple):
    table: str
    """Public id."""
    board: int
    stones: str
    kind: str
    seats: tuple[int, ...] = ()


class BoardRow(NamedTuple):
    number: int
    cells: tuple[MatrixCell, ...]
    score: str
    kind: str
    difference: BoardDifference | None


class BoardMatrix(NamedTuple):
    """Boards by tables, as stones of the first side."""

    tables: tuple[MatrixTable, ...]
    rows: tuple[BoardRow, ...]
    sums: tuple[str, ...]
    """Stones by table over all boards; empty if the fixture has more boards than the page."""
    arithmetic: str
    """How the result follows from the sums; empty if forfeits or rulings changed it."""
    has_differences: bool
    has_decided: bool


def build_board_matrix(
    tables: Sequence[Table],
    conduct: Mapping[int, Sequence[TableSeat]],
    stones: Mapping[tuple[int, int, int], int],
    entries: frozenset[int],
    scores: Mapping[int, Fraction],
    total: Fraction | None,
    *,
    is_compared: bool,
) -> BoardMatrix | None:
    """Return the boards in ``scores`` by tables; None with more than ``MAX_TABLES`` or without stones.

    ``entries`` are the first side's entries. ``total`` is its result if ``scores`` has all boards.
    """
    rotations = sorted({table.rotation for table in tables})
    if not scores or not 1 < len(rotations) <= MAX_TABLES:
        return None
    rows: list[tuple[int, list[Table], list[int]]] = []
    for number in scores:
        on_board = [
            table for table in tables if table.first_board <= number < table.first_board + table.board_count
        ]
        values = [_stones(table, number, conduct, stones, entries) for table in on_board]
        known = [value for value in values if value is not None]
        if len(known) != len(rotations):
            return None
        rows.append((number, on_board, known))
    sums = [sum(values[index] for _number, _tables, values in rows) for index in range(len(rotations))]
    texts = format_column(list(scores.values()), signed=True)
    differences = _differences(rows, scores) if is_compared and len(rotations) == 2 else {}
    return BoardMatrix(
        _heads(tables, rotations),
        tuple(
            BoardRow(
                number,
                tuple(
                    MatrixCell(
                        table.public_id, number, format_exact(Fraction(value), signed=True), sign_kind(value)
                    )
                    for table, value in zip(on_board, values, strict=True)
                ),
                text,
                sign_kind(scores[number]),
                differences.get(number),
            )
            for (number, on_board, values), text in zip(rows, texts, strict=True)
        ),
        () if total is None else tuple(format_exact(Fraction(value), signed=True) for value in sums),
        "" if total is None else _arithmetic(sums, total),
        bool(differences),
        any(difference.decided for difference in differences.values()),
    )


def _stones(
    table: Table,
    number: int,
    conduct: Mapping[int, Sequence[TableSeat]],
    stones: Mapping[tuple[int, int, int], int],
    entries: frozenset[int],
) -> int | None:
    seat = next((seat.seat for seat in conduct.get(table.pk, ()) if seat.entry_id in entries), None)
    return None if seat is None else stones.get((table.pk, number, seat))


def _heads(tables: Sequence[Table], rotations: Sequence[int]) -> tuple[MatrixTable, ...]:
    of_rotation: dict[int, list[Table]] = defaultdict(list)
    for table in tables:
        of_rotation[table.rotation].append(table)
    return tuple(
        MatrixTable(
            rotation + 1,
            of_rotation[rotation][0].public_id if len(of_rotation[rotation]) == 1 else "",
            of_rotation[rotation][0].first_board,
        )
        for rotation in rotations
    )


def _differences(
    rows: Sequence[tuple[int, Sequence[Table], Sequence[int]]], scores: Mapping[int, Fraction]
) -> dict[int, BoardDifference]:
    decisive = sorted(rows, key=lambda row: (-abs(scores[row[0]]), row[0]))[:MAX_DIFFERENCES]
    by_board = {number: board_difference(tables, number) for number, tables, _values in decisive}
    return {number: difference for number, difference in by_board.items() if difference is not None}


def _arithmetic(sums: Sequence[int], total: Fraction) -> str:
    if Fraction(sum(sums), len(sums)) != total:
        return ""
    if total < 0:  # as the winner counts
        sums, total = [-value for value in sums], -total
    first, *later = sums
    signs = {True: "\N{MINUS SIGN}", False: "+"}
    terms = format_exact(Fraction(first)) + "".join(f" {signs[value < 0]} {abs(value)}" for value in later)
    values = {"terms": terms, "count": len(sums), "total": format_exact(total, signed=True)}
    return _("(%(terms)s) / %(count)d tables = %(total)s") % values


class SideRow(NamedTuple):
    number: int
    """Number of its crest, from 0."""
    name: str
    mean: str
    """Its result."""
    cells: tuple[MatrixCell, ...]


class SideMatrix(NamedTuple):
    """Sides by tables, in the order of their totals."""

    tables: tuple[MatrixTable, ...]
    rows: tuple[SideRow, ...]


def build_side_matrix(
    tables: Sequence[Table],
    conduct: Mapping[int, Sequence[TableSeat]],
    stones: Mapping[int, Mapping[int, int]],
    sides: Sequence[tuple[SideRow, frozenset[int]]],
) -> SideMatrix | None:
    """Return the stones of each side at each table; None unless there is one table per rotation.

    ``sides`` are rows without cells, and the keys of their entries.
    """
    rotations = [table.rotation for table in tables]
    if not tables or len(set(rotations)) != len(rotations) or len(rotations) > MAX_TABLES:
        return None
    rows = []
    for row, entries in sides:
        cells = []
        for table in tables:
            seats = tuple(seat.seat for seat in conduct.get(table.pk, ()) if seat.entry_id in entries)
            of_table = stones.get(table.pk, {})
            if not seats or seats[0] not in of_table:
                return None
            value = of_table[seats[0]]
            text = format_exact(Fraction(value), signed=True)
            cells.append(MatrixCell(table.public_id, table.first_board, text, sign_kind(value), seats))
        rows.append(row._replace(cells=tuple(cells)))
    return SideMatrix(_heads(tables, sorted(rotations)), tuple(rows))
