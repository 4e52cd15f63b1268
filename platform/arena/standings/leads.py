"""How certain the first places of a stage are: each against the next on the boards that both played."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from arena.common.process_cache import CacheKey, process_cache
from arena.competition.models import Round, Stage, Tournament
from arena.standings.board_values import parse_values
from arena.standings.models import FixtureScore
from arena.standings.selectors import ListedRow
from arena.standings.stages import SCORED_STATES
from league.separation import MIN_BOARDS, Difference, neighbour_difference

__all__ = ["MIN_BOARDS", "Difference", "Margin", "margins", "place_differences"]

VALUE_OF = {"wins": "won"}
"""Names under which rows store the value of a criterion, if they differ."""
MAX_MARGINS = 3
"""Places of a podium."""


def place_differences(tournament: Tournament, stage: Stage, rows: Sequence[ListedRow]) -> list[Difference]:
    """Return the differences of the first places from the next ones, from the first rows of a stage.

    Cached by the tournament's revision, so they are computed once after a round. At most one query.
    """
    entries = [row.entry.key for row in rows[: MAX_MARGINS + 1]]
    if len(entries) < 2:
        return []

    def differences() -> list[Difference]:
        scores = FixtureScore.objects.filter(
            entry__in=entries,
            fixture__board_set__round__stage=stage,
            fixture__board_set__round__state=Round.State.CLOSED,
            fixture__state__in=SCORED_STATES,
        )
        columns = ("fixture__board_set", "entry_id", "board_values")
        boards: dict[tuple[int, int], dict[int, Fraction]] = defaultdict(dict)
        for board_set, entry, text in scores.order_by().values_list(*columns):
            for board, value in parse_values(text).items():
                boards[board_set, board][entry] = value
        return [
            neighbour_difference(
                [
                    on_board[upper] - on_board[lower]
                    for on_board in boards.values()
                    if upper in on_board and lower in on_board
                ]
            )
            for upper, lower in pairwise(entries)
        ]

    key = CacheKey(("places", tournament.public_id, stage.pk, *entries), tournament.revision)
    return process_cache.get_or_build(key, differences)


class Margin(NamedTuple):
    """The value that separates an entry from the one below it in the standings."""

    value: str
    """Name of the first value that differs, such as ``match_points``, ``progress`` or ``lot``."""
    ahead: Fraction | None
    """Difference in this value; None if it is no number."""
    own: Any
    below: Any
    """The two values as stored."""


def margins(rows: Sequence[ListedRow]) -> list[Margin | None]:
    """Return the margin of each of the first three entries; None for the last of a stage."""
    return [
        _margin(row, below) if below is not None else None
        for row, below in zip(rows[:MAX_MARGINS], [*rows[1 : MAX_MARGINS + 1], None], strict=False)
    ]


def _margin(row: ListedRow, below: ListedRow) -> Margin:
    name = below.decided_by
    stored = VALUE_OF.get(name, name)
    own, other = row.values.get(stored), below.values.get(stored)
    ahead = None
    if name != "lot" and own is not None and other is not None:
        ahead = Fraction(own) - Fraction(other)
    return Margin(name, ahead, own, other)
