"""Results of a table as one text: the stones of each seat on each board, and verdicts other than ``OK``.

Boards are separated by ``/``, seats by ``,``: ``1,-1,1,-1/0,0:CRASHED,0,0`` has two boards of four seats. The
first board is the table's first board, the first seat is 1. A seat without a result is empty. ``1,-1*2``
is the same as ``1,-1,1,-1``, as of two pairs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from referee.contract import Verdict

OK = str(Verdict.OK)
TWICE = "*2"


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
    return "/".join(_format_cells(boards[board]) for board in sorted(boards))


def _format_cells(by_seat: dict[int, str]) -> str:
    cells = [by_seat.get(seat, "") for seat in range(1, max(by_seat) + 1)]
    half, odd = divmod(len(cells), 2)
    if not odd and cells[:half] == cells[half:]:
        return ",".join(cells[:half]) + TWICE
    return ",".join(cells)


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
    once = cells.removesuffix(TWICE)
    for seat, cell in enumerate(once.split(",") * (1 if once == cells else 2), 1):
        if cell:
            stones, _, verdict = cell.partition(":")
            yield BoardResult(board, seat, int(stones), verdict or OK)
