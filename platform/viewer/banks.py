"""What is left of each seat's CPU bank after each deal, from the times in a view.

A seat begins a table with a bank; each request adds to it, and what the answer took is taken out.

Source: docs/contracts.md#clocks-faults-verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from viewer.shapes import ViewBoard, ViewDeal, ViewItem

NO_ANSWERS = frozenset({"out", "utazu"})
"""Entries of a seat that nobody asked it for."""


class Bank(NamedTuple):
    """What the clock of a table gives each seat, and what its faults took; all in microseconds."""

    start_us: int
    """For the whole table."""
    increment_us: int
    """For each request."""
    faults: Mapping[int, Sequence[int]]
    """By seat: CPU time of its faults at requests, in order."""


def banks_add(boards: Sequence[ViewBoard], bank: Bank) -> None:
    """Give each deal its ``bank``: of every seat with times what is left afterwards, in microseconds."""
    seats = {item["s"] for _, item in _answers(boards) if "us" in item}
    left = dict.fromkeys(sorted(seats), bank.start_us)
    faults = {seat: iter(bank.faults.get(seat, ())) for seat in left}
    after: dict[int, tuple[ViewDeal, dict[str, int]]] = {}
    for deal, item in _answers(boards):
        seat = item["s"]
        if seat in left and (used := _used(item, faults[seat])) is not None:
            left[seat] = max(left[seat] + bank.increment_us - used, 0)
        after[id(deal)] = (deal, {str(seat): us for seat, us in left.items()})
    for deal, banks in after.values():
        if banks:
            deal["bank"] = banks


def _used(item: ViewItem, faults: Iterator[int]) -> int | None:
    """What an answer took; None if the seat was not asked: it had no choice, or had forfeited."""
    if "us" in item:
        return item["us"]
    return next(faults, None) if "verdict" in item else None


def _answers(boards: Sequence[ViewBoard]) -> Iterator[tuple[ViewDeal, ViewItem]]:
    for board in boards:
        for deal in board["deals"]:
            for item in (*deal["before"], *deal["steps"]):
                if "s" in item and item["k"] not in NO_ANSWERS:
                    yield deal, item
