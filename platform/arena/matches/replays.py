"""Replays of records as plain values, for clients that do not implement the rules."""

from __future__ import annotations

import json
import logging
from typing import Any

from arena.common.blob_expiry import expiring_blob_get
from arena.common.blobs import BlobDamaged, BlobMissing, blob_get
from arena.common.errors import Conflict, NotFound
from arena.matches.models import Table
from engine import replay
from engine.errors import RecordError, RulesVersionMismatch
from engine.played import PlayedTable, played_table

log = logging.getLogger(__name__)

__all__ = ["PlayedTable", "board_replay", "played_table", "seat_timings", "stored_notes", "table_view"]


def board_replay(record: bytes, number: int | None = None, seat: int | None = None) -> dict[str, Any]:
    """Return all states of one board of a record: board ``number``, or the first.

    Each of ``steps`` has the actions that led to a state, and the observations of ``seat`` or of all seats.
    The caller checks visibility. Raises NotFound ``board_not_found`` or ``seat_not_found``, Conflict
    ``record_of_other_rules``.
    """
    try:
        replayed = replay(record)
    except (RulesVersionMismatch, RecordError) as error:
        raise Conflict(
            f"This version of the site cannot replay the record: {error}.", "record_of_other_rules"
        ) from None
    numbers = [played.board.number for played in replayed.boards]
    board_number = numbers[0] if number is None else number
    if board_number not in numbers:
        raise NotFound(f"This table played boards {numbers[0]} to {numbers[-1]}.", "board_not_found")
    seats = sorted(replayed.bots)
    if seat is not None and seat not in seats:
        raise NotFound(f"This table has no seat {seat}.", "seat_not_found")
    played = next(board for board in replayed.boards if board.board.number == board_number)
    steps = [
        {
            "step": index,
            "acts": [
                {
                    "seat": act.seat,
                    "action": act.action,
                    "by": "bot" if act.verdict is None else "referee",
                    "verdict": act.verdict,
                }
                for act in step.acts
            ],
            "to_act": list(step.state.to_act),
            "observations": {
                str(seat): dict(step.state.observe(seat)) for seat in (seats if seat is None else [seat])
            },
        }
        for index, step in enumerate(replayed._replace(boards=(played,)).steps())
    ]
    return {
        "board": board_number,
        "boards": numbers,
        "kind": played.board.kind,
        "game": replayed.game.key,
        "preset": replayed.ruleset.preset,
        "seats": seats,
        "steps": steps,
        "stones": {str(seat): stones for seat, stones in sorted(played.outcome.stones.items())},
    }


def seat_timings(table: Table, seat: int) -> bytes:
    """Return the lines of a table's timings about one seat. Raises NotFound ``timings_not_found``."""
    if not table.timings_sha256:
        raise NotFound(f"This table is {table.state} and has no timings.", "timings_not_found")
    head, *lines = expiring_blob_get(table.timings_sha256).splitlines(keepends=True)
    return head + b"".join(line for line in lines if json.loads(line).get("seat") == seat)


def table_view(table: Table, board: int | None = None) -> bytes | None:
    """Return a table's view with one or all boards, or None. The caller checks visibility."""
    view = _blob_or_none(table.view_sha256)
    if view is None or board is None:
        return view
    whole = json.loads(view)
    boards = [part for part in whole["boards"] if part["board"] == board]
    return _encode({**whole, "boards": boards}) if boards else None


def stored_notes(sha256: str) -> bytes | None:
    """Return solver notes by hash, or None. The caller checks visibility."""
    return _blob_or_none(sha256)


def _blob_or_none(sha256: str) -> bytes | None:
    """Return the bytes of a blob that can be rebuilt; None, and an error in the log, if it is lost."""
    try:
        return blob_get(sha256) if sha256 else None
    except (BlobMissing, BlobDamaged) as error:
        log.error("cannot load a view or notes: %s", error)
        return None


def _encode(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")
