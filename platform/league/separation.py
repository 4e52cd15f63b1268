"""Which neighbours in the standings the boards have separated, and which may still be equal.

Entries of a round play the same boards, so two of them are compared board by board: the difference of
their scores on each board both played has far less spread than the scores themselves. The interval of
its mean is one that always holds (``intervals.anytime_interval``), because it is looked at after every
pass and the looking decides whether another is played.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from league.intervals import anytime_interval

MIN_BOARDS = 20
"""Boards that two entries must share before they can count as separated."""

Board = Mapping[str, Fraction]
"""The scores on one board, in stones, of every entry that played it."""


def unseparated(order: Sequence[str], boards: Iterable[Board]) -> list[tuple[str, str]]:
    """Neighbours of the order whose difference may still be zero, best first; empty if all are apart.

    ``order`` names the entries from the best to the last. The confidence is that of each interval, not
    of all of them together. Cost: linear in entries x boards.
    """
    pairs = list(pairwise(order))
    seen: dict[tuple[str, str], list[Fraction]] = {pair: [] for pair in pairs}
    for board in boards:
        for pair in pairs:
            upper, lower = pair
            if upper in board and lower in board:
                seen[pair].append(board[upper] - board[lower])
    return [
        pair
        for pair, differences in seen.items()
        if len(differences) < MIN_BOARDS or not anytime_interval(differences).is_clear_of_zero
    ]
