"""Position files, with which an author asks a bot again in a position of a played table."""

from __future__ import annotations

import logging

from arena.common.blobs import blob_get
from arena.common.errors import NotFound
from arena.jobs.fault_files import origin_at, seat_report_of, timings_of
from arena.matches.models import TableSeat
from arena.matches.orders import table_order
from referee.errors import RefereeError
from referee.position_file import RecordedDecision, position_file

log = logging.getLogger(__name__)


def position_file_of(row: TableSeat, board: int, turn: int, action: str | None, reason: str) -> bytes:
    """Return the document ``rensho-fault/1`` of a decision of a bot: its ``turn``-th of the board, from 0.

    Select table and version. The caller checks permissions. Raises NotFound ``position_file_not_found`` if
    data are missing or of other rules.
    """
    table = row.table
    try:
        return position_file(
            table_order(table),
            seat_report_of(row),
            RecordedDecision(board, turn, action, reason),
            blob_get(table.record_sha256),
            timings_of(table.timings_sha256),
            origin=origin_at(table, row.version),
        )
    except (RefereeError, NotFound) as error:
        log.error("no position file of seat %s of table %s: %s", row.seat, table.public_id, error)
        raise NotFound(
            f"No file can be created for this position: {error}.", "position_file_not_found"
        ) from error
