"""Positions of a table and how they are written: ``b3t7p2`` is board 3, trick 7, after its second play.

``b3`` is the deal before anything was said, ``b3l`` after the declarations, ``b3t7`` the end of trick 7. With
several deals on a board, ``b1d12t7``. In Kakkuri ``t`` is the turn; turn 0 turns up the first card.

A position is counted from 0, the deal, within its deal.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from viewer.shapes import View, ViewBoard, ViewDeal

_WRITTEN = re.compile(r"b(\d{1,4})(?:d(\d{1,4}))?(?:(l)|t(\d{1,4})(?:p(\d{1,4}))?)?", re.ASCII)


class PositionError(ValueError):
    """No position of the table is written so; the message says what there is."""


class Place(NamedTuple):
    """A position of a table."""

    board: int
    deal: int
    at: int
    """0 is the deal."""


class Stops(NamedTuple):
    """The positions of one deal."""

    keys: tuple[str, ...]
    """How each position is written, in order."""
    groups: tuple[tuple[int, int], ...]
    """First and last position of each trick or turn, in order. Turn 0 is one of them."""
    numbers: tuple[int, ...]
    """The number of each of these tricks or turns."""
    declared: int
    """The position of what was said before the first card: 1, or 0 if nothing was."""

    def position(self, step: int) -> int:
        """The position after a step of the deal, counted from 0."""
        return self.declared + 1 + step

    def group_of(self, at: int) -> int | None:
        """The index in ``groups`` of the trick or turn a position belongs to."""
        return next((i for i, (first, last) in enumerate(self.groups) if first <= at <= last), None)

    @property
    def last(self) -> int:
        """The end of the deal."""
        return len(self.keys) - 1


def stops_of(board: int, deal: ViewDeal, *, has_deals: bool) -> Stops:
    """The positions of one deal; ``has_deals``: its board has more than one."""
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
    return Stops(tuple(keys), tuple(groups), tuple(numbers), 1 if deal["before"] else 0)


def deal_of(view: View, place: Place) -> tuple[ViewBoard, ViewDeal]:
    """The board and the deal a position is in.

    Raises:
        PositionError: the table has no such board or deal.
    """
    for board in view["boards"]:
        if board["board"] == place.board:
            for deal in board["deals"]:
                if deal["deal"] == place.deal:
                    return board, deal
            has = _span([deal["deal"] for deal in board["deals"]])
            raise PositionError(f"Board {place.board} has no deal {place.deal}: it has {has}.")
    raise PositionError(f"This table has no board {place.board}: it has {_span(view['numbers'])}.")


def stops_at(view: View, place: Place) -> Stops:
    """The positions of the deal a position is in. Raises PositionError like ``deal_of``."""
    board, deal = deal_of(view, place)
    return stops_of(board["board"], deal, has_deals=len(board["deals"]) > 1)


def parse_position(text: str, view: View) -> Place:
    """The position that is written so.

    Raises:
        PositionError: it is unreadable, or the table has none such.
    """
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise PositionError(f"There is no position {text[:24]!r}: write b3, b3l, b3t7 or b3t7p2.")
    board, number, said, group, play = match.groups()
    place = Place(int(board), int(number or 1), 0)
    stops = stops_at(view, place)
    if said:
        return place._replace(at=stops.declared)
    if group is None:
        return place
    if int(group) not in stops.numbers:
        has = _span(list(stops.numbers)) if stops.numbers else "none"
        raise PositionError(f"There is no position {text!r}: the tricks or turns of this deal are {has}.")
    first, last = stops.groups[stops.numbers.index(int(group))]
    at = last if play is None else first + int(play) - 1
    if not first <= at <= last:
        raise PositionError(f"There is no position {text!r}: its last play is {last - first + 1}.")
    return place._replace(at=at)


def format_position(place: Place, view: View) -> str:
    """The inverse of ``parse_position``; always names the play. Raises PositionError like ``deal_of``."""
    return stops_at(view, place).keys[place.at]


def first_position(view: View) -> Place:
    """The first deal of the table."""
    board = view["boards"][0]
    return Place(board["board"], board["deals"][0]["deal"], 0)


def _span(numbers: list[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
