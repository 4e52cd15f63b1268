"""Positions of a table and their notation: ``b3t7p2`` is board 3, trick 7, after its second play.

``b3`` is the deal before any declaration, ``b3l`` after the declarations, ``b3t7`` the end of trick 7. With
several deals on a board, ``b1d12t7``. In Kakkuri ``t`` is the turn; turn 0 turns up the first card. ``b3f2``
is board 3 after the first play of the referee for seat 2, else its start. Within its deal, a position is
counted from 0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from viewer.shapes import View, ViewBoard, ViewDeal
from viewer.texts import ENGLISH, ViewerTexts

_POSITION = re.compile(r"b(\d{1,4})(?:d(\d{1,4}))?(?:(l)|t(\d{1,4})(?:p(\d{1,4}))?)?", re.ASCII)
_FAULT = re.compile(r"b(\d{1,4})f(\d)", re.ASCII)


class PositionError(ValueError):
    def __init__(self, reason: str, has: Sequence[int] = (), **fields: object) -> None:
        """``reason`` is a key of ``ViewerTexts.no_position``, ``has`` are the valid numbers."""
        self.reason, self.has, self.fields = reason, tuple(has), fields
        super().__init__(self.said(ENGLISH))

    def said(self, texts: ViewerTexts) -> str:
        """Return the message in a language."""
        return texts.no_position[self.reason].format(**self.fields, has=_span_text(self.has, texts))


class TablePosition(NamedTuple):
    """A position of a table."""

    board: int
    deal: int
    at: int


class DealPositions(NamedTuple):
    """The positions of one deal."""

    keys: tuple[str, ...]
    """Notation of each position, in order."""
    groups: tuple[tuple[int, int], ...]
    """First and last position of each trick or turn, in order, including turn 0."""
    numbers: tuple[int, ...]
    """Number of each of these tricks or turns."""
    declared: int
    """Position after the declarations before the first card: 1, or 0 if there are none."""

    def position(self, step: int) -> int:
        return self.declared + 1 + step

    def group_of(self, position: int) -> int | None:
        return next((i for i, (first, last) in enumerate(self.groups) if first <= position <= last), None)

    @property
    def last(self) -> int:
        return len(self.keys) - 1


def deal_positions(board: int, deal: ViewDeal, *, has_deals: bool) -> DealPositions:
    """Return the positions of one deal; ``has_deals``: its board has several."""
    start = f"b{board}d{deal['deal']}" if has_deals else f"b{board}"
    keys = [start]
    if deal["before"]:
        keys.append(f"{start}l")
    groups: list[tuple[int, int]] = []
    numbers: list[int] = []
    for item in deal["steps"]:
        number = item.get("t", item.get("turn", numbers[-1] if numbers else 0))
        position = len(keys)
        if numbers and numbers[-1] == number:
            groups[-1] = (groups[-1][0], position)
        else:
            groups.append((position, position))
            numbers.append(number)
        keys.append(f"{start}t{number}p{position - groups[-1][0] + 1}")
    return DealPositions(tuple(keys), tuple(groups), tuple(numbers), 1 if deal["before"] else 0)


def find_deal(view: View, position: TablePosition) -> tuple[ViewBoard, ViewDeal]:
    """Return the board and the deal of a position, or raise ``PositionError``."""
    for board in view["boards"]:
        if board["board"] == position.board:
            for deal in board["deals"]:
                if deal["deal"] == position.deal:
                    return board, deal
            has = [deal["deal"] for deal in board["deals"]]
            raise PositionError("deal", has, board=position.board, deal=position.deal)
    raise PositionError("board", view["numbers"], board=position.board)


def positions_at(view: View, position: TablePosition) -> DealPositions:
    """Return the positions of the deal that contains a position, or raise ``PositionError``."""
    board, deal = find_deal(view, position)
    return deal_positions(board["board"], deal, has_deals=len(board["deals"]) > 1)


def parse_position(text: str, view: View) -> TablePosition:
    """Return the position with this notation, or raise ``PositionError``."""
    if fault := _FAULT.fullmatch(text):
        return _first_fault(int(fault[1]), int(fault[2]), view)
    match = _POSITION.fullmatch(text)
    if match is None:
        raise PositionError("unreadable", text=text[:24])
    board, number, is_declared, group, play = match.groups()
    position = TablePosition(int(board), int(number or 1), 0)
    stops = positions_at(view, position)
    if is_declared:
        return position._replace(at=stops.declared)
    if group is None:
        return position
    if int(group) not in stops.numbers:
        raise PositionError("group" if stops.numbers else "no_group", stops.numbers, text=text)
    first, last = stops.groups[stops.numbers.index(int(group))]
    index = last if play is None else first + int(play) - 1
    if not first <= index <= last:
        raise PositionError("play", text=text, last=last - first + 1)
    return position._replace(at=index)


def first_position(view: View) -> TablePosition:
    board = view["boards"][0]
    return TablePosition(board["board"], board["deals"][0]["deal"], 0)


def _first_fault(number: int, seat: int, view: View) -> TablePosition:
    """Return the position after the referee's first play for a seat on a board, else its first deal."""
    board, first = find_deal(view, TablePosition(number, 1, 0))
    for deal in board["deals"]:
        stops = deal_positions(number, deal, has_deals=len(board["deals"]) > 1)
        declared = [(stops.declared, item) for item in deal["before"]]
        played = [(stops.position(step), item) for step, item in enumerate(deal["steps"])]
        for index, item in declared + played:
            if item.get("s") == seat and "verdict" in item:
                return TablePosition(number, deal["deal"], index)
    return TablePosition(number, first["deal"], 0)


def _span_text(numbers: Sequence[int], texts: ViewerTexts) -> str:
    if len(numbers) < 2:
        return "".join(map(str, numbers))
    return texts.span.format(first=numbers[0], last=numbers[-1])
