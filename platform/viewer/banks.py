"""Remaining CPU bank of each seat after each deal, from the times in a view.

Source: docs/contracts.md#clocks-faults-verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from viewer.shapes import ViewBoard, ViewDeal, ViewItem

KINDS_WITHOUT_REQUEST = frozenset({"out", "utazu"})
"""Kinds of entries for which the seat gets no request."""


class Bank(NamedTuple):
    """Clock of a table for each seat, and the time of its faults; all in microseconds."""

    start_us: int
    """Start value for the whole table."""
    increment_us: int
    """Increment per request."""
    faults: Mapping[int, Sequence[int]]
    """By seat: CPU time of its faults at requests, in order."""


def add_banks(boards: Sequence[ViewBoard], bank: Bank) -> None:
    """Set the ``bank`` of each deal: the remaining microseconds of every seat with times."""
    seats = {item["s"] for _, item in _answers(boards) if "us" in item}
    left = dict.fromkeys(sorted(seats), bank.start_us)
    faults = {seat: iter(bank.faults.get(seat, ())) for seat in left}
    after: dict[int, tuple[ViewDeal, dict[str, int]]] = {}
    for deal, item in _answers(boards):
        seat = item["s"]
        if seat in left and (used := _answer_time(item, faults[seat])) is not None:
            left[seat] = max(left[seat] + bank.increment_us - used, 0)
        after[id(deal)] = (deal, {str(seat): us for seat, us in left.items()})
    for deal, banks in after.values():
        if banks:
            deal["bank"] = banks


def _answer_time(item: ViewItem, faults: Iterator[int]) -> int | None:
    if "us" in item:
        return item["us"]
    return next(faults, None) if "verdict" in item else None


def _answers(boards: Sequence[ViewBoard]) -> Iterator[tuple[ViewDeal, ViewItem]]:
    for board in boards:
        for deal in board["deals"]:
            for item in (*deal["before"], *deal["steps"]):
                if "s" in item and item["k"] not in KINDS_WITHOUT_REQUEST:
                    yield deal, item
