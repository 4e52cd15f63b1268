"""A record walked through state by state, as plain values for those who do not know the rules."""

from __future__ import annotations

import json
import logging
from typing import Any

from arena.common.blobs import BlobDamaged, BlobMissing, blob_get
from arena.common.errors import Conflict, NotFound
from arena.matches.models import Table
from engine import replay
from engine.errors import RecordError, RulesVersionMismatch
from engine.played import PlayedTable, played_table

log = logging.getLogger(__name__)

__all__ = ["PlayedTable", "board_replay", "played_table", "seat_timings", "table_notes", "table_view"]


def board_replay(record: bytes, number: int | None = None, seat: int | None = None) -> dict[str, Any]:
    """One board of a record, every state of it: the board ``number``, or the table's first.

    ``steps`` have the acts that led to a state and what was to be seen in it: by ``seat`` alone, or by
    every seat. The record is derived anew by the rules; whether the viewer may have it is for the caller
    to have checked.

    Raises:
        NotFound: code ``board_missing`` or ``seat_missing``.
        Conflict: code ``record_of_other_rules``: this engine cannot play it any more.
    """
    try:
        replayed = replay(record)
    except (RulesVersionMismatch, RecordError) as error:
        raise Conflict(f"This record cannot be replayed here: {error}.", "record_of_other_rules") from None
    numbers = [played.board.number for played in replayed.boards]
    board_number = numbers[0] if number is None else number
    if board_number not in numbers:
        raise NotFound(f"This table played boards {numbers[0]} to {numbers[-1]}.", "board_missing")
    seats = sorted(replayed.bots)
    if seat is not None and seat not in seats:
        raise NotFound(f"This table has no seat {seat}.", "seat_missing")
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
    """The lines of a table's timings that are about one seat, as they were written; the owner's and staff's.

    Raises:
        NotFound: code ``timings_missing``.
    """
    if not table.timings_sha256:
        raise NotFound(f"This table is {table.state} and has no times.", "timings_missing")
    head, *lines = blob_get(table.timings_sha256).splitlines(keepends=True)
    return head + b"".join(line for line in lines if json.loads(line).get("seat") == seat)


def table_view(table: Table, board: int | None = None) -> bytes | None:
    """The view of a table, ``rensho-view/1``, with one of its boards if ``board`` is given, else with all.

    None if none was made, is stored, or has that board. Whether the viewer may have it is for the caller to
    have checked.
    """
    view = _blob_or_none(table.view_sha256)
    if view is None or board is None:
        return view
    whole = json.loads(view)
    boards = [part for part in whole["boards"] if part["board"] == board]
    return _encode({**whole, "boards": boards}) if boards else None


def table_notes(table: Table) -> bytes | None:
    """A solver's notes on a table, ``rensho-notes/1``; None if there are none.

    Whether the viewer may have them is for the caller to have checked.
    """
    return _blob_or_none(table.notes_sha256)


def _blob_or_none(sha256: str) -> bytes | None:
    """These bytes, which can be made again; None if they are lost."""
    try:
        return blob_get(sha256) if sha256 else None
    except (BlobMissing, BlobDamaged) as error:
        log.error("a view or notes cannot be shown: %s", error)
        return None


def _encode(value: object) -> bytes:
    """As views are spelt (``viewer.build.view_bytes``)."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")
