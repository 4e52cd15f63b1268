"""Positions of played boards, and of tables against bots."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import F

from arena.common.errors import NotFound, quoted
from arena.features.analysis.access import open_tables
from arena.features.analysis.positions import RequestedPosition, requested_position
from arena.features.play.models import CasualTable
from arena.features.play.selectors import view_of
from arena.matches.models import BoardSet
from arena.matches.replays import table_view


def board_position(
    board_set: BoardSet, number: int, plays: Sequence[str], table: str | None, deal: int, lead: int | None
) -> RequestedPosition:
    """Return a position of a board of ``solvable_board``; ``table``: public id of the table whose deal it is.

    Raises NotFound (``table_not_found``, ``view_not_found``), and as ``requested_position``.
    """
    rows = open_tables().filter(
        fixture__board_set=board_set,
        first_board__lte=number,
        first_board__gt=number - F("board_count"),
    )
    if table is not None:
        rows = rows.filter(public_id=table)
    table_row = rows.order_by("pk").first()
    if table_row is None:
        whose = "No table" if table is None else f"No table {quoted(table)}"
        raise NotFound(f"{whose} of a settled fixture has played this board.", "table_not_found")
    view = table_view(table_row)
    if view is None:
        raise NotFound("The table that played this board has no view.", "view_not_found")
    return requested_position(view, number, deal, lead, plays)


def casual_position(
    table: CasualTable, plays: Sequence[str], board: int | None, deal: int, lead: int | None
) -> RequestedPosition:
    """Return a position of a table of ``solvable_table``.

    Raises NotFound (``view_not_found``, ``board_not_found``), and as ``requested_position``.
    """
    view = view_of(table)
    if view is None:
        raise NotFound("This table has no view.", "view_not_found")
    return requested_position(view, table.first_board if board is None else board, deal, lead, plays)
