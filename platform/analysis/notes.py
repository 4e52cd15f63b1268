"""Notes of a table, made from its record. Equal records, limits and versions give equal bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection

from analysis.games import notes_of_game
from analysis.shapes import NOTES_FORMAT, DealNotes, Limits, Notes
from analysis.work import AnalysisError, Work
from engine import replay
from engine.kernel import Cancel

SOLVER = "rensho-analysis/1"
"""Version of all methods together; increased by every change that changes notes."""

Progress = Callable[[int, int], None]
"""Called with the number of analysed deals and of all deals."""

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode


def notes_of_record(
    record: bytes,
    limits: Limits | None = None,
    *,
    boards: Collection[int] | None = None,
    decks_from_seed: bool = True,
    cancel: Cancel | None = None,
    progress: Progress | None = None,
) -> Notes:
    """Return the notes of an uncompressed ``rensho-record/1``.

    ``limits`` replaces the default limits of the game; with ``deals`` 0 there are no averages. With
    ``boards``, the notes have only these; together they equal the notes of the whole record.
    ``decks_from_seed=False`` takes the recorded decks. Raise ``RecordError`` if the record contradicts the
    rules or itself, ``AnalysisError`` if its game has no analysis or a limit is invalid, ``Cancelled`` within
    100 ms after ``cancel`` is set.
    """
    replayed = replay(record, decks_from_seed=decks_from_seed, keep_states=True)
    game = notes_of_game(replayed.game.key)
    limits = game.limits if limits is None else limits
    _check(limits)
    work = Work(hashlib.sha256(record).hexdigest(), limits, cancel)
    chosen = [board for board in replayed.boards if boards is None or board.board.number in boards]
    total = sum(len(board.outcome.deals) for board in chosen)
    deals: list[DealNotes] = []
    work.check()
    for board in chosen:
        for deal in game.deals(replayed, board, work):
            deals.append(deal)
            if progress is not None:
                progress(len(deals), total)
    return {
        "format": NOTES_FORMAT,
        "record_sha256": work.record_sha256,
        "game": replayed.game.key,
        "preset": replayed.ruleset.preset,
        "solver": SOLVER,
        "limits": limits,
        "deals": deals,
    }


def notes_bytes(notes: Notes) -> bytes:
    """Encode notes as ASCII JSON with sorted keys and no spaces."""
    return _encode(notes).encode("ascii")


def _check(limits: Limits) -> None:
    nodes, deals = limits["nodes"], limits["deals"]
    if nodes is not None and nodes < 1:
        raise AnalysisError(f"limits: nodes cannot be {nodes}; give a number above 0, or None for no limit")
    if deals < 0 or deals == 1:
        raise AnalysisError(f"limits: deals cannot be {deals}; give 0 for no averages, or 2 or more")
