"""Which neighbours in the standings the boards have separated, and which may still be equal.

Two entries are compared on common boards, where differences have far less spread than scores. The interval is
anytime-valid (``intervals.anytime_interval``), because it is evaluated after every pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from league.intervals import anytime_interval

MIN_BOARDS = 20
"""Minimum common boards for two entries to count as separated."""

Board = Mapping[str, Fraction]
"""Scores on one board, in stones, of every entry that played it."""


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
        if len(differences) < MIN_BOARDS or not anytime_interval(differences).is_clear_of_zero
    ]
