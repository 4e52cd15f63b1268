"""Notes on records, made on worker processes: boards out, notes in."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Generator, Sequence
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from analysis.games import notes_of_game
from analysis.notes import notes_of_record
from analysis.shapes import DealNotes, Limits, Notes
from analysis.work import AnalysisError
from bots.kit.errors import CheckFailed, InvalidInput
from bots.kit.local.workers import Again, Done, run_tasks
from engine import RecordError

OnDeal = Callable[[], None]
"""Callback after each analysed deal."""


class NotedRecord(NamedTuple):
    """A record to analyse."""

    name: str
    """Printable name, relative to the folder given."""
    data: bytes
    boards: tuple[int, ...]
    """Numbers of the boards to analyse, ascending."""


class BoardNotes(NamedTuple):
    record: int
    """Index of the record."""
    board: int
    notes: Notes
    """Of this board alone."""


class _Task(NamedTuple):
    record: int
    board: int


def limits_of(game: str, *, nodes: int | None, deals: int | None) -> Limits:
    """Return the limits of a game, some replaced. Raise ``InvalidInput`` if the game has no analysis."""
    try:
        limits = notes_of_game(game).limits
    except AnalysisError:
        raise InvalidInput(f"there is no analysis of {game}") from None
    return {
        "nodes": limits["nodes"] if nodes is None else nodes,
        "deals": limits["deals"] if deals is None else deals,
    }


def board_notes(
    records: Sequence[NotedRecord], limits: Sequence[Limits], *, jobs: int, on_deal: OnDeal
) -> Generator[BoardNotes, None, None]:
    """Analyse records on ``jobs`` processes and yield the notes of each board, in no fixed order.

    Closing the generator stops all workers at once. Raise ``CheckFailed`` if a record breaks the rules.
    """

    def on_message(task: _Task, message: Notes | str | None) -> Done[BoardNotes] | Again | None:
        if message is None:
            on_deal()
            return None
        if isinstance(message, str):
            raise CheckFailed(f"{records[task.record].name}: {message}")
        return Done(BoardNotes(task.record, task.board, message))

    tasks = (_Task(index, board) for index, record in enumerate(records) for board in record.boards)
    return run_tasks(
        tasks,
        jobs=jobs,
        main=_worker_main,
        arguments=(),
        order_of=lambda task: (records[task.record].data, task.board, limits[task.record]),
        on_message=on_message,
    )


def joined_notes(parts: Sequence[Notes]) -> Notes:
    """Return the notes of a record from the notes on its boards, in any order."""
    deals: list[DealNotes] = sorted(
        (deal for part in parts for deal in part["deals"]), key=lambda deal: (deal["board"], deal["deal"])
    )
    return {**parts[0], "deals": deals}


def _worker_main(connection: Connection[Any, Any]) -> None:
    """Analyse boards until the parent sends None, sends SIGTERM or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError):
        while (order := connection.recv()) is not None:
            record, board, limits = order
            try:
                reply: Notes | str = notes_of_record(
                    record, limits, boards=(board,), progress=lambda done, total: connection.send(None)
                )
            except (RecordError, AnalysisError) as error:
                reply = str(error)
            connection.send(reply)
