"""Which neighbours in the standings the boards have separated, and which may still be equal.

Two entries are compared on common boards, where differences have far less spread than scores. The interval is
anytime-valid (``intervals.anytime_interval``), because it is evaluated after every pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from league.intervals import Interval, anytime_interval

MIN_BOARDS = 20
"""Minimum common boards for two entries to count as separated."""

Board = Mapping[str, Fraction]
"""Scores on one board, in stones, of every entry that played it."""


class Difference(NamedTuple):
    """The mean difference of two entries on their common boards, in stones per board."""

    boards: int
    interval: Interval | None
    """Anytime-valid 95% interval; None with fewer than ``MIN_BOARDS`` boards."""

    @property
    def state(self) -> str:
        """``few`` boards; ``ahead`` or ``behind`` if 0 is outside the interval; else ``open``."""
        if self.interval is None:
            return "few"
        if not self.interval.is_clear_of_zero:
            return "open"
        return "ahead" if self.interval.low > 0 else "behind"

    @property
    def is_separated(self) -> bool:
        return self.state in ("ahead", "behind")


def neighbour_difference(differences: Sequence[Fraction]) -> Difference:
    """Return the difference of two entries from their differences on each common board."""
    boards = len(differences)
    return Difference(boards, anytime_interval(differences) if boards >= MIN_BOARDS else None)


def unseparated(order: Sequence[str], boards: Iterable[Board]) -> list[tuple[str, str]]:
    """Return neighbours of the order whose difference may still be zero, best first.

    The confidence is that of each interval, not of all together. Linear in entries x boards.
    """
    pairs = list(pairwise(order))
    differences_of: dict[tuple[str, str], list[Fraction]] = {pair: [] for pair in pairs}
    for board in boards:
        for pair in pairs:
            upper, lower = pair
            if upper in board and lower in board:
                differences_of[pair].append(board[upper] - board[lower])
    return [
        pair
        for pair, differences in differences_of.items()
        if not neighbour_difference(differences).is_separated
    ]
