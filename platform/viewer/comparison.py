"""Two tables that played the same deal: where they first differ, and the stops at which both are shown.

Up to the first difference both tables stop after every play. Later plays do not correspond to each other,
so that both tables stop at the end of each trick or turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from viewer.mat import dealt_hands
from viewer.position import DealPositions
from viewer.shapes import ViewDeal, ViewItem


class Difference(NamedTuple):
    """The first difference of two tables."""

    stop: int
    """Index of the stop that shows it; 0 if the seats were dealt different cards."""
    declarations: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
    """By table: indexes of declarations that differ, counted from the end: -1 is the last."""
    step: int | None = None
    """Index of the step, the same at both tables."""

    def outlined(self, table: int) -> frozenset[int]:
        """Return the index of the step, or the indexes of the declarations, at a table (0 or 1)."""
        return self.declarations[table] if self.step is None else frozenset({self.step})


class Comparison(NamedTuple):
    keys: tuple[str, ...]
    """Notation of each stop: of the first table's position, or of the second's once the first has ended."""
    stops: tuple[tuple[int, int], ...]
    """Positions of both tables at each stop."""
    difference: Difference | None

    def positions(self, table: int) -> tuple[int, ...]:
        """Return the positions of one table (0 or 1) at all stops, ascending."""
        return tuple(stop[table] for stop in self.stops)

    @property
    def has_other_cards(self) -> bool:
        return self.difference is not None and self.difference.stop == 0


def compare_deals(deals: Sequence[ViewDeal], positions: Sequence[DealPositions]) -> Comparison:
    """Compare one deal of two tables, given its positions at both."""
    first, second = positions
    before = [deal["before"] for deal in deals]
    steps = [deal["steps"] for deal in deals]
    stops = [(0, 0)]
    difference = None
    if _cards(deals[0]) != _cards(deals[1]):
        difference = Difference(0)
    if first.declared or second.declared:
        stops.append((first.declared, second.declared))
    if difference is None and [_answer(item) for item in before[0]] != [_answer(item) for item in before[1]]:
        difference = Difference(len(stops) - 1, _other_declarations(before[0], before[1]))
    if difference is None:
        pairs = list(zip(*steps, strict=False))
        common = sum(1 for _ in takewhile(lambda pair: _answer(pair[0]) == _answer(pair[1]), pairs))
        aligned = common + (common < len(pairs))
        stops += [(first.position(step), second.position(step)) for step in range(aligned)]
        if common < len(pairs):
            difference = Difference(len(stops) - 1, step=common)
    stops += _group_ends(positions, stops[-1])
    keys = [
        first.keys[here[0]] if not index or here[0] > stops[index - 1][0] else second.keys[here[1]]
        for index, here in enumerate(stops)
    ]
    return Comparison(tuple(keys), tuple(stops), difference)


def _cards(deal: ViewDeal) -> dict[str, list[str]]:
    return {seat: sorted(hand) for seat, hand in dealt_hands(deal).items()}


def _answer(item: ViewItem) -> tuple[object, ...]:
    return item["k"], item.get("s"), item.get("a")


def _other_declarations(
    first: Sequence[ViewItem], second: Sequence[ViewItem]
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the indexes of the entries that the other table does not have, counted from the end."""

    def missing(items: Sequence[ViewItem], other_items: Sequence[ViewItem]) -> frozenset[int]:
        known = {_answer(item) for item in other_items}
        return frozenset(
            index for index, item in enumerate(items, start=-len(items)) if _answer(item) not in known
        )

    return missing(first, second), missing(second, first)


def _group_ends(positions: Sequence[DealPositions], after: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the ends of the tricks or turns after a stop, by their numbers."""
    ends = [
        {number: last for number, (_, last) in zip(deal.numbers, deal.groups, strict=True)}
        for deal in positions
    ]
    stops, here = [], after
    for number in sorted(ends[0].keys() | ends[1].keys()):
        there = (max(here[0], ends[0].get(number, 0)), max(here[1], ends[1].get(number, 0)))
        if there != here:
            stops.append(there)
            here = there
    return stops
