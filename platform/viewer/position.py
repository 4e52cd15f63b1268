"""Positions of a table and how they are written: ``b3t7p2`` is board 3, trick 7, after its second play.

``b3`` is the deal before anything was said, ``b3l`` after the declarations, ``b3t7`` the end of trick 7. With
several deals on a board, ``b1d12t7``. In Kakkuri ``t`` is the turn; turn 0 turns up the first card.
``b3f2`` is board 3 after the first play that the referee made for seat 2, its start if it made none.

A position is counted from 0, the deal, within its deal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from viewer.shapes import View, ViewBoard, ViewDeal
from viewer.words import ENGLISH, Words

_WRITTEN = re.compile(r"b(\d{1,4})(?:d(\d{1,4}))?(?:(l)|t(\d{1,4})(?:p(\d{1,4}))?)?", re.ASCII)
_FAULT = re.compile(r"b(\d{1,4})f(\d)", re.ASCII)


class PositionError(ValueError):
    """No position of the table is written so; the message says what there is, in English."""

    def __init__(self, reason: str, has: Sequence[int] = (), **fields: object) -> None:
        """``reason`` is one of the keys of ``Words.no_position``, ``has`` are the numbers there are."""
        self.reason, self.has, self.fields = reason, tuple(has), fields
        super().__init__(self.said(ENGLISH))

    def said(self, words: Words) -> str:
        """The message in a language."""
        return words.no_position[self.reason].format(**self.fields, has=_span(self.has, words))


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
            has = [deal["deal"] for deal in board["deals"]]
            raise PositionError("deal", has, board=place.board, deal=place.deal)
    raise PositionError("board", view["numbers"], board=place.board)


def stops_at(view: View, place: Place) -> Stops:
    """The positions of the deal a position is in. Raises PositionError like ``deal_of``."""
    board, deal = deal_of(view, place)
    return stops_of(board["board"], deal, has_deals=len(board["deals"]) > 1)


def parse_position(text: str, view: View) -> Place:
    """The position that is written so.

    Raises:
        PositionError: it is unreadable, or the table has none such.
    """
    if fault := _FAULT.fullmatch(text):
        return _first_fault(int(fault[1]), int(fault[2]), view)
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise PositionError("unreadable", text=text[:24])
    board, number, said, group, play = match.groups()
    place = Place(int(board), int(number or 1), 0)
    stops = stops_at(view, place)
    if said:
        return place._replace(at=stops.declared)
    if group is None:
        return place
    if int(group) not in stops.numbers:
        raise PositionError("group" if stops.numbers else "no_group", stops.numbers, text=text)
    first, last = stops.groups[stops.numbers.index(int(group))]
    at = last if play is None else first + int(play) - 1
    if not first <= at <= last:
        raise PositionError("play", text=text, last=last - first + 1)
    return place._replace(at=at)


def first_position(view: View) -> Place:
    """The first deal of the table."""
    board = view["boards"][0]
    return Place(board["board"], board["deals"][0]["deal"], 0)


def _first_fault(number: int, seat: int, view: View) -> Place:
    """After the first play that the referee made for a seat on a board, else its first deal."""
    board, first = deal_of(view, Place(number, 1, 0))
    for deal in board["deals"]:
        stops = stops_of(number, deal, has_deals=len(board["deals"]) > 1)
        said = [(stops.declared, item) for item in deal["before"]]
        played = [(stops.position(step), item) for step, item in enumerate(deal["steps"])]
        for at, item in said + played:
            if item.get("s") == seat and "verdict" in item:
                return Place(number, deal["deal"], at)
    return Place(number, first["deal"], 0)


def _span(numbers: Sequence[int], words: Words) -> str:
    if len(numbers) < 2:
        return "".join(map(str, numbers))
    return words.span.format(first=numbers[0], last=numbers[-1])
