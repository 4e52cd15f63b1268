"""Results of a table as one text: the stones of each seat on each board, and verdicts other than ``OK``.

Boards are separated by ``/``, seats by ``,``: ``1,-1,1,-1/0,0:CRASHED,0,0`` has two boards of four seats. The
first board is the table's first board, the first seat is 1. A seat without a result is empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from referee.contract import Verdict

OK = str(Verdict.OK)


class BoardResult(NamedTuple):
    """Result of a seat on a board, as played."""

    board: int
    seat: int
    stones: int
    verdict: str


class SeatResult(Protocol):
    @property
    def board(self) -> int: ...
    @property
    def seat(self) -> int: ...
    @property
    def stones(self) -> int: ...
    @property
    def verdict(self) -> str: ...


def format_results(results: Iterable[SeatResult]) -> str:
    """Format results of consecutive boards, in any order."""
    boards: dict[int, dict[int, str]] = {}
    for result in results:
        verdict = "" if result.verdict == OK else f":{result.verdict}"
        boards.setdefault(result.board, {})[result.seat] = f"{result.stones}{verdict}"
    return "/".join(
        ",".join(boards[board].get(seat, "") for seat in range(1, max(boards[board]) + 1))
        for board in sorted(boards)
    )


def parse_results(text: str, first_board: int) -> list[BoardResult]:
    """Return the results by board and seat."""
    if not text:
        return []
    return [
        result
        for board, cells in enumerate(text.split("/"), first_board)
        for result in _parse_cells(cells, board)
    ]


def parse_board(text: str, first_board: int, board: int) -> list[BoardResult]:
    """Return the results of one board by seat; empty if the table has none."""
    boards = text.split("/") if text else []
    index = board - first_board
    return list(_parse_cells(boards[index], board)) if 0 <= index < len(boards) else []


def _parse_cells(cells: str, board: int) -> Iterable[BoardResult]:
    for seat, cell in enumerate(cells.split(","), 1):
        if cell:
            stones, _, verdict = cell.partition(":")
            yield BoardResult(board, seat, int(stones), verdict or OK)
